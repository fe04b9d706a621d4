"""Trees as tables."""

from __future__ import annotations

from ._binding.errors import DataError
from ._model.frame import split_value_histogram, trees_to_dataframe

__all__ = ["DataError", "split_value_histogram", "trees_to_dataframe"]
