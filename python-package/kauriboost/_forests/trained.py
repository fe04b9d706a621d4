"""Common parts of the conversions of scikit-learn's models."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .trees import ForestTree, thresholds_of


def link(model: Any, n_outputs: int, margins: np.ndarray) -> tuple[str, Sequence[float]]:
    """Return the objective with the link of a boosted model, and the base score for these margins."""
    if n_outputs > 1:
        return "multi:softprob", margins.tolist()
    if hasattr(model, "classes_"):
        return "binary:logistic", (1 / (1 + np.exp(-margins))).tolist()
    if model.loss in {"poisson", "gamma"}:
        return "count:poisson" if model.loss == "poisson" else "reg:gamma", np.exp(margins).tolist()
    return "reg:squarederror", margins.tolist()


def names_of(model: Any) -> Sequence[str]:
    """Return the column names, if the model was fitted with names."""
    return list(getattr(model, "feature_names_in_", ()))


def means_of(value: np.ndarray) -> np.ndarray:
    """Return the outputs of a regressor's nodes, ``[n_nodes, n_outputs]``."""
    return np.asarray(value[:, :, 0])


def tree_of(tree: Any, values: Callable[[np.ndarray], np.ndarray], output: int = 0) -> ForestTree:
    """Return an estimator's `tree_` in our form."""
    missing = getattr(tree, "missing_go_to_left", np.zeros(tree.node_count, dtype=np.uint8))
    return ForestTree(
        tree.children_left,
        tree.children_right,
        tree.feature,
        thresholds_of(tree.threshold),
        missing,
        values(tree.value),
        tree.weighted_n_node_samples,
        output=output,
    )


def scaled(tree: ForestTree, factor: float) -> ForestTree:
    """Return a tree with its leaf values multiplied by `factor`."""
    return dataclasses.replace(tree, values=np.asarray(tree.values, dtype=np.float64) * factor)
