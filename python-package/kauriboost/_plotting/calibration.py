"""Whether predicted distributions have the shares of labels that they state."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._model.distribution import Distribution
from .parts import BLUE, GREY, axes_for, number_text, percent_text


def plot_calibration(
    distribution: Distribution, y: Any, *, kind: str = "reliability", n_bins: int = 20, ax: Any = None
) -> Any:
    """Plot how well distributions of new rows agree with their labels.

    Of a calibrated model, a share q of the labels lies below the quantile q. The band holds 95 % of such curves or bars
    by chance.

    Parameters
    ----------
    distribution
        The distributions of rows that the model has not learnt from.
    y
        Their labels.
    kind
        "reliability": for each stated share the share of labels that is found below its quantile; a curve below the
        diagonal at the left and above it at the right means distributions that are too wide. "histogram": the labels'
        places in their distributions; a hump means too wide, a valley too narrow.
    n_bins
        Number of bars of the histogram.
    ax
        Matplotlib axes to draw on; new ones by default.

    Returns
    -------
    matplotlib.axes.Axes
    """
    if kind not in ("reliability", "histogram"):
        raise ValueError(f"kind is {kind!r}; expected 'reliability' or 'histogram'.")
    places = np.sort(distribution.pit(y))
    n_missing = int(np.isnan(places).sum())
    if n_missing:
        raise ValueError(f"{n_missing} labels are missing (NaN); leave their rows out.")
    if not len(places):
        raise ValueError("there are no rows to compare; give distributions and labels of new rows.")
    ax = axes_for(ax, 5.5, 12, grid="both" if kind == "reliability" else "y")
    if kind == "reliability":
        _draw_reliability(ax, places)
    else:
        _draw_histogram(ax, places, n_bins)
    inside = np.mean((places >= 0.05) & (places <= 0.95))
    text = f"90 % intervals hold {percent_text(float(inside))} of {number_text(len(places), 6)} labels"
    about = {"textcoords": "offset points", "fontsize": 9, "va": "bottom", "annotation_clip": False}
    ax.annotate(text, (0, 1), (0, 4), xycoords="axes fraction", **about)
    return ax


def _draw_reliability(ax: Any, places: np.ndarray) -> None:
    stated = np.linspace(0, 1, 101)
    found = np.searchsorted(places, stated, side="right") / len(places)
    half = 1.96 * np.sqrt(stated * (1 - stated) / len(places))
    ax.fill_between(stated, np.clip(stated - half, 0, 1), np.clip(stated + half, 0, 1), color=GREY, alpha=0.3, lw=0)
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=1)
    ax.plot(stated, found, color=BLUE)
    ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="stated share below the quantile", ylabel="share of labels found below it")


def _draw_histogram(ax: Any, places: np.ndarray, n_bins: int) -> None:
    counts, edges = np.histogram(places, bins=n_bins, range=(0, 1))
    expected = len(places) / n_bins
    half = 1.96 * np.sqrt(expected * (1 - 1 / n_bins))
    ax.bar(edges[:-1], counts / expected, width=1 / n_bins, align="edge", color=BLUE, edgecolor="white", linewidth=0.5)
    ax.axhspan(max(0.0, 1 - half / expected), 1 + half / expected, color=GREY, alpha=0.3, linewidth=0)
    ax.axhline(1, color=GREY, linewidth=1)
    ax.set(xlim=(0, 1), xlabel="place of the label in its distribution", ylabel="labels, relative to a uniform share")
