"""Gradient boosting: exact, reproducible, explained.

Estimators follow scikit-learn's conventions; `train`, `cv` and `DMatrix` are XGBoost's functions and classes.

Examples
--------
>>> import kauriboost as kb
>>> from sklearn.datasets import load_breast_cancer
>>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
>>> model = kb.KauriClassifier(early_stopping_rounds=20).fit(X, y)
>>> model.predict_proba(X[:3])
>>> kb.plot_beeswarm(kb.explain(model, X))
>>> kb.report(model, X, "report.html", y=y)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from . import callback
from ._binding import process as _process
from ._binding.errors import (
    CollectiveError,
    DataError,
    DeviceError,
    FileError,
    InternalError,
    KauriError,
    ModelError,
    OutOfMemoryError,
    ParameterError,
)
from ._binding.process import build_info, config_context, get_config, parameters, set_config
from .booster import Booster
from .cv import CvResult, cv
from .data import DMatrix
from .data_iter import DataIter
from .device import DeviceArray
from .distill import Distilled, distill
from .distribution import Distribution, distribution_of
from .explain import (
    accumulated_local_effects,
    dependence_curves,
    explain,
    explain_batches,
    explain_function,
    explain_interactions,
    functional_anova,
    global_importance,
    h_statistic,
    partial_dependence,
    shapley_values,
    sparse_interactions,
)
from .explanation import (
    DependenceCurves,
    Explanation,
    FunctionalAnova,
    GlobalImportance,
    InteractionStrengths,
    PartialDependence,
    SetInteractions,
    SparseInteractions,
)
from .model import ModelCheck, check
from .orders import Orders, sample_orders
from .permutation import PermutationImportance, permutation_importance
from .plotting import (
    plot_beeswarm,
    plot_calibration,
    plot_contributions,
    plot_dependence,
    plot_h_statistic,
    plot_importance,
    plot_interactions,
    plot_metric,
    plot_partial_dependence,
    plot_tree,
    plot_waterfall,
    report,
    to_graphviz,
)
from .quantile import ExtMemQuantileDMatrix, QuantileDMatrix
from .shuffling import ShuffleUniformity, shuffle, shuffle_rows, shuffle_uniformity
from .stand_in import install_as_xgboost
from .summary import ColumnSummary, summarize
from .training import Attempt, BestFit, Verification, add_receipt, fit_best, refit, train, train_quantiles, verify

if TYPE_CHECKING:
    from .sklearn import (
        KauriClassifier,
        KauriDistribution,
        KauriRanker,
        KauriRegressor,
        KauriRFClassifier,
        KauriRFRegressor,
    )

__version__ = _process.VERSION

__all__ = [
    "Attempt",
    "BestFit",
    "Booster",
    "CollectiveError",
    "ColumnSummary",
    "CvResult",
    "DMatrix",
    "DataError",
    "DataIter",
    "DependenceCurves",
    "DeviceArray",
    "DeviceError",
    "Distilled",
    "Distribution",
    "Explanation",
    "ExtMemQuantileDMatrix",
    "FileError",
    "FunctionalAnova",
    "GlobalImportance",
    "InteractionStrengths",
    "InternalError",
    "KauriClassifier",
    "KauriDistribution",
    "KauriError",
    "KauriRFClassifier",
    "KauriRFRegressor",
    "KauriRanker",
    "KauriRegressor",
    "ModelCheck",
    "ModelError",
    "Orders",
    "OutOfMemoryError",
    "ParameterError",
    "PartialDependence",
    "PermutationImportance",
    "QuantileDMatrix",
    "SetInteractions",
    "ShuffleUniformity",
    "SparseInteractions",
    "Verification",
    "accumulated_local_effects",
    "add_receipt",
    "build_info",
    "callback",
    "check",
    "config_context",
    "cv",
    "dependence_curves",
    "distill",
    "distribution_of",
    "explain",
    "explain_batches",
    "explain_function",
    "explain_interactions",
    "fit_best",
    "functional_anova",
    "get_config",
    "global_importance",
    "h_statistic",
    "install_as_xgboost",
    "parameters",
    "partial_dependence",
    "permutation_importance",
    "plot_beeswarm",
    "plot_calibration",
    "plot_contributions",
    "plot_dependence",
    "plot_h_statistic",
    "plot_importance",
    "plot_interactions",
    "plot_metric",
    "plot_partial_dependence",
    "plot_tree",
    "plot_waterfall",
    "refit",
    "report",
    "sample_orders",
    "set_config",
    "shapley_values",
    "shuffle",
    "shuffle_rows",
    "shuffle_uniformity",
    "sparse_interactions",
    "summarize",
    "to_graphviz",
    "train",
    "train_quantiles",
    "verify",
]


def __getattr__(name: str) -> object:
    # Estimators need scikit-learn, whose import costs more than all of ours, so they are imported on first use.
    if name in __all__ and name.startswith("Kauri"):
        from . import sklearn

        return getattr(sklearn, name)
    if name in ("forests", "shap"):
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
