"""What a trained model offers: copies, slices, attributes, files, dumps."""

from __future__ import annotations

from ._model.model import Model

__all__ = ["Model"]
