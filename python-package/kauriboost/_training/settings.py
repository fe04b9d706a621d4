"""Which settings `fit_best` tries, in which order.

It begins with kinds of trees that differ enough for their mean to be better than each: shallow ones, ones with a random
threshold for each feature, ones with noise on their gains. Random thresholds come first where all features are numbers:
they are the best of the three on most such sets, and not where there are categories. They are random enough without
samples of the rows, and lose less on the way down than others: a level more pays. Their leaves, whose rows were not
sought out, need less holding back. Trees are of all classes: better than a tree for each, in less time. Their children
need as much hessian in the mean of the classes as others need in all, and where a model is sure of most rows few
classes have any, so they are asked for less. Classes begin at twice the learning rate of other labels, since the
hessian of softmax is twice its curvature, which halves every step. Every change is then tried on top of the best
setting so far and stays where it brings something. Nothing that the user has given is changed, and lower learning rates
come last: they cost most, and end as soon as one brings nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_SHALLOW: Mapping[str, Any] = {"max_depth": 5, "subsample": 0.8, "colsample_bytree": 0.8}
_DRAWN: Mapping[str, Any] = {"max_depth": 7, "extra_trees": 1, "lambda": 0.3}
_NOISY: Mapping[str, Any] = {**_SHALLOW, "random_strength": 2}
_OF_CLASSES: Mapping[str, Any] = {
    "multi_strategy": "multi_output_tree",
    "min_child_weight": 0.1,
    "colsample_bytree": 0.7,
}

_OF_TREES: tuple[Mapping[str, Any], ...] = (
    {"colsample_bytree": 1, "colsample_bynode": 0.5},
    {"lambda": 5},
    {"max_depth": 4},
    {"max_depth": 8},
    {"min_child_weight": 10},
)
_OF_NUMBERS: tuple[Mapping[str, Any], ...] = ({"grow_policy": "symmetric", "extra_trees": 0},)
_OF_CATEGORIES: tuple[Mapping[str, Any], ...] = ({"cat_l2": 10},)
_LOWER_RATES = (0.5, 0.25)  # of the first


def kinds(has_categories: bool, n_classes: int, shares_trees: bool) -> list[Mapping[str, Any]]:
    """Return the kinds of trees to begin with.

    Parameters
    ----------
    has_categories
        Whether there are features that are categories.
    n_classes
        0 where the labels are no classes, or two.
    shares_trees
        Whether trees may be of all classes.
    """
    first = [_SHALLOW, _DRAWN, _NOISY] if has_categories else [_DRAWN, _SHALLOW, _NOISY]
    of_classes = _OF_CLASSES if shares_trees and n_classes > 1 else {}
    return [{"eta": _first_rate(n_classes), **kind, **of_classes} for kind in first]


def changes(has_categories: bool, has_vectors: bool) -> list[Mapping[str, Any]]:
    """Return the changes to try, in their order, but for those of the learning rate.

    Parameters
    ----------
    has_categories
        As in `kinds`.
    has_vectors
        Whether leaves hold vectors, which those of symmetric trees do not.
    """
    if has_categories:
        return [*_OF_TREES, *_OF_CATEGORIES]
    return [*_OF_TREES, *(() if has_vectors else _OF_NUMBERS)]


def rates(n_classes: int) -> list[Mapping[str, Any]]:
    """Return the learning rates to try after that; `n_classes` as in `kinds`."""
    return [{"eta": part * _first_rate(n_classes)} for part in _LOWER_RATES]


def _first_rate(n_classes: int) -> float:
    return 0.2 if n_classes > 1 else 0.1


def without(setting: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a setting without what the user has given."""
    return {name: value for name, value in setting.items() if name not in given}
