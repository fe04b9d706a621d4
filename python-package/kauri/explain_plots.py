"""Pictures of an `Explanation`: swarm, bars, waterfall and interactions."""

from __future__ import annotations

from ._explaining.explanation import Explanation, GlobalImportance
from ._plotting.explanations import plot_beeswarm, plot_contributions, plot_interactions, plot_waterfall

__all__ = [
    "Explanation",
    "GlobalImportance",
    "plot_beeswarm",
    "plot_contributions",
    "plot_interactions",
    "plot_waterfall",
]
