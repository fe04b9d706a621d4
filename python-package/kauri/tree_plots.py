"""Pictures of single trees, by Graphviz."""

from __future__ import annotations

from ._model.booster import Booster
from ._plotting.trees import plot_tree, to_graphviz

__all__ = ["Booster", "plot_tree", "to_graphviz"]
