"""Training."""

from __future__ import annotations

from ._data.matrix import DMatrix
from ._model.booster import Booster, Objective
from ._model.metrics import CustomMetric
from ._model.params import ParamsOrPairs
from ._training.attempts import Attempt, BestFit
from ._training.best import fit_best
from ._training.callback import EvalsLog, TrainingCallback
from ._training.callback_container import CallbackContainer
from ._training.callbacks import EarlyStopping
from ._training.quantiles import train_quantiles
from ._training.receipt import Verification, add_receipt, verify
from ._training.refit import refit
from ._training.train import Evals, train

__all__ = [
    "Attempt",
    "BestFit",
    "Booster",
    "CallbackContainer",
    "CustomMetric",
    "DMatrix",
    "EarlyStopping",
    "Evals",
    "EvalsLog",
    "Objective",
    "ParamsOrPairs",
    "TrainingCallback",
    "Verification",
    "add_receipt",
    "fit_best",
    "refit",
    "train",
    "train_quantiles",
    "verify",
]
