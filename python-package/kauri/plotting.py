"""Pictures of a model; those of explanations are in explain_plots.py."""

from __future__ import annotations

import os
from typing import Any

from .booster import Booster
from .explain_plots import plot_beeswarm, plot_contributions, plot_dependence, plot_interactions, plot_waterfall

__all__ = [
    "plot_beeswarm",
    "plot_contributions",
    "plot_dependence",
    "plot_importance",
    "plot_interactions",
    "plot_waterfall",
]


def plot_importance(
    booster: Booster | Any,
    ax: Any = None,
    *,
    importance_type: str = "weight",
    max_num_features: int | None = None,
    fmap: str | os.PathLike[str] = "",
    height: float = 0.6,
    title: str | None = "Feature importance",
    xlabel: str | None = None,
    show_values: bool = True,
    values_format: str = "{v:.4g}",
    **bars: Any,
) -> Any:
    """Draw how important the features are, the most important on top.

    Parameters
    ----------
    booster
        A Booster, or a fitted estimator of `kauri.sklearn`.
    ax
        Matplotlib axes to draw on; new ones if not given.
    importance_type
        See `Booster.get_score`.
    max_num_features
        Draw only so many.
    fmap
        A file of feature names; the booster's own if not given.
    height
        Of the bars; the next one is 1 away.
    title, xlabel
        Texts; the label tells the importance's kind if not given.
    show_values
        Write the number beside each bar.
    values_format
        How, with the name ``v``.
    **bars
        Passed to ``ax.barh``.

    Returns
    -------
    matplotlib.axes.Axes
        With one bar per feature.
    """
    import matplotlib.pyplot as plt

    model = booster if isinstance(booster, Booster) else booster.get_booster()
    scores = sorted(model.get_score(fmap, importance_type).items(), key=lambda item: item[1])
    if not scores:
        raise ValueError("no tree of the booster has a split, so there is no importance to draw; train it for longer.")
    if max_num_features is not None:
        scores = scores[-max_num_features:]
    names, values = zip(*scores)
    if ax is None:
        _, ax = plt.subplots(figsize=(7, 1.2 + 0.32 * len(names)), layout="constrained")
    drawn = ax.barh(range(len(names)), values, height=height, **bars)
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(-0.7, len(names) - 0.3)
    ax.set_xlim(0, max(values) * (1.15 if show_values else 1.05))
    if show_values:
        ax.bar_label(drawn, [values_format.format(v=value) for value in values], padding=3)
    units = {"weight": "number of splits", "gain": "mean gain", "cover": "mean cover"}
    ax.set_xlabel(xlabel or units.get(importance_type, importance_type.replace("_", " ")))
    if title:
        ax.set_title(title)
    ax.spines[["top", "right"]].set_visible(False)
    return ax
