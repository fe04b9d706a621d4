"""Conversion of YDF models, read through the package ydf, as their files are sequences of protocol buffers.

Facts about its trees: a condition that holds leads to the positive child, here the right one. Numbers are compared with
``>=`` as float32. Index 0 of a dictionary of categories stands for unknown ones. A leaf of a forest for classification
has the shares of all classes, or votes for one class if the winner takes all.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._binding.errors import ModelError
from .._data.categories import CategoryNames
from .document import Forest
from .trees import ForestTree

_MOST_CATEGORIES = 1 << 20


def forest_of_ydf(model: Any) -> Forest:
    """Return a gradient-boosted or random forest of YDF. Raises ModelError for what has no counterpart."""
    kind = type(model).__name__
    if kind not in ("GradientBoostedTreesModel", "RandomForestModel"):
        raise ModelError(f"a {kind} of YDF is not supported; expected gradient-boosted trees or a random forest.")
    return _boosted(model) if kind.startswith("Gradient") else _averaged(model)


def objective_of_ydf(model: Any) -> str:
    """Return the name of the task."""
    return str(model.task().name).lower()


def _boosted(model: Any) -> Forest:
    columns = _Columns(model)
    margins = np.asarray(model.initial_predictions(), dtype=np.float64)
    if "Loss: POISSON" in model.describe("text"):
        objective, scores = "count:poisson", np.exp(margins)
    else:
        links = {"IDENTITY": "reg:squarederror", "SIGMOID": "binary:logistic", "SOFTMAX": "multi:softprob"}
        objective = links[model.activation().name]
        scores = 1 / (1 + np.exp(-margins)) if objective == "binary:logistic" else margins
    n_outputs = model.num_trees_per_iteration()
    trees = [columns.tree(tree, _number, output % n_outputs) for output, tree in enumerate(model.iter_trees())]
    return Forest(trees, columns.n_features, objective, scores.tolist(), n_outputs, columns.names, columns.levels)


def _averaged(model: Any) -> Forest:
    task, n_trees = model.task().name, model.num_trees()
    if task not in ("REGRESSION", "CLASSIFICATION"):
        raise ModelError(f"a random forest of YDF for {task} is not supported; expected regression or classification.")
    columns = _Columns(model)
    takes_all = task == "CLASSIFICATION" and model.winner_takes_all()

    def mean(value: Any) -> Any:
        if task == "REGRESSION":
            return value.value / n_trees
        shares = np.asarray(value.probability, dtype=np.float64)
        shares = np.eye(len(shares))[shares.argmax()] if takes_all else shares
        return (shares[1:] if len(shares) == 2 else shares) / n_trees

    trees = [columns.tree(tree, mean) for tree in model.iter_trees()]
    scores = [0.0] * trees[0].leaf_size
    return Forest(
        trees,
        columns.n_features,
        "reg:squarederror",
        scores,
        trees_in_round=n_trees,
        feature_names=columns.names,
        category_names=columns.levels,
    )


def _number(value: Any) -> float:
    return float(value.value)


class _Columns:
    """The columns of a model, and the conversion of its trees."""

    def __init__(self, model: Any) -> None:
        self._place = {number: place for place, number in enumerate(model.input_features_col_idxs())}
        self.names = list(model.input_feature_names())
        self.n_features = len(self.names)
        specs = model.data_spec().columns
        self.levels: dict[int, CategoryNames] = {}
        for number, place in self._place.items():
            categories = specs[number].categorical
            if not categories.items:
                continue
            if categories.number_of_unique_values > _MOST_CATEGORIES:
                raise ModelError(f"column {specs[number].name!r} has too many categories.")
            levels = sorted(categories.items.items(), key=lambda item: item[1].index)
            self.levels[place] = [name for name, item in levels if item.index > 0]

    def tree(self, tree: Any, value_of: Any, output: int = 0) -> ForestTree:
        """Return a tree in our form, its nodes in the order of a walk that goes to the left first."""
        nodes: list[Any] = []
        children: list[list[int]] = []
        waiting: list[tuple[Any, int, int]] = [(tree.root, -1, 0)]
        while waiting:
            node, parent, side = waiting.pop()
            if parent >= 0:
                children[parent][side] = len(nodes)
            nodes.append(node)
            children.append([-1, -1])
            if not node.is_leaf:
                number, turned = len(nodes) - 1, _is_turned(node.condition)
                sides = (node.pos_child, node.neg_child) if turned else (node.neg_child, node.pos_child)
                waiting += [(sides[1], number, 1), (sides[0], number, 0)]
        splits = [None if node.is_leaf else node.condition for node in nodes]
        thresholds = [0.0 if split is None else _threshold(split) for split in splits]  # refuses other kinds of splits
        values = [value_of(node.value) if node.is_leaf else None for node in nodes]
        nothing = np.zeros_like(next(value for value in values if value is not None))
        return ForestTree(
            np.array([left for left, _ in children]),
            np.array([right for _, right in children]),
            np.array([0 if split is None else self._place[split.attribute] for split in splits]),
            np.array(thresholds, dtype=np.float32),
            np.array([split is not None and split.missing == _is_turned(split) for split in splits]),
            np.array([nothing if value is None else value for value in values]),
            np.array([node.value.num_examples for node in nodes], dtype=np.float32),
            {
                node: self._right_side(split)
                for node, split in enumerate(splits)
                if split is not None and _kind(split) == "CategoricalIsIn"
            },
            output,
        )

    def _right_side(self, split: Any) -> np.ndarray:
        """Return the codes that go to the right: those of the condition, or the others if it holds for unknown ones."""
        codes = np.array([index - 1 for index in split.mask if index > 0], dtype=np.int64)
        if not _is_turned(split):
            return codes
        return np.setdiff1d(np.arange(len(self.levels[self._place[split.attribute]])), codes)


def _kind(split: Any) -> str:
    return type(split).__name__.removesuffix("Condition")


def _is_turned(split: Any) -> bool:
    """Return whether the positive child is the left one: unknown categories, which the condition names, go there."""
    return _kind(split) == "CategoricalIsIn" and 0 in split.mask


def _threshold(split: Any) -> float:
    """Return the threshold of a split on numbers or truth values. Raises ModelError for other kinds of splits."""
    kind = _kind(split)
    if kind in ("CategoricalIsIn", "IsTrue"):
        return 0.5
    if kind != "NumericalHigherThan":
        raise ModelError(
            f"YDF's condition {type(split).__name__} has no counterpart here; only splits on numbers, truth values and "
            "categories have one. Train without it."
        )
    return float(split.threshold)
