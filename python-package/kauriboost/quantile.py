"""Matrices that keep the bins of values instead of the values."""

from __future__ import annotations

from ._binding.errors import DataError
from ._data.iterator import DataIter, create_from_iterator
from ._data.matrix import DMatrix, missing_value
from ._data.quantile import ExtMemQuantileDMatrix, QuantileDMatrix
from ._data.rows import ArrayLike

__all__ = [
    "ArrayLike",
    "DMatrix",
    "DataError",
    "DataIter",
    "ExtMemQuantileDMatrix",
    "QuantileDMatrix",
    "create_from_iterator",
    "missing_value",
]
