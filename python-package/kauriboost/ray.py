"""Training and prediction with Ray: datasets of Ray Data, workers and checkpoints of Ray Train, trials of Ray Tune."""

from __future__ import annotations

from . import sklearn as _sklearn  # noqa: F401 - cloudpickle sends classes by name only if their module is imported
from ._ray.columns import sparse_column
from ._ray.estimators import RayKauriClassifier, RayKauriRanker, RayKauriRegressor
from ._ray.predict import predict
from ._ray.reporting import RayTrainReportCallback, TuneReportCheckpointCallback
from ._ray.trainer import KauriTrainer, train

__all__ = [
    "KauriTrainer",
    "RayKauriClassifier",
    "RayKauriRanker",
    "RayKauriRegressor",
    "RayTrainReportCallback",
    "TuneReportCheckpointCallback",
    "predict",
    "sparse_column",
    "train",
]
