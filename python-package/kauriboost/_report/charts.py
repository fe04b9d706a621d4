"""Plots of how good predictions are, for the report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._plotting.parts import AS_WRITTEN, BLUE, GREY, LINES, RED, axes_for, short
from .numbers import Calibration, Curve

_MOST_POINTS = 2000


def plot_curves(curves: Sequence[tuple[str, Curve]], ax: Any, labels: tuple[str, str], chance: Curve | None) -> Any:
    """Draw curves over shares from 0 to 1, and the line of chance in grey."""
    ax = axes_for(ax, 5, 8, grid="both")
    if chance is not None:
        ax.plot(*chance, color=GREY, linewidth=1, linestyle="--")
    for (_, curve), color in zip(curves, LINES):
        ax.plot(*curve, color=color, linewidth=1.6, drawstyle="default")
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), xlabel=labels[0], ylabel=labels[1])
    if len(curves) > 1:
        name_lines(ax, ax.lines[-len(curves) :], [name for name, _ in curves])
    return ax


def name_lines(ax: Any, lines: Sequence[Any], names: Sequence[str]) -> None:
    """Draw a legend below the axes, with names as they are written."""
    place = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.18), "ncols": 3, "frameon": False, "fontsize": "small"}
    legend = ax.legend(lines, ["-"] * len(lines), **place)
    for text, name in zip(legend.get_texts(), names):  # a label passed to legend() may not begin with '_'
        text.set(text=short(name, 20), **AS_WRITTEN)


def plot_calibration(found: Calibration, ax: Any, labels: tuple[str, str]) -> Any:
    """Draw the observed share of each bin over its mean prediction, with its interval, and the diagonal in grey."""
    ax = axes_for(ax, 5, 8, grid="both")
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=1, linestyle="--")
    ax.vlines(found.predicted, found.low, found.high, color=BLUE, linewidth=1)
    ax.plot(found.predicted, found.observed, "o-", color=BLUE, markersize=4, linewidth=1.2)
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), xlabel=labels[0], ylabel=labels[1])
    return ax


def plot_histograms(groups: Sequence[tuple[str, np.ndarray]], ax: Any, label: str, limits: Any = (0.0, 1.0)) -> Any:
    """Draw the number of rows by a quantity for each group, one in front of the other."""
    ax = axes_for(ax, 5, 8, grid="y")
    bins = np.linspace(limits[0], limits[1], 21)
    for (_, values), color in zip(groups, (BLUE, RED)):
        ax.hist(values, bins, color=color, alpha=0.55 if len(groups) > 1 else 0.85)
    ax.set_xlabel(label, **AS_WRITTEN)
    ax.set_ylabel("rows")
    if len(groups) > 1:
        name_lines(ax, [bars.patches[0] for bars in ax.containers], [name for name, _ in groups])
    return ax


def plot_points(x: np.ndarray, y: np.ndarray, ax: Any, labels: tuple[str, str], is_diagonal: bool) -> Any:
    """Draw at most 2,000 rows as points, and the diagonal or the line of 0."""
    ax = axes_for(ax, 5, 8, grid="both")
    chosen = np.unique(np.linspace(0, len(x) - 1, min(len(x), _MOST_POINTS)).round().astype(np.int64))
    x, y = x[chosen], y[chosen]
    ax.scatter(x, y, s=10, color=BLUE, alpha=0.5, linewidths=0, rasterized=len(x) > 300)
    if is_diagonal:
        ends = [min(x.min(), y.min()), max(x.max(), y.max())]
        ax.plot(ends, ends, color=GREY, linewidth=1, linestyle="--")
    else:
        ax.axhline(0, color=GREY, linewidth=1, linestyle="--")
    ax.set(xlabel=labels[0], ylabel=labels[1])
    return ax


def plot_places(means: np.ndarray, overall: float, ax: Any) -> Any:
    """Draw the mean label of the rows at each place of a ranking, and the mean of all rows."""
    ax = axes_for(ax, 5, 8, grid="y")
    ax.bar(np.arange(1, len(means) + 1), means, color=BLUE, width=0.7)
    ax.axhline(overall, color=GREY, linewidth=1, linestyle="--")
    ax.set(xlabel="place in the ranking of the model", ylabel="mean label", xticks=range(1, len(means) + 1))
    return ax


def plot_steps(curves: Sequence[tuple[str, Curve]], ax: Any) -> Any:
    """Draw shares over time as steps."""
    ax = axes_for(ax, 5, 8, grid="both")
    for (_, curve), color in zip(curves, LINES):
        ax.step(*curve, where="post", color=color, linewidth=1.6)
    ax.set(ylim=(0, 1.02), xlabel="time", ylabel="share of rows without an event")
    name_lines(ax, ax.lines, [name for name, _ in curves])
    return ax
