"""Conversion of scikit-learn's HistGradientBoosting.

Facts about its trees: nodes have the numbers of their children, 0 at leaves. A split on categories has a set of 256
bits over codes from an encoder, and the encoder puts categorical columns first. A category that was not in the training
data takes the branch of missing values.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._data.categories import CategoryNames
from .document import Forest, category_names
from .trained import link, names_of
from .trees import ForestTree, thresholds_of_doubles

_MOST_NAMED = 65536


class _Columns:
    """Mapping from the columns of the trees to the caller's columns, and from codes to category values."""

    def __init__(self, model: Any) -> None:
        encoder = getattr(model, "_preprocessor", None)
        with_categories = (
            np.flatnonzero(model.is_categorical_) if model.is_categorical_ is not None else np.empty(0, int)
        )
        others = np.setdiff1d(np.arange(model.n_features_in_), with_categories)
        self.numbers = (
            np.concatenate([with_categories, others]) if encoder is not None else np.arange(model.n_features_in_)
        )
        self._values: dict[int, np.ndarray] = {}
        self.names: dict[int, CategoryNames] = {}
        if encoder is not None:
            for place, values in enumerate(encoder.named_transformers_["encoder"].categories_):
                self._take(model, place, int(with_categories[place]), values)

    def _take(self, model: Any, place: int, column: int, values: Any) -> None:
        """Store the categories of a column, except a missing one, which is last.

        Categories of a frame have names, and their codes are identified by these. Whole numbers in an array are codes
        themselves. If the user listed the categorical columns of a frame, the column may hold either, so each number is
        its own name.
        """
        there = [value for value in np.asarray(values).tolist() if value is not None and value == value]
        names = category_names(there, f"column {column}")
        are_codes = all(isinstance(name, int) and name >= 0 for name in names)
        by_dtype = isinstance(model.categorical_features, str)
        if by_dtype or not are_codes:
            self._values[place], self.names[column] = np.arange(len(names)), names
            return
        self._values[place] = np.array(names, dtype=np.int64)
        largest = int(self._values[place].max(initial=0))
        if hasattr(model, "feature_names_in_") and largest < _MOST_NAMED:
            self.names[column] = list(range(largest + 1))

    def values_of(self, column: int, bits: np.ndarray) -> np.ndarray:
        """Return the caller's categories whose bits are set."""
        codes = np.flatnonzero(np.unpackbits(bits.astype("<u4").view(np.uint8), bitorder="little"))
        values = self._values[column]
        return values[codes[codes < len(values)]]

    def all_of(self, column: int) -> np.ndarray:
        return self._values[column]


def from_histogram_boosting(model: Any) -> Forest:
    """Return a boosted model as a forest, the sum of its trees."""
    columns = _Columns(model)
    trees = [_tree(each, columns, output) for stage in model._predictors for output, each in enumerate(stage)]
    n_outputs = len(model._predictors[0])
    objective, scores = link(model, n_outputs, np.ravel(model._baseline_prediction).astype(np.float64))
    return Forest(
        trees,
        model.n_features_in_,
        objective,
        scores,
        trees_in_round=n_outputs,
        feature_names=names_of(model),
        category_names=columns.names,
    )


def _tree(predictor: Any, columns: _Columns, output: int) -> ForestTree:
    nodes = predictor.nodes
    is_leaf = nodes["is_leaf"].astype(bool)
    missing_left = nodes["missing_go_to_left"].astype(bool)
    left, right = nodes["left"].astype(np.int64), nodes["right"].astype(np.int64)
    by_categories = nodes["is_categorical"].astype(bool) & ~is_leaf
    # Our sets go to the right, all else and missing values to the left. So a set is the side without missing values.
    turned = by_categories & ~missing_left
    left, right = np.where(turned, right, left), np.where(turned, left, right)
    categories = {}
    for node in np.flatnonzero(by_categories):
        column = int(nodes["feature_idx"][node])
        own = columns.values_of(column, predictor.raw_left_cat_bitsets[nodes["bitset_idx"][node]])
        categories[int(node)] = own if turned[node] else np.setdiff1d(columns.all_of(column), own)
    return ForestTree(
        np.where(is_leaf, -1, left),
        np.where(is_leaf, -1, right),
        columns.numbers[np.where(is_leaf, 0, nodes["feature_idx"])],
        thresholds_of_doubles(np.where(is_leaf | by_categories, 0.0, nodes["num_threshold"])),
        missing_left | by_categories,
        nodes["value"].astype(np.float64),
        nodes["count"].astype(np.float64),
        categories,
        output,
    )
