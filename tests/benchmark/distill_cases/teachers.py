"""A slow teacher: a weighted mean of libraries and kinds of models, as automatic machine learning makes them.

The members are `kauriboost.fit_best`, CatBoost, extremely randomised trees, neural networks, and kernel ridge
regression or logistic regression on kernels. The weights come from ensemble selection (Caruana and others, 2004) on the
predictions for left-out rows: repeatedly the member is added that improves the mean most.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from quality_cases.tasks import Task, split
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from sklearn.impute import SimpleImputer
from sklearn.kernel_approximation import Nystroem
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, QuantileTransformer, StandardScaler

MOST_INDICATORS = 20  # indicator columns of a categorical column
SEEDS_OF_NETWORKS = (0, 1)
LEFT_OUT = 0.25  # share of the rows by which the members are weighted
MOST_ADDED = 20  # members added to the mean, one after the other
ROUNDS = 160  # budget of fit_best

Predict = Callable[[np.ndarray], np.ndarray]
Member = Callable[[Task], Predict]


class Indicators:
    """Numbers as they are; an indicator for each of the most frequent categories, and for missing numbers."""

    def __init__(self, task: Task) -> None:
        self._numbers = [column for column in range(task.features.shape[1]) if column not in task.categorical]
        self._missing = [column for column in self._numbers if np.isnan(task.features[:, column]).any()]
        self._categories = {}
        for column in task.categorical:
            values, counts = np.unique(task.features[:, column], return_counts=True, equal_nan=True)
            self._categories[column] = values[np.argsort(-counts, kind="stable")][:MOST_INDICATORS]

    def __call__(self, features: np.ndarray) -> np.ndarray:
        """Return the columns of rows [n_rows, n_cols]; missing numbers stay NaN."""
        parts = [features[:, self._numbers], np.isnan(features[:, self._missing]).astype(float)]
        for column, values in self._categories.items():
            given = features[:, [column]]
            parts.append(((given == values) | (np.isnan(given) & np.isnan(values))).astype(float))
        return np.hstack(parts)


def _scaled(task: Task, model: Any) -> Any:
    few = min(1000, len(task.labels))
    normal = QuantileTransformer(n_quantiles=few, output_distribution="normal", random_state=0)
    clipped = FunctionTransformer(np.clip, kw_args={"a_min": -3.0, "a_max": 3.0})
    impute = SimpleImputer(strategy="median", keep_empty_features=True)
    return make_pipeline(impute, normal, clipped, StandardScaler(), model)


def _fitted(task: Task, model: Any, encode: Callable[[np.ndarray], Any]) -> Predict:
    """Train a model of scikit-learn's manner; return its predictions, probabilities [n, n_classes] if classes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(encode(task.features), task.labels)
    if task.kind == "regression":
        return lambda features: np.asarray(model.predict(encode(features)))
    known = np.asarray(model.classes_, dtype=int)

    def predict(features: np.ndarray) -> np.ndarray:
        chances = np.zeros((len(features), max(task.n_classes, 2)))
        chances[:, known] = model.predict_proba(encode(features))
        return chances

    return predict


def kauri_best(task: Task) -> Predict:
    """Return the predictions of `fit_best`."""
    import kauriboost

    types = ["c" if column in task.categorical else "q" for column in range(task.features.shape[1])]
    objectives = {"binary": "binary:logistic", "multiclass": "multi:softprob", "regression": "reg:squarederror"}
    params: dict[str, Any] = {"objective": objectives[task.kind], "nthread": 1}
    if task.kind == "multiclass":
        params["num_class"] = task.n_classes
    found = kauriboost.fit_best(
        task.features, task.labels, params=params, rounds_budget=ROUNDS, feature_types=types, nthread=1
    )

    def predict(features: np.ndarray) -> np.ndarray:
        values = found.booster.predict(kauriboost.DMatrix(features, feature_types=types, nthread=1))
        return np.column_stack([1 - values, values]) if task.kind == "binary" else values

    return predict


def _catboost(task: Task) -> Predict:
    import catboost
    import pandas as pd

    def frame(features: np.ndarray) -> Any:
        table = pd.DataFrame(features)
        for column in task.categorical:
            table[column] = table[column].fillna(-1).astype(int).astype(str)
        return table

    kind = catboost.CatBoostRegressor if task.kind == "regression" else catboost.CatBoostClassifier
    rounds, rate = (60, 0.3) if task.kind == "multiclass" else (150, 0.1)
    told = {"cat_features": task.categorical, "verbose": 0, "thread_count": 1, "allow_writing_files": False}
    return _fitted(task, kind(iterations=rounds, learning_rate=rate, depth=5, l2_leaf_reg=6, **told), frame)


def _random_trees(task: Task) -> Predict:
    kind = ExtraTreesRegressor if task.kind == "regression" else ExtraTreesClassifier
    model = kind(100, min_samples_leaf=2, max_features=0.5, random_state=0, n_jobs=1)
    impute = SimpleImputer(strategy="median", keep_empty_features=True)
    return _fitted(task, make_pipeline(impute, model), Indicators(task))


def _networks(task: Task) -> Predict:
    """Return the mean of small neural networks."""
    kind = MLPRegressor if task.kind == "regression" else MLPClassifier
    told = {"hidden_layer_sizes": (128, 64), "alpha": 0.1, "learning_rate_init": 2e-3, "batch_size": 64}
    members = []
    for seed in SEEDS_OF_NETWORKS:
        model = kind(random_state=seed, max_iter=25, **told)
        members.append(_fitted(task, _scaled(task, model), Indicators(task)))
    return lambda features: np.mean([member(features) for member in members], axis=0)


def _kernel(task: Task) -> Predict:
    """Return a ridge or logistic regression on radial kernels."""
    encode = Indicators(task)
    width = 0.3 / encode(task.features[:2]).shape[1]
    if task.kind == "regression":
        return _fitted(task, _scaled(task, KernelRidge(alpha=0.1, kernel="rbf", gamma=width)), encode)
    kernels = Nystroem(gamma=width, n_components=min(400, len(task.labels)), random_state=0)
    return _fitted(task, _scaled(task, make_pipeline(kernels, LogisticRegression(C=10, max_iter=250))), encode)


MEMBERS: dict[str, Member] = {
    "fit_best": kauri_best,
    "catboost": _catboost,
    "random trees": _random_trees,
    "networks": _networks,
    "kernels": _kernel,
}


def loss_of(task: Task, predictions: np.ndarray) -> float:
    """Return the loss of predictions [n_rows], or of probabilities [n_rows, n_classes] also of two classes."""
    return task.loss(predictions[:, 1] if task.kind == "binary" else predictions)


def _weights(task: Task, left_out: list[np.ndarray]) -> np.ndarray:
    """Return the weights of the members, by ensemble selection."""
    counts, total, best = np.zeros(len(left_out)), np.zeros_like(left_out[0]), np.inf
    while counts.sum() < MOST_ADDED:
        losses = [loss_of(task, (total + one) / (counts.sum() + 1)) for one in left_out]
        if min(losses) >= best:
            break
        best, member = min(losses), int(np.argmin(losses))
        counts[member] += 1
        total = total + left_out[member]
    return counts / counts.sum()


class Teacher:
    """The weighted mean of members trained on the same rows.

    Attributes
    ----------
    members
        The predictions of each member, trained on all rows.
    weights
        The weight of each member.
    """

    def __init__(self, task: Task) -> None:
        learnt, held = split(len(task.labels), 0, LEFT_OUT)
        left_out = [member(task.some(learnt))(task.features[held]) for member in MEMBERS.values()]
        found = _weights(task.some(held), left_out)
        self.weights = dict(zip(MEMBERS, found.tolist(), strict=True))
        self.members = {name: member(task) for name, member in MEMBERS.items()}

    def __call__(self, features: np.ndarray) -> np.ndarray:
        """Return predictions [n_rows], or probabilities [n_rows, n_classes]."""
        used = [(share, self.members[name]) for name, share in self.weights.items() if share > 0]
        return np.sum([share * member(features) for share, member in used], axis=0)
