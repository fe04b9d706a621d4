"""A training round on data that the booster has already seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from .._binding.calls import call_text, handles_in, strings_in
from .._binding.errors import KauriError
from .._binding.library import LIB, check
from .._data.matrix import DMatrix
from .._data.naming import add_names
from .._model.booster import Booster
from .._model.metrics import Evaluation, parse_line


class NamedData(NamedTuple):
    """Data sets to evaluate in every round, as the library takes them."""

    handles: Any
    names: Any
    size: int

    @classmethod
    def of(cls, evals: Sequence[tuple[DMatrix, str]]) -> NamedData:
        """Return (data, name) pairs in that form. The caller keeps the data."""
        return cls(handles_in([data.handle for data, _ in evals]), strings_in([name for _, name in evals]), len(evals))


def known_round(booster: Booster, train: DMatrix, evals: NamedData, iteration: int) -> list[Evaluation]:
    """Train a round and evaluate it by the library's metrics, without checking column names again.

    For small data, comparing the names takes as long as building a few nodes of a tree.
    """
    try:
        check(LIB.XGBoosterUpdateOneIter(booster.handle, iteration, train.handle))
    except KauriError as error:
        add_names(error, booster.feature_names)
        raise
    if not evals.size:
        return []
    return parse_line(call_text(LIB.XGBoosterEvalOneIter, booster.handle, iteration, *evals))
