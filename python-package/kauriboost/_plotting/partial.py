"""The plot of a prediction as a function of one feature, with the others fixed."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._explaining.partial_dependence import PartialDependence
from .parts import AS_WRITTEN, BLUE, GREY, axes_for, short


def plot_partial_dependence(
    dependence: PartialDependence, ax: Any = None, *, n_rows: int = 50, centered: bool = False
) -> Any:
    """Draw the mean prediction over a feature's values, and the curves of some rows in grey.

    Marks at the bottom are the deciles of the rows' own values: wide gaps mean few rows.

    Parameters
    ----------
    dependence
        The result of `partial_dependence`, for one output.
    ax
        Matplotlib axes to draw on; new ones by default.
    n_rows
        Number of rows whose curves are drawn, evenly spaced among all rows; 0 draws only the mean.
    centered
        Start every curve at 0. Curves of different shapes then indicate interactions.

    Returns
    -------
    matplotlib.axes.Axes
    """
    if dependence.output_names is not None:
        raise ValueError(f"the dependence has outputs {dependence.output_names}; choose one: dependence.output(...).")
    if n_rows < 0:
        raise ValueError(f"n_rows is {n_rows}; expected 0 or more.")
    ax = axes_for(ax, 7, 9)
    n_curves = len(dependence.individual)
    chosen = np.linspace(0, n_curves - 1, min(n_rows, n_curves)).round().astype(np.int64)
    curves, mean = dependence.individual[chosen], dependence.mean
    if centered:
        curves, mean = curves - curves[:, :1], mean - mean[0]
    if len(dependence.categories):
        _draw_categories(ax, dependence, curves, mean)
    else:
        ax.plot(dependence.grid, curves.T, color=GREY, linewidth=0.6, alpha=0.4, zorder=1)
        ax.plot(dependence.grid, mean, color=BLUE, linewidth=2.2, zorder=3)
        _mark_tenths(ax, dependence)
    ax.set_xlabel(dependence.feature_name, **AS_WRITTEN)
    what = "prediction" if dependence.explains == "value" else "margin"
    ax.set_ylabel(f"change of the {what}" if centered else f"mean {what}")
    return ax


def _draw_categories(ax: Any, dependence: PartialDependence, curves: np.ndarray, mean: np.ndarray) -> None:
    places = np.arange(len(dependence.grid))
    ax.plot(places, curves.T, color=GREY, linewidth=0.6, alpha=0.4, zorder=1)
    ax.plot(places, mean, "o", color=BLUE, markersize=7, zorder=3)
    names = [_category(dependence, value) for value in dependence.grid]
    slope = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if sum(map(len, names)) > 50 else {}
    ax.set_xticks(places, names, **slope, **AS_WRITTEN)


def _category(dependence: PartialDependence, value: float) -> str:
    code = int(value)
    return short(str(dependence.categories[code]), 24) if 0 <= code < len(dependence.categories) else f"{value:g}"


def _mark_tenths(ax: Any, dependence: PartialDependence) -> None:
    present = dependence.observed[~np.isnan(dependence.observed)]
    if len(present) == 0:
        return
    tenths = np.quantile(present, np.linspace(0.1, 0.9, 9))
    shown = tenths[(tenths >= dependence.grid[0]) & (tenths <= dependence.grid[-1])]
    ax.plot(shown, np.zeros(len(shown)), "|", color="black", markersize=8, transform=ax.get_xaxis_transform(), zorder=2)
