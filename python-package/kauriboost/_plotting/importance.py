"""The plot of feature importance, and re-exports of the plots of explanations and trees."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from .._binding.errors import ParameterError
from .._explaining.explain import global_importance
from .._explaining.subject import is_linear, subject_of
from .._model.booster import Booster
from .dependence import plot_dependence
from .explanations import plot_beeswarm, plot_contributions, plot_interactions, plot_waterfall
from .metric import plot_metric
from .parts import AS_WRITTEN, BLUE, axes_for, signed
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

_UNITS = {
    "weight": "number of splits",
    "gain": "mean gain of the splits",
    "cover": "mean cover of the splits",
    "shap": "mean |SHAP value|",
}


def plot_importance(
    booster: Booster | Mapping[str, float] | Any,
    ax: Any = None,
    *,
    data: Any = None,
    importance_type: str | None = None,
    max_num_features: int | None = None,
    fmap: str | os.PathLike[str] = "",
    height: float = 0.65,
    title: str | None = None,
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
    data
        Rows, of any kind that `explain` takes. The scores are then the mean absolute SHAP values of these rows, summed
        over the outputs.
    importance_type
        The scores without `data`: see `Booster.get_score`. By default ``"gain"``; the coefficients of a linear model.
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
    given, kind = _scores(booster, fmap, importance_type, data)
    scores = sorted(given.items(), key=lambda item: item[1])
    if not scores:
        raise ValueError("there are no scores to draw: no tree of the booster has a split; train it for longer.")
    if max_num_features is not None:
        scores = scores[-max_num_features:]
    names, values = zip(*scores)
    ax = axes_for(ax, 7, len(names), grid="x" if grid else "")
    drawn = ax.barh(range(len(names)), values, height=height, **{"color": BLUE, **bars})
    ax.set_yticks(range(len(names)), names, **AS_WRITTEN)
    ax.set_ylim(ylim or (-0.6, len(names) - 0.4))
    ax.set_xlim(xlim or (0, max(values) * (1.15 if show_values else 1.05)))
    if show_values:
        ax.bar_label(drawn, [signed(values_format.format(v=value)) for value in values], padding=3)
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel(xlabel or _UNITS.get(kind, kind.replace("_", " ")))
    ax.set_ylabel(ylabel or "")
    ax.set_title(title or "")
    return ax


def _scores(
    booster: Booster | Mapping[str, float] | Any, fmap: str | os.PathLike[str], kind: str | None, data: Any
) -> tuple[Mapping[str, Any], str]:
    """Return the scores by feature, and their kind."""
    if isinstance(booster, Mapping):
        if data is not None:
            raise ParameterError("there are scores and data; pass a model with data, or scores alone.")
        return booster, kind or "score"
    if data is not None:
        if kind is not None:
            raise ParameterError(f"importance_type is {kind!r}, but data ask for SHAP values; leave one of them out.")
        means = global_importance(booster, data)
        strength = means.values if means.output_names is None else means.values.sum(axis=-1)
        return {name: float(value) for name, value in zip(means.feature_names, strength) if value > 0}, "shap"
    model = subject_of(booster, None).booster
    if kind is None and is_linear(model):
        return model.get_score(fmap, "weight"), "coefficient"
    return model.get_score(fmap, kind or "gain"), kind or "gain"
