"""Whole distributions of labels."""

from __future__ import annotations

from ._model.distribution import Distribution, distribution_of

__all__ = ["Distribution", "distribution_of"]
