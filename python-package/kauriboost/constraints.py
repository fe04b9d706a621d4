"""Constraints on named features, as the library reads them: by index."""

from __future__ import annotations

from ._binding.errors import ParameterError
from ._model.constraints import by_index

__all__ = ["ParameterError", "by_index"]
