"""The picture of how a feature's contributions depend on its value."""

from __future__ import annotations

from ._explaining.explanation import Explanation
from ._plotting.dependence import plot_dependence

__all__ = ["Explanation", "plot_dependence"]
