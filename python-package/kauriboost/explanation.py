"""Results of explaining: values of every row, means over rows, and interactions without empty pairs."""

from __future__ import annotations

from ._binding.errors import ParameterError
from ._data.categories import CategoryNames
from ._explaining.dependence_curves import DependenceCurves
from ._explaining.explanation import Explanation, GlobalImportance, SparseInteractions
from ._explaining.functional_anova import FunctionalAnova
from ._explaining.h_statistic import InteractionStrengths
from ._explaining.partial_dependence import PartialDependence
from ._explaining.set_interactions import SetInteractions

__all__ = [
    "CategoryNames",
    "DependenceCurves",
    "Explanation",
    "FunctionalAnova",
    "GlobalImportance",
    "InteractionStrengths",
    "ParameterError",
    "PartialDependence",
    "SetInteractions",
    "SparseInteractions",
]
