"""Operations on a trained model."""

from __future__ import annotations

from ._model.check import ModelCheck, check
from ._model.model import Model

__all__ = ["Model", "ModelCheck", "check"]
