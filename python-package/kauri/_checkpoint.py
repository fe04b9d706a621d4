"""Where pickles of version 0.1.0 find TrainingCheckPoint."""

from __future__ import annotations

from ._training.checkpoint import TrainingCheckPoint

__all__ = ["TrainingCheckPoint"]
