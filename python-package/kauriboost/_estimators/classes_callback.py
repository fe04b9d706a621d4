"""Gives a model its classes while it is trained."""

from __future__ import annotations

import numpy as np

from .._model.booster import Booster
from .._model.classes import ATTRIBUTE, as_text
from .._training.callback import TrainingCallback


class ClassesCallback(TrainingCallback):
    """Gives the model its classes before the first round, so that checkpoints have them, too."""

    def __init__(self, classes: np.ndarray) -> None:
        self._text = as_text(classes)

    def before_training(self, model: Booster) -> Booster:
        """Set the attribute, or take that of a model which is continued away."""
        model.set_attr(**{ATTRIBUTE: self._text})
        return model
