"""A slow teacher: a mean of `kauriboost.fit_best`, extremely randomised trees and a regression on kernels.

The regression on kernels is ridge regression, or logistic regression of classes.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from quality_cases.tasks import Task
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from sklearn.impute import SimpleImputer
from sklearn.kernel_approximation import Nystroem
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, QuantileTransformer, StandardScaler

MOST_INDICATORS = 20  # indicator columns of a categorical column
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


def _random_trees(task: Task) -> Predict:
    kind = ExtraTreesRegressor if task.kind == "regression" else ExtraTreesClassifier
    model = kind(100, min_samples_leaf=2, max_features=0.5, random_state=0, n_jobs=1)
    impute = SimpleImputer(strategy="median", keep_empty_features=True)
    return _fitted(task, make_pipeline(impute, model), Indicators(task))


def _kernel(task: Task) -> Predict:
    """Return a ridge or logistic regression on radial kernels."""
    encode = Indicators(task)
    width = 0.3 / encode(task.features[:2]).shape[1]
    if task.kind == "regression":
        return _fitted(task, _scaled(task, KernelRidge(alpha=0.1, kernel="rbf", gamma=width)), encode)
    kernels = Nystroem(gamma=width, n_components=min(400, len(task.labels)), random_state=0)
    return _fitted(task, _scaled(task, make_pipeline(kernels, LogisticRegression(C=10, max_iter=250))), encode)


# The weights are the same for all sets, so that nothing of a set chooses them.
MEMBERS: dict[str, tuple[float, Member]] = {
    "fit_best": (0.5, kauri_best),
    "random trees": (0.25, _random_trees),
    "kernels": (0.25, _kernel),
}


class Teacher:
    """The weighted mean of the members, which are trained on the same rows."""

    def __init__(self, task: Task) -> None:
        self._members = [(share, member(task)) for share, member in MEMBERS.values()]

    def __call__(self, features: np.ndarray) -> np.ndarray:
        """Return predictions [n_rows], or probabilities [n_rows, n_classes]."""
        return np.sum([share * member(features) for share, member in self._members], axis=0)
