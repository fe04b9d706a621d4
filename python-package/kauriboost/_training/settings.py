"""The settings that `fit_best` tries, in order.

The search begins with kinds of trees that differ enough for their mean to be better than each alone: shallow trees,
trees with a random threshold for each feature, and trees with noise on their gains. Random thresholds come first if all
features are numbers. They are the best of the three on most such data sets, but not on data with categories. They are
random enough without row sampling and lose less at greater depth than others, so one more level pays off. Their leaves
were not chosen to fit their rows, so they need less regularisation. If the labels are numbers, symmetric trees race
with random thresholds: on some data sets they are far better, on others worse by as much. Both use high learning rates
there, because two kinds share one budget. On few rows a round is cheap and patience ends sooner, so smaller steps are
better, and symmetric trees with fewer levels and row sampling. If many features are categories, symmetric trees come
after shallow trees and random thresholds, without a race, because shallow trees win short races there and lose long
ones.

With several classes each tree covers all classes, which is better than a tree per class and faster. The minimum hessian
of a child applies to the mean over the classes instead of one output. Few classes have any hessian once a model is sure
of most rows, so the minimum is smaller. If all features are numbers, the first trees of classes are symmetric, with a
random threshold for each feature and level. Most multi-class data sets are learnt better by these, one level deeper and
without column sampling. Classes begin at twice the learning rate of other labels, because the hessian of softmax is
twice its curvature, which halves every step. Then each change is tried on top of the best setting so far, and kept if
it helps. Parameters given by the user are never changed. Lower learning rates come last: they cost most, and their
trials end as soon as one does not help. They come before the changes if the best kind has few rounds, because steps are
coarse there and more rounds cost little.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

_SHALLOW: Mapping[str, Any] = {"max_depth": 5, "subsample": 0.8, "colsample_bytree": 0.8}
_DRAWN: Mapping[str, Any] = {"max_depth": 7, "extra_trees": 1, "lambda": 0.3}
_NOISY: Mapping[str, Any] = {**_SHALLOW, "random_strength": 2}
_SYMMETRIC: Mapping[str, Any] = {"eta": 0.2, "max_depth": 6, "grow_policy": "symmetric"}
_SYMMETRIC_FEW: Mapping[str, Any] = {"eta": 0.15, "max_depth": 4, "grow_policy": "symmetric", "subsample": 0.8}
_OF_CLASSES: Mapping[str, Any] = {
    "multi_strategy": "multi_output_tree",
    "min_child_weight": 0.1,
    "colsample_bytree": 0.7,
}
_DRAWN_LEVELS: Mapping[str, Any] = {  # for multi-class labels
    **_DRAWN,
    **_OF_CLASSES,
    "max_depth": 8,
    "grow_policy": "symmetric",
    "colsample_bytree": 1,
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
_LOWER_RATES = (0.5, 0.25)  # as factors of the first rate
# Number of rounds of the best kind, times its learning rate, below which lower rates come before the changes.
SHORT_WAY = 8.0
_FEW_ROWS = 2000
_MANY_CATEGORIES = 0.25  # share of the features


class Task(NamedTuple):
    """Properties of the task that the settings depend on."""

    has_numbers: bool  # numeric labels: neither classes nor relevance grades
    n_classes: int  # 0 if the labels are not classes, or are two classes
    n_rows: int
    part_categories: float  # share of categorical features


class Kind(NamedTuple):
    """A kind of trees tried at the beginning."""

    setting: Mapping[str, Any]
    races: bool = False  # races with the other such kind: after some rounds of each, the better one continues


def kinds(task: Task, shares_trees: bool, given: Collection[str] = ()) -> list[Kind]:
    """Return the kinds of trees to try first.

    Parameters
    ----------
    task
        The learning task.
    shares_trees
        Whether a tree may cover all classes.
    given
        The parameters given by the user. Symmetric multi-class trees need both their parameters free.
    """
    if task.has_numbers:
        return _kinds_of_numbers(task.part_categories > _MANY_CATEGORIES, task.n_rows < _FEW_ROWS)
    first = [_SHALLOW, _DRAWN, _NOISY] if task.part_categories > 0 else [_DRAWN, _SHALLOW, _NOISY]
    rate = {"eta": _first_rate(task.n_classes)}
    if not shares_trees or task.n_classes <= 1:
        return [Kind({**rate, **kind}) for kind in first]
    may_draw_levels = task.part_categories == 0 and not {"grow_policy", "extra_trees"}.intersection(given)
    levels = [Kind({**rate, **_DRAWN_LEVELS})] if may_draw_levels else []
    return levels + [Kind({**rate, **kind, **_OF_CLASSES}) for kind in first]


def _kinds_of_numbers(has_many_categories: bool, are_few: bool) -> list[Kind]:
    slow, symmetric = {"eta": _first_rate(0)}, _SYMMETRIC_FEW if are_few else _SYMMETRIC
    if has_many_categories:
        return [Kind({**slow, **_SHALLOW}), Kind({**slow, **_DRAWN}), Kind(symmetric), Kind({**slow, **_NOISY})]
    drawn = {"eta": 0.1 if are_few else 0.2, **_DRAWN}
    return [*(Kind(one, True) for one in (drawn, symmetric)), *(Kind({**slow, **one}) for one in (_SHALLOW, _NOISY))]


def changes(task: Task, has_vectors: bool) -> list[Mapping[str, Any]]:
    """Return the changes to try, in order, except changes of the learning rate.

    Parameters
    ----------
    task
        As for `kinds`.
    has_vectors
        Whether leaves hold vectors. Symmetric trees with vector leaves require random thresholds.
    """
    if task.part_categories > 0:
        return [*_OF_TREES, *_OF_CATEGORIES]
    return [*_OF_TREES, *(() if has_vectors or task.has_numbers else _OF_NUMBERS)]


def rates(n_classes: int) -> list[Mapping[str, Any]]:
    """Return the learning rates to try after the changes; `n_classes` as in `Task`."""
    return [{"eta": part * _first_rate(n_classes)} for part in _LOWER_RATES]


def _first_rate(n_classes: int) -> float:
    return 0.2 if n_classes > 1 else 0.1


def without(setting: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a setting without the parameters given by the user."""
    return {name: value for name, value in setting.items() if name not in given}
