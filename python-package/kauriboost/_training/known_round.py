"""A training round on data that the booster has already seen."""

from __future__ import annotations

from .._binding.errors import KauriError
from .._binding.library import LIB, check
from .._data.matrix import DMatrix
from .._data.naming import add_names
from .._model.booster import Booster
from .._model.metrics import Evaluation, EvaluationSets


def known_round(booster: Booster, train: DMatrix, sets: EvaluationSets, iteration: int) -> list[Evaluation]:
    """Train a round and evaluate it by the library's metrics, without checking column names again.

    For small data, comparing the names takes as long as building a few nodes of a tree.
    """
    try:
        check(LIB.XGBoosterUpdateOneIter(booster.handle, iteration, train.handle))
    except KauriError as error:
        add_names(error, booster.feature_names)
        raise
    return sets.values(booster, iteration)
