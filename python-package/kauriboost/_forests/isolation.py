"""Conversion of isolation forests: Liu, Ting & Zhou 2008."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from .document import Forest
from .trained import means_of, names_of, scaled, tree_of
from .trees import ForestTree


def from_isolation_forest(model: Any) -> Forest:
    """Return the mean path length: edges to the leaf, plus the mean path that its rows would still need."""
    trees = []
    for estimator, columns in zip(model.estimators_, model.estimators_features_):
        tree = estimator.tree_
        lengths = _depths(tree) + _mean_length(tree.n_node_samples)
        read: ForestTree = dataclasses.replace(tree_of(tree, means_of), values=lengths)
        own = np.where(tree.feature < 0, 0, np.asarray(columns)[np.maximum(tree.feature, 0)])
        trees.append(scaled(dataclasses.replace(read, feature=own), 1 / len(model.estimators_)))
    return Forest(
        trees, model.n_features_in_, "reg:squarederror", [0.0], trees_in_round=len(trees), feature_names=names_of(model)
    )


def _depths(tree: Any) -> np.ndarray:
    """Return the depth of each node; children have greater numbers than their parents."""
    depths = np.zeros(tree.node_count)
    for node in range(tree.node_count):
        for child in (tree.children_left[node], tree.children_right[node]):
            if child >= 0:
                depths[child] = depths[node] + 1
    return depths


def _mean_length(n_rows: np.ndarray) -> np.ndarray:
    """Return the mean path of an unsuccessful search in a binary tree of `n_rows` rows (their equation 1)."""
    n = np.asarray(n_rows, dtype=np.float64)
    many = np.maximum(n, 3)
    lengths = 2 * (np.log(many - 1) + np.euler_gamma) - 2 * (many - 1) / many
    return np.where(n > 2, lengths, np.where(n == 2, 1.0, 0.0))
