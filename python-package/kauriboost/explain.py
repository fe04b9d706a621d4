"""Explanations of predictions: rows, batches, data sets, and pairs of features; of any function, and of any game."""

from __future__ import annotations

from ._binding.errors import DataError, ParameterError
from ._data.matrix import DMatrix
from ._explaining.explain import explain, explain_batches, global_importance, sparse_interactions
from ._explaining.explain_any import explain_function, shapley_values
from ._explaining.explanation import Explanation, GlobalImportance, SparseInteractions
from ._explaining.partial_dependence import PartialDependence, partial_dependence
from ._explaining.set_interactions import SetInteractions, explain_interactions
from ._model.booster import Booster

__all__ = [
    "Booster",
    "DMatrix",
    "DataError",
    "Explanation",
    "GlobalImportance",
    "ParameterError",
    "PartialDependence",
    "SetInteractions",
    "SparseInteractions",
    "explain",
    "explain_batches",
    "explain_function",
    "explain_interactions",
    "global_importance",
    "partial_dependence",
    "shapley_values",
    "sparse_interactions",
]
