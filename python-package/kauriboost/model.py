"""What a trained model offers."""

from __future__ import annotations

from ._model.check import ModelCheck, check
from ._model.model import Model

__all__ = ["Model", "ModelCheck", "check"]
