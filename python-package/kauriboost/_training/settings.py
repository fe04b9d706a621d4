"""Which settings `fit_best` tries, in which order.

It begins with kinds of trees that differ enough for their mean to be better than each: shallow ones, ones with a random
threshold for each feature, ones with noise on their gains. Random thresholds come first where all features are numbers:
they are the best of the three on most such sets, and not where there are categories. With many classes
each tree is one of all of them: as good, in half the time. Every change is then tried on top of the best setting so far
and stays where it brings something. Nothing that the user has given is changed, and lower learning rates come last:
they cost most, and end as soon as one brings nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_SHALLOW: Mapping[str, Any] = {"eta": 0.1, "max_depth": 5, "subsample": 0.8, "colsample_bytree": 0.8}
_DRAWN: Mapping[str, Any] = {"eta": 0.1, "max_depth": 6, "subsample": 0.8, "extra_trees": 1}
_NOISY: Mapping[str, Any] = {**_SHALLOW, "random_strength": 2}
_MANY_CLASSES = 11  # of fewer, trees of all of them took longer than a tree for each
# A leaf says more than a number.
_OF_CLASSES: Mapping[str, Any] = {"multi_strategy": "multi_output_tree", "max_depth": 8}

_OF_TREES: tuple[Mapping[str, Any], ...] = (
    {"colsample_bytree": 1, "colsample_bynode": 0.5},
    {"lambda": 5},
    {"max_depth": 4},
    {"max_depth": 8},
    {"min_child_weight": 10},
)
_OF_NUMBERS: tuple[Mapping[str, Any], ...] = ({"grow_policy": "symmetric", "extra_trees": 0},)
_OF_CATEGORIES: tuple[Mapping[str, Any], ...] = ({"cat_l2": 10},)
_OF_RATES: tuple[Mapping[str, Any], ...] = ({"eta": 0.05}, {"eta": 0.025})


def kinds(has_categories: bool, n_classes: int) -> list[Mapping[str, Any]]:
    """Return the kinds of trees to begin with; `n_classes`: 0 where the labels are no classes, or two."""
    if n_classes >= _MANY_CLASSES:
        return [{**kind, **_OF_CLASSES} for kind in (_SHALLOW, _DRAWN, _NOISY)]
    return [_SHALLOW, _DRAWN, _NOISY] if has_categories else [_DRAWN, _SHALLOW, _NOISY]


def changes(has_categories: bool) -> list[Mapping[str, Any]]:
    """Return the changes to try, in their order, but for those of the learning rate."""
    return [*_OF_TREES, *(_OF_CATEGORIES if has_categories else _OF_NUMBERS)]


def rates() -> list[Mapping[str, Any]]:
    """Return the learning rates to try after that."""
    return list(_OF_RATES)


def without(setting: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a setting without what the user has given."""
    return {name: value for name, value in setting.items() if name not in given}
