"""Conversion of constraints on named features to indices, which the library reads."""

from __future__ import annotations

from ._binding.errors import ParameterError
from ._model.constraints import by_index

__all__ = ["ParameterError", "by_index"]
