"""The booster: parameters, training and prediction."""

from __future__ import annotations

from ._binding.errors import DataError, ParameterError
from ._data.categories import CategoryNames
from ._data.matrix import DMatrix, missing_value
from ._model.booster import Booster, IterationRange, Objective
from ._model.metrics import CustomMetric, Evaluation
from ._model.model import Model
from ._model.params import ParamsOrPairs

__all__ = [
    "Booster",
    "CategoryNames",
    "CustomMetric",
    "DMatrix",
    "DataError",
    "Evaluation",
    "IterationRange",
    "Model",
    "Objective",
    "ParameterError",
    "ParamsOrPairs",
    "missing_value",
]
