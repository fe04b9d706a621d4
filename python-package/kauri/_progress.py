"""Where pickles of version 0.1.0 find EvaluationMonitor and ProgressBar."""

from __future__ import annotations

from ._training.progress import EvaluationMonitor, ProgressBar

__all__ = ["EvaluationMonitor", "ProgressBar"]
