"""Rows as the user passed them, from which new rows with cells of several rows are made."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from .._binding.errors import DataError
from .._data.device import is_device_array
from .._data.matrix import DMatrix
from .._data.numbers import collected


class Table(Protocol):
    """Rows of one kind of array or frame. New rows have the same kind, the same columns and the same types."""

    n_rows: int
    n_cols: int

    def rows(self, numbers: np.ndarray) -> Any:
        """Return the given rows."""

    def mixed(self, sources: np.ndarray) -> Any:
        """Return rows whose cell in column c comes from row ``sources[i, c]``; sources: ``[n, n_cols]``."""

    def all_rows(self) -> Any:
        """Return all rows."""

    def followed_by(self, more: Any) -> Table:
        """Return these rows and then others of the same kind."""


class _ArrayTable:
    def __init__(self, values: np.ndarray) -> None:
        self._values = values
        self.n_rows, self.n_cols = values.shape

    def rows(self, numbers: np.ndarray) -> Any:
        return self._values[numbers]

    def all_rows(self) -> Any:
        return self._values

    def followed_by(self, more: Any) -> Table:
        return _ArrayTable(np.concatenate([self._values, more]))

    def mixed(self, sources: np.ndarray) -> Any:
        return self._values[sources, np.arange(self.n_cols)]


class _PandasTable:
    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.n_rows, self.n_cols = frame.shape

    def rows(self, numbers: np.ndarray) -> Any:
        return self._frame.iloc[numbers].reset_index(drop=True)

    def all_rows(self) -> Any:
        return self._frame

    def followed_by(self, more: Any) -> Table:
        import pandas as pd

        return _PandasTable(pd.concat([self._frame, more], ignore_index=True))

    def mixed(self, sources: np.ndarray) -> Any:
        import pandas as pd

        columns = {c: self._frame.iloc[:, c].array.take(sources[:, c]) for c in range(self.n_cols)}
        frame = pd.DataFrame(columns, index=pd.RangeIndex(len(sources)), copy=False)
        frame.columns = self._frame.columns
        return frame


class _PolarsTable:
    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.n_rows, self.n_cols = frame.shape

    def rows(self, numbers: np.ndarray) -> Any:
        return self._frame[numbers]

    def all_rows(self) -> Any:
        return self._frame

    def followed_by(self, more: Any) -> Table:
        return _PolarsTable(self._frame.vstack(more))

    def mixed(self, sources: np.ndarray) -> Any:
        columns = [column.gather(sources[:, c]) for c, column in enumerate(self._frame.iter_columns())]
        return type(self._frame)(columns)


class _ArrowTable:
    def __init__(self, table: Any) -> None:
        self._table = table
        self.n_rows, self.n_cols = table.shape

    def rows(self, numbers: np.ndarray) -> Any:
        return self._table.take(numbers)

    def all_rows(self) -> Any:
        return self._table

    def followed_by(self, more: Any) -> Table:
        import pyarrow as pa

        return _ArrowTable(pa.concat_tables([self._table, more]))

    def mixed(self, sources: np.ndarray) -> Any:
        columns = [column.take(sources[:, c]) for c, column in enumerate(self._table.columns)]
        return type(self._table).from_arrays(columns, schema=self._table.schema)


def table_of(X: Any, what: str = "X") -> Table:
    """Return rows as a table: an array, a frame of pandas or polars, or a table of pyarrow.

    Raises DataError for other kinds, for data of another number of dimensions than two, and for no rows or columns.
    """
    X = collected(X)
    if isinstance(X, DMatrix):
        raise DataError(f"{what} is a DMatrix, which teachers do not take; pass an array or a data frame.")
    if hasattr(X, "tocsr"):
        raise DataError(f"{what} is a sparse matrix, whose cells cannot be mixed; pass its toarray().")
    if is_device_array(X):
        raise DataError(f"{what} is in the memory of a device; pass a copy in host memory.")
    table = _kind_of(X, what)
    if table.n_rows == 0 or table.n_cols == 0:
        raise DataError(f"{what} has {table.n_rows} rows and {table.n_cols} columns; pass at least one of each.")
    return table


def _kind_of(X: Any, what: str) -> Table:
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        return _PandasTable(X)
    if hasattr(X, "iter_columns") and hasattr(X, "get_columns"):
        return _PolarsTable(X)
    if hasattr(X, "column_names") and hasattr(X, "schema"):
        return _ArrowTable(X)
    values = X if isinstance(X, np.ndarray) else np.asarray(X)
    if values.ndim != 2:
        raise DataError(f"{what} has shape {values.shape}; expected rows and columns.")
    return _ArrayTable(values)


def joined(table: Table, more: Any) -> Table:
    """Return the rows of a table and then the rows of `more`.

    Raises DataError unless kind, columns and types agree.
    """
    tables = [table, table_of(more, "X_more")]
    if type(tables[0]) is not type(tables[1]):
        kind = type(table.all_rows()).__name__
        raise DataError(f"X is a {kind} and X_more a {type(more).__name__}; pass the same kind.")
    told, of_more = (_columns(table.all_rows()) for table in tables)
    if told != of_more:
        wrong = next((f"{one} in X and {two} in X_more" for one, two in zip(told, of_more) if one != two), None)
        raise DataError(
            f"the columns of X and X_more differ: {wrong or f'{len(told)} and {len(of_more)} of them'}; pass the same "
            "names and types in the same order."
        )
    return tables[0].followed_by(tables[1].all_rows())


def _columns(rows: Any) -> list[str]:
    """Return each column's name and type as text; arrays have a type for all columns."""
    if isinstance(rows, np.ndarray):
        return [f"a column of {'numbers' if rows.dtype.kind in 'biuf' else rows.dtype}"] * rows.shape[1]
    if hasattr(rows, "schema"):
        schema = rows.schema
        pairs = schema.items() if hasattr(schema, "items") else zip(schema.names, schema.types)
        return [f"{name!r} of type {kind}" for name, kind in pairs]
    return [f"{name!r} of type {kind!r}" for name, kind in rows.dtypes.items()]
