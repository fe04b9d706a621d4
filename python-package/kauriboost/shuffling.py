"""Random permutations and rows in a random order, the same for the same seed on every machine."""

from __future__ import annotations

from ._binding.errors import DataError, ParameterError
from ._data.shuffling import shuffle, shuffle_rows
from ._data.uniformity import ShuffleUniformity, shuffle_uniformity

__all__ = ["DataError", "ParameterError", "ShuffleUniformity", "shuffle", "shuffle_rows", "shuffle_uniformity"]
