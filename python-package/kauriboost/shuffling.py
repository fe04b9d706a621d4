"""Random permutations, the same for the same seed on every machine."""

from __future__ import annotations

from ._binding.errors import ParameterError
from ._data.shuffling import shuffle

__all__ = ["ParameterError", "shuffle"]
