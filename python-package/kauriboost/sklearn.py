"""Estimators that follow scikit-learn's conventions."""

from __future__ import annotations

from ._estimators.classifier import KauriClassifier
from ._estimators.distribution import KauriDistribution
from ._estimators.forests import KauriRFClassifier, KauriRFRegressor
from ._estimators.ranker import KauriRanker
from ._estimators.regressor import KauriRegressor

__all__ = [
    "KauriClassifier",
    "KauriDistribution",
    "KauriRFClassifier",
    "KauriRFRegressor",
    "KauriRanker",
    "KauriRegressor",
]
