"""Which settings `fit_best` tries, in which order.

It begins with kinds of trees that differ enough for their mean to be better than each: shallow ones, ones with a random
threshold for each feature, ones with noise on their gains. Random thresholds come first where all features are numbers:
they are the best of the three on most such sets, and not where there are categories. They are random enough without
samples of the rows, and lose less on the way down than others: a level more pays. Their leaves, whose rows were not
sought out, need less holding back. Where the labels are numbers, symmetric trees race with them: on some sets they are
better by far, on others worse by as much. Both learn fast there, as one budget is for two; on few rows, where a round
is cheap and patience ends sooner, slower steps are better, and symmetric trees of fewer levels and samples. Where many
features are categories they come after the others: shallow trees win short races there that they would lose.

Trees are of all classes: better than a tree for each, in less time. Their children need as much hessian in the mean of
the classes as others need in all, and where a model is sure of most rows few classes have any, so they are asked for
less. Where all features are numbers the first of them are symmetric, with a random threshold for each feature and
level: most sets of classes are learnt better by these, a level deeper and without samples of columns. Classes begin at
twice the learning rate of other labels, since the hessian of softmax is twice its curvature, which halves every step.
Every change is then tried on top of the best setting so far and stays where it brings something. Nothing that the user
has given is changed, and lower learning rates come last: they cost most, and end as soon as one brings nothing.
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
_DRAWN_LEVELS: Mapping[str, Any] = {  # of classes
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
_LOWER_RATES = (0.5, 0.25)  # of the first
_FEW_ROWS = 2000
_MANY_CATEGORIES = 0.25  # of the features


class Task(NamedTuple):
    """What settings depend on."""

    has_numbers: bool  # for labels: not classes, nor grades
    n_classes: int  # 0 where the labels are no classes, or two
    n_rows: int
    part_categories: float  # of the features


class Kind(NamedTuple):
    """A kind of trees to begin with."""

    setting: Mapping[str, Any]
    races: bool = False  # with the other one that does: after some rounds of each the better one goes on


def kinds(task: Task, shares_trees: bool, given: Collection[str] = ()) -> list[Kind]:
    """Return the kinds of trees to begin with.

    Parameters
    ----------
    task
        What there is to learn.
    shares_trees
        Whether trees may be of all classes.
    given
        The parameters that the user has given, of which those that make symmetric trees of classes are both needed.
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
    """Return the changes to try, in their order, but for those of the learning rate.

    Parameters
    ----------
    task
        As in `kinds`.
    has_vectors
        Whether leaves hold vectors, which those of symmetric trees do where thresholds are drawn alone.
    """
    if task.part_categories > 0:
        return [*_OF_TREES, *_OF_CATEGORIES]
    return [*_OF_TREES, *(() if has_vectors or task.has_numbers else _OF_NUMBERS)]


def rates(n_classes: int) -> list[Mapping[str, Any]]:
    """Return the learning rates to try after that; `n_classes` as in `Task`."""
    return [{"eta": part * _first_rate(n_classes)} for part in _LOWER_RATES]


def _first_rate(n_classes: int) -> float:
    return 0.2 if n_classes > 1 else 0.1


def without(setting: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a setting without what the user has given."""
    return {name: value for name, value in setting.items() if name not in given}
