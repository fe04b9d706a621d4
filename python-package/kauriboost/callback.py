"""Callbacks around each round of training."""

from __future__ import annotations

from ._training.callback import TrainingCallback
from ._training.callback_container import CallbackContainer
from ._training.callbacks import EarlyStopping, LearningRateScheduler, MaxTime
from ._training.checkpoint import TrainingCheckPoint
from ._training.progress import EvaluationMonitor, ProgressBar

__all__ = [
    "CallbackContainer",
    "EarlyStopping",
    "EvaluationMonitor",
    "LearningRateScheduler",
    "MaxTime",
    "ProgressBar",
    "TrainingCallback",
    "TrainingCheckPoint",
]
