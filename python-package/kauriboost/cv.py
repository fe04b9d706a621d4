"""Cross-validation."""

from __future__ import annotations

from ._data.matrix import DMatrix
from ._model.booster import Booster, Objective
from ._model.metrics import CustomMetric, Evaluation
from ._training.callback import EvalsLog, TrainingCallback
from ._training.callback_container import CallbackContainer
from ._training.callbacks import EarlyStopping
from ._training.cv import Preprocessing, Settings, cv
from ._training.cv_booster import CvBooster
from ._training.cv_result import CvResult
from ._training.folds import Folds

__all__ = [
    "Booster",
    "CallbackContainer",
    "CustomMetric",
    "CvBooster",
    "CvResult",
    "DMatrix",
    "EarlyStopping",
    "EvalsLog",
    "Evaluation",
    "Folds",
    "Objective",
    "Preprocessing",
    "Settings",
    "TrainingCallback",
    "cv",
]
