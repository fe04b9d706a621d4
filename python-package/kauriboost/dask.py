"""Training and prediction on the workers of a Dask cluster; names and shapes follow ``xgboost.dask``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._dask.matrix import DaskDMatrix, DaskQuantileDMatrix
from ._dask.predict import inplace_predict, predict
from ._dask.train import train

if TYPE_CHECKING:
    from ._dask.estimators import (
        DaskKauriClassifier,
        DaskKauriRanker,
        DaskKauriRegressor,
        DaskKauriRFClassifier,
        DaskKauriRFRegressor,
    )

__all__ = [
    "DaskDMatrix",
    "DaskKauriClassifier",
    "DaskKauriRFClassifier",
    "DaskKauriRFRegressor",
    "DaskKauriRanker",
    "DaskKauriRegressor",
    "DaskQuantileDMatrix",
    "inplace_predict",
    "predict",
    "train",
]

_PREFIXES = ("DaskKauri", "DaskXGB")  # the latter so that code can migrate by changing its import


def __getattr__(name: str) -> object:
    # scikit-learn is only imported if needed, as in the package itself.
    for prefix in _PREFIXES:
        ours = f"DaskKauri{name.removeprefix(prefix)}"
        if name.startswith(prefix) and ours in __all__:
            from ._dask import estimators

            return getattr(estimators, ours)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
