"""Training and prediction on the executors of a Spark cluster; names of parameters follow ``xgboost.spark``."""

from __future__ import annotations

from . import sklearn as _sklearn  # noqa: F401 - cloudpickle sends classes by name only if their module is imported
from ._spark.estimators import (
    KauriClassifier,
    KauriClassifierModel,
    KauriRanker,
    KauriRankerModel,
    KauriRegressor,
    KauriRegressorModel,
    TrainingSummary,
)

__all__ = [
    "KauriClassifier",
    "KauriClassifierModel",
    "KauriRanker",
    "KauriRankerModel",
    "KauriRegressor",
    "KauriRegressorModel",
    "TrainingSummary",
]


def __getattr__(name: str) -> object:
    # names of XGBoost's estimators, so that code can migrate by changing its import
    ours = f"Kauri{name.removeprefix('SparkXGB')}"
    if name.startswith("SparkXGB") and ours in __all__:
        return globals()[ours]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
