"""Results of explaining: values of every row, means over rows, and interactions without empty pairs."""

from __future__ import annotations

from ._binding.errors import ParameterError
from ._data.categories import CategoryNames
from ._explaining.explanation import Explanation, GlobalImportance, SparseInteractions
from ._explaining.partial_dependence import PartialDependence
from ._explaining.set_interactions import SetInteractions

__all__ = [
    "CategoryNames",
    "Explanation",
    "GlobalImportance",
    "ParameterError",
    "PartialDependence",
    "SetInteractions",
    "SparseInteractions",
]
