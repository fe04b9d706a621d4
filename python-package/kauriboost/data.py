"""Tables to learn from and to predict on."""

from __future__ import annotations

from ._binding.errors import DataError
from ._data.categories import CategoryNames
from ._data.iterator import DataIter, create_from_iterator
from ._data.matrix import DMatrix, missing_value
from ._data.rows import ArrayLike

__all__ = ["ArrayLike", "CategoryNames", "DMatrix", "DataError", "DataIter", "create_from_iterator", "missing_value"]
