"""Plots of models and explanations, and a report page."""

from __future__ import annotations

from ._plotting.calibration import plot_calibration
from ._plotting.dependence import plot_dependence
from ._plotting.explanations import plot_beeswarm, plot_contributions, plot_interactions, plot_waterfall
from ._plotting.h_statistic import plot_h_statistic
from ._plotting.importance import plot_importance
from ._plotting.metric import plot_metric
from ._plotting.partial import plot_partial_dependence
from ._plotting.tree_picture import plot_tree
from ._plotting.trees import to_graphviz
from ._report.report import report

__all__ = [
    "plot_beeswarm",
    "plot_calibration",
    "plot_contributions",
    "plot_dependence",
    "plot_h_statistic",
    "plot_importance",
    "plot_interactions",
    "plot_metric",
    "plot_partial_dependence",
    "plot_tree",
    "plot_waterfall",
    "report",
    "to_graphviz",
]
