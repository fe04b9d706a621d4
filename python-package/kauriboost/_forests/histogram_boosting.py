"""scikit-learn's HistGradientBoosting.

Facts of its trees: nodes have the numbers of their children, 0 at leaves; categories are 256 bits for each node that
divides by them, of codes that an encoder gave to the values, and the encoder puts these columns first. A category that
was not there in training goes where missing values go.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._binding.errors import ModelError
from .document import Forest
from .learnt import link, names_of
from .trees import ForestTree, thresholds_of


class _Columns:
    """Which column of the caller's a column of the trees is, and what its codes stand for."""

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
        if encoder is not None:
            for place, values in enumerate(encoder.named_transformers_["encoder"].categories_):
                self._values[place] = self._whole(values, int(with_categories[place]))

    @staticmethod
    def _whole(values: np.ndarray, column: int) -> np.ndarray:
        """Return the categories of a column but for a missing one, which is last."""
        is_number = np.issubdtype(np.asarray(values).dtype, np.number)
        there = values[~np.isnan(values)] if is_number else values
        if not is_number or np.any(there < 0) or np.any(there != np.floor(there)):
            raise ModelError(
                f"column {column} has categories such as {values[0]!r}; models are read whose categories are whole "
                "numbers from 0 on. Fit on codes, for example those of a pandas category."
            )
        return there.astype(np.int64)

    def values_of(self, column: int, bits: np.ndarray) -> np.ndarray:
        """Return the caller's categories behind the bits that are set."""
        codes = np.flatnonzero(np.unpackbits(bits.astype("<u4").view(np.uint8), bitorder="little"))
        values = self._values[column]
        return values[codes[codes < len(values)]]

    def all_of(self, column: int) -> np.ndarray:
        return self._values[column]


def from_histogram_boosting(model: Any) -> Forest:
    """Return the sum of a boosted model's trees."""
    columns = _Columns(model)
    trees = [_tree(each, columns, output) for stage in model._predictors for output, each in enumerate(stage)]
    n_outputs = len(model._predictors[0])
    objective, scores = link(model, n_outputs, np.ravel(model._baseline_prediction).astype(np.float64))
    return Forest(
        trees,
        model.n_features_in_,
        objective,
        scores,
        n_classes=n_outputs if n_outputs > 1 else 0,
        trees_in_round=n_outputs,
        feature_names=names_of(model),
    )


def _tree(predictor: Any, columns: _Columns, output: int) -> ForestTree:
    nodes = predictor.nodes
    is_leaf = nodes["is_leaf"].astype(bool)
    missing_left = nodes["missing_go_to_left"].astype(bool)
    left, right = nodes["left"].astype(np.int64), nodes["right"].astype(np.int64)
    by_categories = nodes["is_categorical"].astype(bool) & ~is_leaf
    # Our sets go to the right and all else to the left, so a set is that of the side where missing values do not go.
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
        thresholds_of(np.where(is_leaf | by_categories, 0.0, nodes["num_threshold"])),
        missing_left | by_categories,
        nodes["value"].astype(np.float64),
        nodes["count"].astype(np.float64),
        categories,
        output,
    )
