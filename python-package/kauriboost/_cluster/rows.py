"""Construction of a rank's matrix from partitions of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._collective.collective import Collective
from .._data.iterator import DataIter
from .._data.matrix import DMatrix
from .._data.quantile import QuantileDMatrix
from .blocks import Part, below_each_other, with_categories

_OF_BINS = ("auto", "hist")  # tree methods


class Settings(NamedTuple):
    """The settings that a worker needs to make a matrix of its rows."""

    missing: float
    feature_names: list[str] | None
    feature_types: Any
    enable_categorical: bool
    feature_weights: np.ndarray | None
    categories: dict[str, Any]  # for each categorical column of a frame
    texts: dict[str, Any]  # for each column of text of a frame
    no_rows: Any  # an empty block of the same kind as the others
    is_quantile: bool
    max_bin: int | None


class _Parts(DataIter):
    """Iterates over partitions; at most one is copied at a time."""

    def __init__(self, parts: Sequence[Part], settings: Settings) -> None:
        super().__init__()
        self._parts, self._settings, self._at = parts, settings, 0

    def next(self, input_data: Callable[..., None]) -> bool:
        if self._at == len(self._parts):
            return False
        input_data(**_ready(self._parts[self._at], self._settings))
        self._at += 1
        return True

    def reset(self) -> None:
        self._at = 0


def make_matrix(
    settings: Settings,
    parts: Sequence[Part],
    global_rows: np.ndarray,
    collective: Collective,
    ref: DMatrix | None,
    has_whole_queries: bool = False,
) -> DMatrix:
    """Return the matrix of one rank, with the rows of `parts` in order.

    Parameters
    ----------
    settings
        Settings common to all ranks.
    parts
        The rank's partitions; empty for a rank without rows. They are read one at a time, and several times for bins.
    global_rows
        The ranges of these rows among all rows.
    collective
        The communicator with the other ranks, which make their matrices at the same time.
    ref
        For a matrix of bins: the matrix whose bin edges to use.
    has_whole_queries
        Whether no query of a ranking continues in the next partition. Otherwise the partitions are copied into one.
    """
    if len(parts) == 0:
        parts = [{"data": settings.no_rows}]
    if not has_whole_queries and len(parts) > 1 and "qid" in parts[0]:  # a query may continue in the next partition
        ready = [_ready(part, settings) for part in parts]
        parts = [{name: below_each_other([part[name] for part in ready]) for name in ready[0]}]
    if settings.is_quantile:
        matrix: DMatrix = QuantileDMatrix(
            _Parts(parts, settings), missing=settings.missing, max_bin=settings.max_bin, ref=ref, collective=collective
        )
    elif len(parts) == 1:
        matrix = DMatrix(missing=settings.missing, **_ready(parts[0], settings))
    else:
        matrix = DMatrix(_Parts(parts, settings), missing=settings.missing)
    matrix.set_info(global_rows=global_rows, feature_weights=settings.feature_weights)
    return matrix


def _ready(part: Part, settings: Settings) -> Part:
    """Return the partition as arguments of `DMatrix`."""
    names = {"feature_names": settings.feature_names, "feature_types": settings.feature_types}
    given = {name: value for name, value in names.items() if value is not None}
    categories = {**settings.categories, **settings.texts}
    return {**part, **given, "data": with_categories(part["data"], categories)}


def uses_bins(params: dict[str, Any]) -> bool:
    """Return whether a training with these parameters needs the bins alone, and not the values."""
    return params.get("booster", "gbtree") != "gblinear" and params.get("tree_method", "auto") in _OF_BINS


def no_rows_of(names: list[str] | None, categories: dict[str, Any], n_columns: int) -> Any:
    """Return features without rows, for a worker that has none."""
    if names is None:
        return np.empty((0, n_columns), dtype=np.float32)
    import pandas as pd

    return pd.DataFrame(
        {
            name: pd.Categorical([], categories=categories[name])
            if name in categories
            else np.empty(0, dtype=np.float32)
            for name in names
        }
    )
