"""Distilling: trees that copy any slow model."""

from __future__ import annotations

from ._distilling.distill import distill
from ._distilling.distilled import Distilled

__all__ = ["Distilled", "distill"]
