"""Trees of any library, represented as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._public import public

_FLOAT32 = np.finfo(np.float32)


@public("kauriboost.forests")
@dataclass(frozen=True)
class ForestTree:
    """A tree whose root is node 0.

    A node without children is a leaf. An inner node sends a row to the left if its feature is less than the threshold
    or, for a node with categories, if the feature is none of them. Missing values follow `default_left`.

    Attributes
    ----------
    left, right
        ``[n_nodes]``: node numbers of the children, -1 at leaves.
    feature
        ``[n_nodes]``: column numbers; any value at leaves.
    threshold
        ``[n_nodes]``, float32: see `thresholds_of` and `thresholds_of_doubles`.
    default_left
        ``[n_nodes]``: whether missing values go to the left.
    values
        ``[n_nodes]`` or ``[n_nodes, n_outputs]``: the leaf's contribution to the margins.
    cover
        ``[n_nodes]``: weight of the training rows that reached the node; SHAP values average with it.
    categories
        Mapping from nodes to the categories, whole numbers from 0, that go to the right.
    output
        The output of a tree with one value per leaf.
    """

    left: np.ndarray
    right: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    default_left: np.ndarray
    values: np.ndarray
    cover: np.ndarray
    categories: Mapping[int, np.ndarray] = field(default_factory=dict)
    output: int = 0

    @property
    def leaf_size(self) -> int:
        """The number of values per leaf."""
        return int(np.prod(self.values.shape[1:], dtype=int))


def leaf(value: Any, cover: float, output: int = 0) -> ForestTree:
    """Return a tree with a single leaf."""
    none = np.full(1, -1, dtype=np.int32)
    return ForestTree(none, none, np.zeros(1, np.int32), np.zeros(1, np.float32), np.zeros(1, np.uint8),
                      np.asarray([value], dtype=np.float64), np.full(1, cover), output=output)  # fmt: skip


def thresholds_of(at_most: np.ndarray) -> np.ndarray:
    """Return t' such that a float32 is less than t' if and only if it is at most t.

    For libraries that compare float32 rows, such as scikit-learn's forests; see also `thresholds_of_doubles`. The
    result is the float32 above the largest one that is at most t. If t is beyond the float32 range, t' is the largest
    float32, so that all smaller values go to the left.
    """
    limits = np.clip(np.asarray(at_most, dtype=np.float64), float(_FLOAT32.min), float(_FLOAT32.max))
    rounded = limits.astype(np.float32)
    with np.errstate(over="ignore", under="ignore"):  # expected at both ends and around 0, where the result is correct
        below = np.where(rounded > limits, np.nextafter(rounded, np.float32(-np.inf)), rounded)
        return np.minimum(np.nextafter(below, np.float32(np.inf)), _FLOAT32.max)


def thresholds_of_doubles(at_most: np.ndarray) -> np.ndarray:
    """Return t' such that the float32 nearest to x is less than t' if the float64 x is at most t.

    For libraries that compare float64 rows, such as LightGBM. Rows are rounded to the nearest float32 here, so t is
    rounded in the same way, and t' is the float32 above that. A larger x goes to the right unless it rounds to the same
    float32 as t. Values beyond the float32 range are treated as in `thresholds_of`.
    """
    limits = np.clip(np.asarray(at_most, dtype=np.float64), float(_FLOAT32.min), float(_FLOAT32.max))
    with np.errstate(over="ignore", under="ignore"):  # as above
        return np.minimum(np.nextafter(limits.astype(np.float32), np.float32(np.inf)), _FLOAT32.max)
