"""Explanations of predictions: rows, batches, data sets, and pairs of features; of any function, and of any game."""

from __future__ import annotations

from ._binding.errors import DataError, ParameterError
from ._data.matrix import DMatrix
from ._explaining.dependence_curves import DependenceCurves, dependence_curves
from ._explaining.explain import explain, explain_batches, global_importance, sparse_interactions
from ._explaining.explain_any import explain_function, shapley_values
from ._explaining.explanation import Explanation, GlobalImportance, SparseInteractions
from ._explaining.functional_anova import FunctionalAnova, functional_anova
from ._explaining.h_statistic import InteractionStrengths, h_statistic
from ._explaining.local_effects import accumulated_local_effects
from ._explaining.partial_dependence import PartialDependence, partial_dependence
from ._explaining.set_interactions import SetInteractions, explain_interactions
from ._model.booster import Booster

__all__ = [
    "Booster",
    "DMatrix",
    "DataError",
    "DependenceCurves",
    "Explanation",
    "FunctionalAnova",
    "GlobalImportance",
    "InteractionStrengths",
    "ParameterError",
    "PartialDependence",
    "SetInteractions",
    "SparseInteractions",
    "accumulated_local_effects",
    "dependence_curves",
    "explain",
    "explain_batches",
    "explain_function",
    "explain_interactions",
    "functional_anova",
    "global_importance",
    "h_statistic",
    "partial_dependence",
    "shapley_values",
    "sparse_interactions",
]
