"""Permutation importance: the loss of quality of a model when the values of a feature are shuffled over rows."""

from __future__ import annotations

from ._binding.errors import DataError, ParameterError
from ._data.matrix import DMatrix
from ._data.shuffling import shuffle
from ._explaining.permutation import Metric, PermutationImportance, permutation_importance
from ._model.booster import Booster

__all__ = [
    "Booster",
    "DMatrix",
    "DataError",
    "Metric",
    "ParameterError",
    "PermutationImportance",
    "permutation_importance",
    "shuffle",
]
