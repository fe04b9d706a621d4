"""The plot of feature importance, and re-exports of the plots of explanations and trees."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from .._model.booster import Booster
from .dependence import plot_dependence
from .explanations import plot_beeswarm, plot_contributions, plot_interactions, plot_waterfall
from .metric import plot_metric
from .parts import AS_WRITTEN
from .tree_picture import plot_tree
from .trees import to_graphviz

__all__ = [
    "plot_beeswarm",
    "plot_contributions",
    "plot_dependence",
    "plot_importance",
    "plot_interactions",
    "plot_metric",
    "plot_tree",
    "plot_waterfall",
    "to_graphviz",
]

_UNITS = {"weight": "number of splits", "gain": "mean gain", "cover": "mean cover"}


def plot_importance(
    booster: Booster | Mapping[str, float] | Any,
    ax: Any = None,
    *,
    importance_type: str = "weight",
    max_num_features: int | None = None,
    fmap: str | os.PathLike[str] = "",
    height: float = 0.6,
    title: str | None = "Feature importance",
    xlabel: str | None = None,
    ylabel: str | None = None,
    xlim: tuple[float, float] | None = None,
    ylim: tuple[float, float] | None = None,
    grid: bool = True,
    show_values: bool = True,
    values_format: str = "{v:.4g}",
    **bars: Any,
) -> Any:
    """Draw the importance of the features, the most important on top.

    Parameters
    ----------
    booster
        A Booster, a fitted estimator of `kauriboost.sklearn`, or a mapping of scores: feature -> score.
    ax
        Matplotlib axes to draw on; new ones by default.
    importance_type
        See `Booster.get_score`.
    max_num_features
        Maximum number of features to draw.
    fmap
        A file of feature names; the booster's own by default.
    height
        Height of the bars, which are at distance 1.
    title, xlabel, ylabel
        Texts; by default the label of the scores names the kind of importance.
    xlim, ylim
        Limits of the axes; by default all bars, from 0.
    grid
        Draw a grid behind the bars.
    show_values
        Write the score beside each bar.
    values_format
        Format of a score, with the name ``v``.
    **bars
        Passed to ``ax.barh``.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with one bar per feature.
    """
    import matplotlib.pyplot as plt

    is_given = isinstance(booster, Mapping)
    given: Mapping[str, Any] = booster if isinstance(booster, Mapping) else _scores(booster, fmap, importance_type)
    scores = sorted(given.items(), key=lambda item: item[1])
    if not scores:
        raise ValueError("there are no scores to draw: no tree of the booster has a split; train it for longer.")
    if max_num_features is not None:
        scores = scores[-max_num_features:]
    names, values = zip(*scores)
    if ax is None:
        _, ax = plt.subplots(figsize=(7, 1.2 + 0.32 * len(names)), layout="constrained")
    drawn = ax.barh(range(len(names)), values, height=height, **bars)
    ax.set_yticks(range(len(names)), names, **AS_WRITTEN)
    ax.set_ylim(ylim or (-0.7, len(names) - 0.3))
    ax.set_xlim(xlim or (0, max(values) * (1.15 if show_values else 1.05)))
    if show_values:
        ax.bar_label(drawn, [values_format.format(v=value) for value in values], padding=3)
    ax.set_xlabel(xlabel or ("score" if is_given else _UNITS.get(importance_type, importance_type.replace("_", " "))))
    ax.set_ylabel(ylabel or "")
    ax.set_title(title or "")
    if grid:
        ax.grid(axis="x", color="#e0e0e0")
        ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _scores(booster: Booster | Any, fmap: str | os.PathLike[str], importance_type: str) -> dict[str, Any]:
    model = booster if isinstance(booster, Booster) else booster.get_booster()
    return model.get_score(fmap, importance_type)
