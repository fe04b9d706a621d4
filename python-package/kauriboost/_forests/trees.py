"""Trees of any library, as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._binding.errors import ModelError
from .._public import public

_FLOAT32 = np.finfo(np.float32)
_MOST_FEATURES = 2**31
_MOST_CATEGORIES = 2**24  # those that float32 tells apart


@public("kauriboost.forests")
@dataclass(frozen=True)
class ForestTree:
    """A tree whose root is node 0.

    A node without children is a leaf. Another one sends a row to the left where its feature is less than the
    threshold or, for a node with categories, where the feature is none of them; what is missing goes where
    `default_left` says.

    Attributes
    ----------
    left, right
        ``[n_nodes]``: numbers of the children, -1 at leaves.
    feature
        ``[n_nodes]``: number of a column; anything at leaves.
    threshold
        ``[n_nodes]``, float32: see `thresholds_of` and `thresholds_of_doubles`.
    default_left
        ``[n_nodes]``: whether missing values go to the left.
    values
        ``[n_nodes]`` or ``[n_nodes, n_outputs]``: what a leaf adds to the margins.
    cover
        ``[n_nodes]``: weight of the training rows that came by; SHAP values average with it.
    categories
        Node to the categories, whole numbers from 0 on, that go to the right.
    output
        The margin that a tree of one value a leaf adds to.
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

    def __post_init__(self) -> None:
        n_nodes = len(self.left)
        for name in ("right", "feature", "threshold", "default_left", "values", "cover"):
            n = len(getattr(self, name))
            if n != n_nodes:
                raise ModelError(
                    f"a tree has {n_nodes} nodes in `left` and {n} in `{name}`. Give a value for each node."
                )
        for name, values, limit in (
            ("left", self.left, n_nodes),
            ("right", self.right, n_nodes),
            ("feature", self.feature, _MOST_FEATURES),
            ("categories", np.array(list(self.categories)), n_nodes),
            *(("a set of categories", each, _MOST_CATEGORIES) for each in self.categories.values()),
        ):
            least = 0 if "categories" in name else -np.inf  # leaves have what they have
            wrong = np.asarray(values)[(np.asarray(values) >= limit) | (np.asarray(values) < least)]
            if len(wrong):
                raise ModelError(f"a tree of {n_nodes} nodes has {wrong[0]} in `{name}`; expected at most {limit - 1}.")

    @property
    def leaf_size(self) -> int:
        """Values of a leaf."""
        return int(np.prod(self.values.shape[1:], dtype=int))


def leaf(value: Any, cover: float, output: int = 0) -> ForestTree:
    """Return a tree that is a leaf."""
    none = np.full(1, -1, dtype=np.int32)
    return ForestTree(none, none, np.zeros(1, np.int32), np.zeros(1, np.float32), np.zeros(1, np.uint8),
                      np.asarray([value], dtype=np.float64), np.full(1, cover), output=output)  # fmt: skip


def thresholds_of(at_most: np.ndarray) -> np.ndarray:
    """Return t' such that a float32 is less than t' exactly where it is at most t.

    Libraries that compare float32 rows, as scikit-learn's forests do, need this one; see also `thresholds_of_doubles`.
    That is the float32 above the largest one that is not above t. Where there is none, of t beyond what float32 has,
    t' is the largest float32, so that all smaller ones go to the left.
    """
    limits = np.clip(np.asarray(at_most, dtype=np.float64), float(_FLOAT32.min), float(_FLOAT32.max))
    rounded = limits.astype(np.float32)
    with np.errstate(over="ignore", under="ignore"):  # at both ends and around 0, where it is right
        below = np.where(rounded > limits, np.nextafter(rounded, np.float32(-np.inf)), rounded)
        return np.minimum(np.nextafter(below, np.float32(np.inf)), _FLOAT32.max)


def thresholds_of_doubles(at_most: np.ndarray) -> np.ndarray:
    """Return t' such that the float32 nearest to x is less than t' where the float64 x is at most t.

    Libraries that compare float64 rows, as LightGBM does, need this one: rows are rounded to the nearest float32 here,
    so t is rounded in the same way, and t' is the float32 above that. A larger x goes to the right unless it has the
    same float32 as t. The ends are those of `thresholds_of`.
    """
    limits = np.clip(np.asarray(at_most, dtype=np.float64), float(_FLOAT32.min), float(_FLOAT32.max))
    with np.errstate(over="ignore", under="ignore"):  # as above
        return np.minimum(np.nextafter(limits.astype(np.float32), np.float32(np.inf)), _FLOAT32.max)


def columns_with_categories(trees: Iterable[ForestTree]) -> list[int]:
    """Return the columns that some node divides by categories, in order."""
    return sorted({int(tree.feature[node]) for tree in trees for node in tree.categories})
