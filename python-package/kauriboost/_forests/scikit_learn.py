"""Conversion of scikit-learn models that are sums or means of trees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._binding.errors import ModelError
from .._model.booster import Booster
from .._public import public
from .document import Forest, booster_of
from .histogram_boosting import from_histogram_boosting
from .isolation import from_isolation_forest
from .trained import link, means_of, names_of, scaled, tree_of

_EXPONENTIAL_LINK = 2.0  # its probability is expit(2 margin)


@public("kauriboost.forests")
def from_sklearn(model: Any) -> Booster:
    """Convert a fitted tree model of scikit-learn to ours, to be predicted, explained, saved and drawn like our models.

    - Decision trees, extra trees and random forests for regression: the mean, ``[n_rows, n_outputs]`` for several
      outputs.
    - The same for classification: the probability of the second of two classes, or of all classes if there are more, in
      the order of ``classes_``.
    - ``GradientBoosting...`` and ``HistGradientBoosting...``: means; probabilities as above.
    - ``IsolationForest``: the mean path length of a row. Its ``score_samples`` is ``-2 ** (-length / c)`` with c the
      mean length for ``max_samples`` rows.

    Rows are float32, as in scikit-learn's own trees. ``HistGradientBoosting`` compares float64: values above a
    threshold take the same branch as there unless they round to the same float32. The names of its categories are
    converted.

    Parameters
    ----------
    model
        A fitted estimator.

    Raises
    ------
    ModelError
        An unsupported estimator, a classifier of several label columns, an initial prediction by a model, or categories
        that are numbers with fractions.
    """
    kinds: dict[str, Callable[[Any], Forest]] = {
        "GradientBoostingRegressor": _gradient_boosting,
        "GradientBoostingClassifier": _gradient_boosting,
        "HistGradientBoostingRegressor": from_histogram_boosting,
        "HistGradientBoostingClassifier": from_histogram_boosting,
        "IsolationForest": from_isolation_forest,
        **dict.fromkeys(
            ("RandomForestRegressor", "RandomForestClassifier", "ExtraTreesRegressor", "ExtraTreesClassifier"), _mean
        ),
        **dict.fromkeys(
            ("DecisionTreeRegressor", "DecisionTreeClassifier", "ExtraTreeRegressor", "ExtraTreeClassifier"), _mean
        ),
    }
    names = (kind.__name__ for kind in type(model).__mro__ if kind.__module__.startswith("sklearn."))
    reader = next((kinds[name] for name in names if name in kinds), None)
    if reader is None:
        raise ModelError(
            f"a {type(model).__name__} is not a supported model; expected one of: {', '.join(sorted(kinds))}."
        )
    if not hasattr(model, "n_features_in_"):
        raise ModelError(f"this {type(model).__name__} is not fitted. Call its fit first.")
    return booster_of(reader(model))


def _mean(model: Any) -> Forest:
    """Return a forest of the mean of a model's trees, or of its single tree."""
    trees = [each.tree_ for each in getattr(model, "estimators_", [model])]
    n_classes = getattr(model, "n_classes_", None)
    if n_classes is not None and np.ndim(n_classes):
        raise ModelError("a classifier of several label columns is not supported. Fit one for each column.")
    values = _probabilities if n_classes else means_of
    parts = [scaled(tree_of(tree, values), 1 / len(trees)) for tree in trees]
    return Forest(
        parts,
        model.n_features_in_,
        "reg:squarederror",
        [0.0] * parts[0].leaf_size,
        trees_in_round=len(parts),
        feature_names=names_of(model),
    )


def _probabilities(value: np.ndarray) -> np.ndarray:
    """Return the second of two probabilities, else all, from class weights ``[n_nodes, 1, n_classes]``."""
    shares = value[:, 0, :] / value[:, 0, :].sum(axis=1, keepdims=True)
    return np.asarray(shares[:, 1:] if shares.shape[1] == 2 else shares)


def _gradient_boosting(model: Any) -> Forest:
    """Return a sum of regression trees with an initial prediction."""
    if model.init_ != "zero" and not type(model.init_).__name__.startswith("Dummy"):
        raise ModelError(
            f"GradientBoosting begins with the predictions of a {type(model.init_).__name__}, which is no tree. Fit it "
            "with init=None or init='zero'."
        )
    scale = model.learning_rate * (_EXPONENTIAL_LINK if model.loss == "exponential" else 1.0)
    trees = [
        scaled(tree_of(each.tree_, means_of, output), scale)
        for stage in model.estimators_
        for output, each in enumerate(stage)
    ]
    n_outputs = model.estimators_.shape[1]
    objective, scores = link(model, n_outputs, _first_margins(model) * scale / model.learning_rate)
    return Forest(
        trees,
        model.n_features_in_,
        objective,
        scores,
        trees_in_round=n_outputs,
        feature_names=names_of(model),
    )


def _first_margins(model: Any) -> np.ndarray:
    """Return the model's margins without its trees, computed from an arbitrary row."""
    row = np.zeros((1, model.n_features_in_), dtype=np.float32)
    margins = np.ravel(model._raw_predict(row)).astype(np.float64)  # predict() warns if the model was fitted with names
    steps = np.array([[each.tree_.predict(row)[0, 0] for each in stage] for stage in model.estimators_])
    return np.asarray(margins - model.learning_rate * steps.sum(axis=0))
