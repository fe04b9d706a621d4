"""Where pickles of version 0.1.0 find KauriRanker."""

from __future__ import annotations

from ._estimators.ranker import KauriRanker

__all__ = ["KauriRanker"]
