"""A callback that stores the classes in a model."""

from __future__ import annotations

import numpy as np

from .._model.booster import Booster
from .._model.classes import ATTRIBUTE, as_text
from .._training.callback import TrainingCallback


class ClassesCallback(TrainingCallback):
    """Stores the classes in the model before the first round, so that checkpoints contain them."""

    def __init__(self, classes: np.ndarray) -> None:
        self._text = as_text(classes)

    def before_training(self, model: Booster) -> Booster:
        """Set the attribute, or remove it from a continued model."""
        model.set_attr(**{ATTRIBUTE: self._text})
        return model
