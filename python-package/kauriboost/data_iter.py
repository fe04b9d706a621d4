"""Data that arrive in batches."""

from __future__ import annotations

from ._binding.errors import DataError
from ._data.batch import Batch
from ._data.iterator import DataIter, create_from_iterator

__all__ = ["Batch", "DataError", "DataIter", "create_from_iterator"]
