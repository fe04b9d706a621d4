"""Conversion of LightGBM models from their text format.

Facts about the format: inner nodes are numbered without leaves, and a child below 0 is the leaf ~child. Bit 0 of
`decision_type` marks a split on categories, bit 1 sends missing values to the left, and bits 2 and 3 define what is
missing: nothing (NaN is compared as 0), zeros, or NaN. A node's categories go to its left, all others and NaN to its
right.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from .._binding.errors import ModelError
from .._data.categories import CategoryNames
from .._model.booster import Booster
from .._public import public
from .document import Forest, category_names, model_bytes
from .trees import ForestTree, leaf, thresholds_of_doubles

_OBJECTIVES = {
    "regression": "reg:squarederror",
    "regression_l1": "reg:squarederror",
    "huber": "reg:squarederror",
    "fair": "reg:squarederror",
    "quantile": "reg:squarederror",
    "mape": "reg:squarederror",
    "lambdarank": "reg:squarederror",
    "rank_xendcg": "reg:squarederror",
    "binary": "binary:logistic",
    "multiclassova": "binary:logistic",
    "cross_entropy": "binary:logistic",
    "multiclass": "multi:softprob",
    "poisson": "count:poisson",
    "gamma": "reg:gamma",
    "tweedie": "reg:tweedie",
}
_MOST_WAYS = 100_000
_MARGIN_OF_ZERO = {"binary:logistic": 0.5, "count:poisson": 1.0, "reg:gamma": 1.0, "reg:tweedie": 1.0}


@public("kauriboost.forests")
def from_lightgbm(model: Any) -> Booster:
    """Convert a LightGBM model to one of ours, which can be predicted, explained, saved and drawn like any other.

    Rows are float32 here, and LightGBM compares them as float64: values above a threshold take the same branch as in
    LightGBM unless they round to the same float32. Names of categories are converted, and rows are matched by name. A
    level unknown to the model is treated as in models that were trained here. LightGBM replaces each space in a
    column's name by an underscore; set ``feature_names`` of the result to the names of the data. Objectives without a
    link, whose predictions are sums of leaves, become ``reg:squarederror``.

    Parameters
    ----------
    model
        A ``lightgbm.Booster``, a fitted estimator of LightGBM, or the path of a file that it saved.

    Raises
    ------
    ModelError
        Linear leaves, ``zero_as_missing``, an unknown objective, names of categories whose columns are ambiguous in the
        file, or a text that is not a model.
    """
    text = _text_of(model)
    head, *parts = text.split("\nTree=")
    if not parts:
        raise ModelError("this is no model of LightGBM, or one without a tree: no line of it begins with 'Tree='.")
    header = _fields(head)
    if not head.startswith("tree\n"):
        raise ModelError(f"this is no model of LightGBM: its text begins with {head[:20]!r} instead of a line 'tree'.")
    n_features = _whole(header, "max_feature_idx", 0) + 1
    n_in_round = _whole(header, "num_tree_per_iteration", 1)
    if len(parts) % n_in_round:
        raise ModelError(f"a model of LightGBM has {len(parts)} trees and num_tree_per_iteration={n_in_round}.")
    objective, scale = _objective(header.get("objective", "regression"))
    if "average_output" in head.split("\n"):
        scale /= len(parts) // n_in_round
    names = _category_names(text, header, n_features)
    trees = [_by_sets(_tree(_fields(part), scale, number % n_in_round), names) for number, part in enumerate(parts)]
    forest = Forest(
        trees,
        n_features,
        objective,
        [_MARGIN_OF_ZERO.get(objective, 0.0)] * n_in_round,
        n_classes=n_in_round if objective == "multi:softprob" else 0,
        trees_in_round=n_in_round,
        feature_names=_names(header, n_features),
        category_names=names,
    )
    return Booster(model_file=bytearray(model_bytes(forest)))


def _text_of(model: Any) -> str:
    if isinstance(model, (str, os.PathLike)):
        return Path(model).read_text(encoding="utf-8")
    booster = getattr(model, "booster_", model)
    if not hasattr(booster, "model_to_string"):
        raise ModelError(
            f"a {type(model).__name__} is no model of LightGBM. Give its Booster, a fitted estimator of it, or the "
            "path of a file that it saved."
        )
    return str(booster.model_to_string())


def _fields(text: str) -> dict[str, str]:
    """Return the NAME=VALUE lines up to the first empty line."""
    lines = (line.partition("=") for line in text.split("\n\n", maxsplit=1)[0].split("\n"))
    return {name: value for name, is_one, value in lines if is_one}


def _names(header: dict[str, str], n_features: int) -> list[str]:
    """Return the column names, or none if they are LightGBM's default names."""
    names = header.get("feature_names", "").split(" ")
    if len(names) != n_features:
        raise ModelError(f"a model of LightGBM has {n_features} columns and {len(names)} names of columns.")
    return [] if names == [f"Column_{column}" for column in range(n_features)] else names


_CATEGORIES = "\npandas_categorical:"


def _category_names(text: str, header: dict[str, str], n_features: int) -> dict[int, CategoryNames]:
    """Return the names of categories by column. A model of frames has one list per categorical column, in order.

    Raises
    ------
    ModelError
        The lists are malformed, or could belong to several columns.
    """
    _, is_there, line = text.rpartition(_CATEGORIES)
    try:
        lists = json.loads(line) if is_there else None
    except ValueError as error:
        raise ModelError(f"a model of LightGBM has names of categories that are no JSON: {error}.") from error
    if not lists:
        return {}
    if not isinstance(lists, list) or not all(isinstance(levels, list) for levels in lists):
        raise ModelError(f"a model of LightGBM has names of categories that are no lists: {line[:60]!r}.")
    columns = _columns_of(lists, header.get("feature_infos", "").split(" "), n_features)
    return {column: category_names(levels, f"column {column}") for column, levels in zip(columns, lists) if levels}


def _columns_of(lists: list[list[Any]], infos: list[str], n_features: int) -> tuple[int, ...]:
    """Return the column of each list, which the file does not state.

    A column split by categories has in `feature_infos` a list of its values, -1:0:2. A column of ordered categories has
    a range of codes, [0:2], and one with a single value has no entry. Columns with lists of values come first; others
    are considered if these are too few.
    """
    if len(infos) != n_features:
        raise ModelError(f"a model of LightGBM has {n_features} columns and {len(infos)} feature_infos.")
    sure = [column for column, info in enumerate(infos) if info[:1] not in "[n"]
    if len(sure) == len(lists) and all(map(_fits, lists, (infos[column] for column in sure))):
        return tuple(sure)
    possible = [column for column, info in enumerate(infos) if any(_fits(levels, info) for levels in lists)]
    ways: list[tuple[int, ...]] = []
    for columns in itertools.islice(itertools.combinations(possible, len(lists)), _MOST_WAYS):
        if set(sure) <= set(columns) and all(map(_fits, lists, (infos[column] for column in columns))):
            ways.append(columns)
    if len(ways) != 1 or math.comb(len(possible), len(lists)) > _MOST_WAYS:
        raise ModelError(
            f"the model names the categories of {len(lists)} columns, but its file does not say which columns: some "
            "are ordered or have one value only. Fit it on unordered categories, or on their codes."
        )
    return ways[0]


def _fits(levels: list[Any], info: str) -> bool:
    """Return whether the entry of a column in `feature_infos` is consistent with codes of these levels."""
    if info == "none":
        return True
    try:
        values = [float(value) for value in info.strip("[]").split(":")]
    except ValueError:
        return False
    return all(value.is_integer() and -1 <= value < len(levels) for value in values)


def _by_sets(tree: ForestTree, names: dict[int, CategoryNames]) -> ForestTree:
    """Return a tree whose splits on codes of ordered categories are replaced by splits on sets."""
    categories = dict(tree.categories)
    for node in np.flatnonzero(np.isin(tree.feature, list(names)) & (np.asarray(tree.left) >= 0)):
        if int(node) not in categories:
            codes = np.arange(len(names[int(tree.feature[node])]))
            categories[int(node)] = codes[codes.astype(np.float32) >= tree.threshold[node]]
    return dataclasses.replace(tree, categories=categories)


def _objective(told: str) -> tuple[str, float]:
    """Return our objective with the same link, and the factor to multiply leaf values by."""
    name, *options = told.split(" ")
    values = dict(option.partition(":")[::2] for option in options)
    if name not in _OBJECTIVES or "sqrt" in options:
        raise ModelError(
            f"LightGBM's objective {told!r} has no counterpart with the same link here. Known are "
            f"{', '.join(sorted(_OBJECTIVES))}, without 'sqrt'."
        )
    return _OBJECTIVES[name], _number(values.get("sigmoid", "1"))


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise ModelError(f"a model of LightGBM has the sigmoid {text!r}, which is no number.") from error


def _tree(fields: dict[str, str], scale: float, output: int) -> ForestTree:
    """Return a tree with its inner nodes in order, followed by its leaves."""
    if fields.get("is_linear", "0") != "0":
        raise ModelError("linear leaves of LightGBM (linear_tree) have no counterpart here. Train without them.")
    leaf_values = _numbers(fields, "leaf_value", np.float64) * scale
    n_leaves = _whole(fields, "num_leaves", 1)
    if len(leaf_values) != n_leaves:
        raise ModelError(f"a tree of LightGBM has {n_leaves} leaves and {len(leaf_values)} values of leaves.")
    if n_leaves == 1:
        return leaf(leaf_values[0], 1.0, output)  # the format has no row count here
    n_inner = n_leaves - 1
    kinds = _numbers(fields, "decision_type", np.int64)
    thresholds = _numbers(fields, "threshold", np.float64)
    children = [_numbers(fields, name, np.int64) for name in ("left_child", "right_child")]
    counts = _numbers(fields, "internal_count", np.float64), _numbers(fields, "leaf_count", np.float64)
    of_nodes = (kinds, thresholds, *children, counts[0])
    if any(len(each) != n_inner for each in of_nodes) or len(counts[1]) != n_leaves:
        raise ModelError(f"a tree of LightGBM with {n_leaves} leaves needs {n_inner} values of each field of nodes.")
    by_categories = (kinds & 1) == 1
    missing = (kinds >> 2) & 3
    if np.any((missing == 1) & ~by_categories):
        raise ModelError("zeros that are missing values (LightGBM's zero_as_missing) have no counterpart here.")
    left, right = (np.where(each < 0, n_inner + ~each, each) for each in children)
    left, right = np.where(by_categories, right, left), np.where(by_categories, left, right)
    default_left = np.where(missing == 2, (kinds & 2) == 2, thresholds >= 0) | by_categories
    return ForestTree(
        np.append(left, np.full(n_leaves, -1)),
        np.append(right, np.full(n_leaves, -1)),
        np.append(_numbers(fields, "split_feature", np.int64), np.zeros(n_leaves, np.int64)),
        np.append(thresholds_of_doubles(thresholds), np.zeros(n_leaves, np.float32)),
        np.append(default_left, np.zeros(n_leaves, dtype=bool)),
        np.append(np.zeros(n_inner), leaf_values),
        np.concatenate(counts),
        dict(_categories(fields, by_categories, thresholds)),
        output,
    )


def _whole(fields: dict[str, str], name: str, least: int) -> int:
    """Return the number in a field."""
    text = fields.get(name, "")
    if not text.isascii() or not text.isdigit() or int(text) < least:
        raise ModelError(
            f"a model of LightGBM has {name}={text!r} where a whole number of at least {least} is expected."
        )
    return int(text)


def _numbers(fields: dict[str, str], name: str, kind: Any) -> np.ndarray:
    """Return the numbers in a field."""
    try:
        return np.array(fields[name].split(), dtype=kind)
    except (KeyError, ValueError, OverflowError) as error:
        raise ModelError(f"a tree of LightGBM without a readable {name!r}: {error}.") from error


def _categories(fields: dict[str, str], by_categories: np.ndarray, thresholds: np.ndarray) -> Iterator[tuple[int, Any]]:
    """Yield each node that splits on categories, with the categories of its left side, decoded from 32-bit words."""
    nodes = np.flatnonzero(by_categories)
    if not len(nodes):
        return
    bounds = _numbers(fields, "cat_boundaries", np.int64)
    words = _numbers(fields, "cat_threshold", np.int64).astype(np.uint32)
    for node in nodes:
        place = int(np.nan_to_num(thresholds[node], nan=-1))
        if not 0 <= place < len(bounds) - 1 or not 0 <= bounds[place] <= bounds[place + 1] <= len(words):
            raise ModelError(f"node {node} of a tree of LightGBM names set {place} of categories, which is not there.")
        own = words[bounds[place] : bounds[place + 1]]
        yield int(node), np.flatnonzero(np.unpackbits(own.astype("<u4").view(np.uint8), bitorder="little"))
