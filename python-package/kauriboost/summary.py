"""Summary statistics of the columns of a table."""

from __future__ import annotations

from ._binding.errors import DataError, ParameterError
from ._data.summary import ColumnSummary, summarize

__all__ = ["ColumnSummary", "DataError", "ParameterError", "summarize"]
