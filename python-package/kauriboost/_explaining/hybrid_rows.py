"""Conversion of rows to tables of numbers, from which hybrid rows are made, and back to the original kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._binding.errors import DataError, ParameterError
from .._data.matrix import DMatrix
from .._data.naming import shown_names


class ArrayRows:
    """Rows of an array, which already are numbers."""

    def __init__(self, X: Any, background: Any) -> None:
        self.rows, self.background = _numbers("X", X), _numbers("the background", background)
        if self.rows.shape[1] != self.background.shape[1]:
            raise DataError(
                f"X has {self.rows.shape[1]} columns, the background {self.background.shape[1]}; pass the same columns."
            )
        self.data = self.rows
        self.categories: dict[str, list[Any]] = {}

    def names(self) -> list[str]:
        """Return names for the columns."""
        return [f"f{i}" for i in range(self.rows.shape[1])]

    def decoded(self, hybrid: np.ndarray) -> Any:
        """Return hybrid rows in the form that the function takes."""
        return hybrid


class FrameRows:
    """Rows of a data frame, encoded: each cell becomes the index of the first row, of X or background, with its value.

    So a column of any type can be decoded to its own values, and equal cells have equal numbers.
    """

    def __init__(self, X: Any, background: Any) -> None:
        _check_columns(X, background)
        self._columns = [_joined(X[name], background[name]) for name in X.columns]
        places = [_first_places(column) for column in self._columns]
        table = np.column_stack(places).astype(np.float64) if places else np.zeros((len(X) + len(background), 0))
        self.rows = np.ascontiguousarray(table[: len(X)])
        self.background = np.ascontiguousarray(table[len(X) :])
        self._names = list(X.columns)
        self._index = X.columns
        shown = [_shown(column, len(X)) for column in self._columns]
        self.data = np.column_stack([values for values, _ in shown]) if shown else np.zeros((len(X), 0))
        self.categories = {str(name): names for name, (_, names) in zip(self._names, shown) if names is not None}

    def names(self) -> list[str]:
        """Return names for the columns."""
        return [str(name) for name in self._names]

    def decoded(self, hybrid: np.ndarray) -> Any:
        """Return hybrid rows as a frame with the columns and types of X."""
        import pandas as pd

        places = hybrid.astype(np.int64)
        columns = {i: column.take(places[:, i]) for i, column in enumerate(self._columns)}
        frame = pd.DataFrame(columns, index=pd.RangeIndex(len(hybrid)), copy=False)
        frame.columns = self._index
        return frame


def rows_of(X: Any, background: Any) -> ArrayRows | FrameRows:
    """Return rows and background, both encoded in the same way."""
    frames = [_is_frame(table) for table in (X, background)]
    if frames[0] != frames[1]:
        raise DataError("only one of X and the background is a data frame; pass both as frames, or both as arrays.")
    return FrameRows(X, background) if frames[0] else ArrayRows(X, background)


def players_of(groups: Any, names: list[str]) -> tuple[list[str], list[list[int]]]:
    """Return the players' names and columns, ordered by first column; a column in no group is a player by itself.

    Raises ParameterError for columns that do not exist or occur twice.
    """
    named = groups.items() if isinstance(groups, dict) else [(None, group) for group in groups or []]
    players: list[tuple[str, list[int]]] = []
    taken: set[int] = set()
    for name, group in named:
        if isinstance(group, (str, int)) or len(group) == 0:
            raise ParameterError(f"groups has {group!r}; each group is a list of columns, by name or number.")
        columns = [_column(which, names) for which in group]
        if taken & set(columns) or len(set(columns)) != len(columns):
            raise ParameterError(f"groups has a column of {list(group)!r} twice; put it into one group.")
        taken |= set(columns)
        players.append((" + ".join(names[c] for c in columns) if name is None else str(name), columns))
    players += [(name, [i]) for i, name in enumerate(names) if i not in taken]
    players.sort(key=lambda player: min(player[1]))
    return [name for name, _ in players], [columns for _, columns in players]


def _column(which: Any, names: list[str]) -> int:
    number = names.index(which) if which in names else which
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or not 0 <= number < len(names):
        raise ParameterError(
            f"groups: there is no column {which!r}; choose among {shown_names(names)}, or their numbers."
        )
    return int(number)


def _is_frame(table: Any) -> bool:
    return hasattr(table, "iloc") and hasattr(table, "columns")


def _numbers(what: str, table: Any) -> np.ndarray:
    if isinstance(table, DMatrix):
        raise DataError(f"{what} is a DMatrix, which functions do not take; pass an array or a data frame.")
    dense = table.toarray() if hasattr(table, "toarray") else table
    try:
        array = np.ascontiguousarray(dense, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"{what} is not a table of numbers ({error}); pass other columns in a pandas data frame."
        ) from None
    if array.ndim != 2:
        raise DataError(f"{what} has shape {array.shape}; expected rows and columns.")
    return array


def _check_columns(X: Any, background: Any) -> None:
    names: Sequence[Any] = list(X.columns)
    if names != list(background.columns):
        raise DataError(f"X has the columns {names}, the background {list(background.columns)}; pass the same.")
    if len(set(names)) != len(names):
        raise DataError(f"the columns {names} have a name twice; rename one.")
    for name in names:
        if X[name].dtype != background[name].dtype:
            types = f"{X[name].dtype} in X and {background[name].dtype} in the background"
            raise DataError(f"column {name!r} is {types}; pass the same type.")


def _joined(column: Any, more: Any) -> Any:
    import pandas as pd

    return pd.concat([column, more], ignore_index=True).array


def _first_places(column: Any) -> np.ndarray:
    import pandas as pd

    try:
        codes, _ = pd.factorize(column, use_na_sentinel=False)
    except TypeError:  # unhashable values: each gets its own number
        return np.arange(len(column))
    _, first = np.unique(codes, return_index=True)
    return np.asarray(first[codes])


def _shown(column: Any, n_rows: int) -> tuple[np.ndarray, list[Any] | None]:
    """Return the column's cells as numbers, and the meanings of these numbers unless the column is numeric."""
    import pandas as pd

    dtype = column.dtype
    if pd.api.types.is_bool_dtype(dtype) or (pd.api.types.is_numeric_dtype(dtype) and not _is_complex(dtype)):
        return np.asarray(pd.Series(column[:n_rows]).to_numpy(dtype=np.float64, na_value=np.nan)), None
    if isinstance(dtype, pd.CategoricalDtype):
        codes, names = np.asarray(column.codes), list(dtype.categories)
    else:
        codes, names = _named_codes(column)
    return np.where(codes < 0, np.nan, codes)[:n_rows].astype(np.float64), names


def _named_codes(column: Any) -> tuple[np.ndarray, list[Any]]:
    import pandas as pd

    try:
        codes, names = pd.factorize(column)
    except TypeError:
        return np.arange(len(column)), [repr(value) for value in column]
    return codes, [str(name) for name in names]


def _is_complex(dtype: Any) -> bool:
    return getattr(dtype, "kind", "f") == "c"
