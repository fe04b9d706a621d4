"""A forest as arrays, which the library reads, checks and makes a model of."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._binding.arrays import interface_members
from .._binding.errors import ModelError
from .._binding.library import LIB, check
from .._binding.text import config
from .._data.categories import CategoryNames
from .._model.booster import Booster
from .trees import ForestTree

_BEGINNING = re.compile(rb'\s*\{\s*"kauri_forest"')
_ARRAYS = ("left", "right", "feature", "threshold", "default_left", "values", "cover")


def is_forest(head: bytes) -> bool:
    """Return whether a file with this beginning is read as a forest of arrays."""
    return _BEGINNING.match(head) is not None


@dataclass(frozen=True)
class Forest:
    """Trees, and the meaning of their sums."""

    trees: Sequence[ForestTree]
    n_features: int
    objective: str
    base_score: Sequence[float] | None  # one for each output, on the scale of predictions; None: see `from_trees`
    trees_in_round: int = 1
    feature_names: Sequence[str] = ()
    category_names: Mapping[int, CategoryNames] = field(default_factory=dict)  # by column; category c has the c-th name


def booster_of(forest: Forest) -> Booster:
    """Return the model of a forest."""
    booster = Booster()
    kept: list[np.ndarray] = []  # the call reads them

    def array(values: Any) -> dict[str, Any]:
        kept.append(np.asarray(values))
        return interface_members(kept[-1])

    trees = [
        {
            **{name: array(getattr(tree, name)) for name in _ARRAYS},
            "categories": {str(node): array(codes) for node, codes in tree.categories.items()},
            "output": tree.output,
        }
        for tree in forest.trees
    ]
    text = config(
        kauri_forest=1,
        n_features=int(forest.n_features),
        objective=forest.objective,
        **({} if forest.base_score is None else {"base_score": array(np.asarray(forest.base_score, np.float64))}),
        feature_names=list(forest.feature_names),
        category_names={str(column): list(names) for column, names in forest.category_names.items()},
        trees_in_round=forest.trees_in_round,
        trees=trees,
    )
    check(LIB.KauriBoosterLoadForest(booster.handle, text))
    return booster


def category_names(levels: Sequence[Any], what: str) -> CategoryNames:
    """Return the levels of a column in Kauri's form of category names: whole numbers or texts.

    Raises
    ------
    ModelError
        A level is a number with a fraction. `what` begins the message.
    """
    if any(isinstance(level, (float, np.floating)) and not float(level).is_integer() for level in levels):
        raise ModelError(
            f"{what} has categories such as {levels[0]!r}, which are no whole numbers. Fit on codes, or on texts."
        )
    are_numbers = all(isinstance(each, (int, float, np.number)) and not isinstance(each, bool) for each in levels)
    return [int(level) for level in levels] if are_numbers else [str(level) for level in levels]
