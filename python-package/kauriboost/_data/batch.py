"""Rows that stay in the user's memory while the library reads them."""

from __future__ import annotations

from typing import Any

from .._binding.calls import call_handle
from .._binding.library import LIB, check
from .._binding.matrix_calls import set_proxy_arrow
from .columns import arrow_table, is_arrow_table
from .row_info import RowInfo
from .rows import Rows, rows_of


class Batch(RowInfo):
    """A batch of an iterator, or the rows of an in-place prediction."""

    _INSTEAD = "it is there for one call"

    def __init__(self) -> None:
        self.handle = call_handle(LIB.XGProxyDMatrixCreate)
        # columns of the latest batch; the library forgets them after an error
        self.column_names: list[str] | None = None
        self._alive: Rows | None = None

    def release(self) -> None:
        """Drop the reference to the latest data."""
        self._alive = None

    def take(self, data: Any, feature_names: Any = None, feature_types: Any = None, **fields: Any) -> None:
        """Point to `data` and set its fields; the arguments are the same as of `DMatrix`."""
        if is_arrow_table(data):
            set_proxy_arrow(self.handle, arrow_table(data))
            self.release()
        else:
            rows = rows_of(data, by_row=True)
            self.point_to(rows)
            feature_names = rows.names if feature_names is None else feature_names
            feature_types = rows.types if feature_types is None else feature_types
        if feature_names is not None:
            self.feature_names = feature_names
        if feature_types is not None:
            self.feature_types = feature_types
        self.column_names = self.feature_names
        self.set_info(**fields)

    def point_to(self, rows: Rows) -> None:
        """Point to features only."""
        check(rows.layout.set_proxy(self.handle, *rows.arguments))
        self._alive = rows
