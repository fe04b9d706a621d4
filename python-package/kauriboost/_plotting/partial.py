"""The plot of a prediction as a function of one or two features, with the others fixed."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._data.categories import CategoryNames
from .._explaining.partial_dependence import PartialDependence
from .parts import AS_WRITTEN, BLUE, GREY, axes_for, class_text, colors, short


def plot_partial_dependence(
    dependence: PartialDependence, ax: Any = None, *, n_rows: int = 50, centered: bool = False
) -> Any:
    """Draw the mean prediction over a feature's values, and the curves of some rows in grey; or a map of two features.

    Marks at the bottom are the deciles of the rows' own values: wide gaps mean few rows. On a map, points are the
    values of some rows.

    Parameters
    ----------
    dependence
        The result of `partial_dependence`, for one output.
    ax
        Matplotlib axes to draw on; new ones by default.
    n_rows
        Number of rows whose curves or points are drawn, evenly spaced among all rows; 0 draws only the mean.
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
    n_all = len(dependence.observed)
    chosen = np.linspace(0, n_all - 1, min(n_rows, n_all)).round().astype(np.int64)
    if dependence.is_pair:
        if centered:
            raise ValueError("centered is true, but two features have no curves; leave it out.")
        return _draw_map(axes_for(ax, 7, 11), dependence, dependence.observed[chosen])
    ax = axes_for(ax, 7, 9, grid="y")
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
    what = _quantity_of(dependence)
    if len(chosen):
        _explain_lines(ax, bool(len(dependence.categories)))
    ax.set_ylabel(f"change of the {what}" if centered else what if len(chosen) else f"mean {what}", **AS_WRITTEN)
    return ax


def _quantity_of(dependence: PartialDependence) -> str:
    """Return the name of the predicted quantity."""
    is_log_odds = dependence.scale == "log-odds"
    if dependence.explains == "value":
        what = "probability" if is_log_odds or dependence.class_name is not None else "prediction"
    else:
        what = {"log": "log of the prediction", "": "margin"}.get(dependence.scale, dependence.scale)
    return what if dependence.class_name is None else f"{what} of {class_text(dependence.class_name)}"


def _explain_lines(ax: Any, is_by_category: bool) -> None:
    """Draw a legend above the axes, where no curve is."""
    from matplotlib.lines import Line2D

    line: dict[str, Any] = {
        "color": BLUE,
        **({"marker": "o", "linestyle": "none"} if is_by_category else {"linewidth": 2.2}),
    }
    shown = {"mean": Line2D([], [], **line), "single rows": Line2D([], [], color=GREY, linewidth=0.8)}
    place = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "ncols": 2, "frameon": False, "borderaxespad": 0.1}
    ax.legend(shown.values(), shown.keys(), fontsize="small", **place)


def _draw_map(ax: Any, dependence: PartialDependence, rows: np.ndarray) -> Any:
    """Draw the mean over pairs of values: the first feature along the x axis, the second along the y axis."""
    places = []
    for axis, grid, name, names in zip(
        (ax.xaxis, ax.yaxis), dependence.grid, dependence.feature_name, dependence.categories
    ):
        if len(names):
            axis.set_ticks(range(len(grid)), [_category(names, value) for value in grid], **AS_WRITTEN)
        axis.set_label_text(name, **AS_WRITTEN)
        places.append(np.arange(len(grid)) if len(names) else grid)
    image = ax.pcolormesh(*places, dependence.mean.T, cmap=colors(), shading="nearest", rasterized=True)
    bar = ax.figure.colorbar(image, ax=ax, aspect=30, pad=0.02)
    bar.set_label(f"mean {_quantity_of(dependence)}", **AS_WRITTEN)
    bar.outline.set_visible(False)
    if not any(map(len, dependence.categories)) and len(rows):
        low, high = (np.array([end(grid) for grid in dependence.grid]) for end in (np.min, np.max))
        inside = rows[((rows >= low) & (rows <= high)).all(axis=1)]
        ax.plot(*inside.T, "o", color="white", markeredgecolor="black", markeredgewidth=0.5, markersize=3, alpha=0.8)
    return ax


def _draw_categories(ax: Any, dependence: PartialDependence, curves: np.ndarray, mean: np.ndarray) -> None:
    places = np.arange(len(dependence.grid))
    ax.plot(places, curves.T, color=GREY, linewidth=0.6, alpha=0.4, zorder=1)
    ax.plot(places, mean, "o", color=BLUE, markersize=7, zorder=3)
    names = [_category(dependence.categories, value) for value in dependence.grid]
    slope = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if sum(map(len, names)) > 50 else {}
    ax.set_xticks(places, names, **slope, **AS_WRITTEN)


def _category(names: CategoryNames, value: float) -> str:
    code = int(value)
    return short(str(names[code]), 24) if 0 <= code < len(names) else f"{value:g}"


def _mark_tenths(ax: Any, dependence: PartialDependence) -> None:
    present = dependence.observed[~np.isnan(dependence.observed)]
    if len(present) == 0:
        return
    tenths = np.quantile(present, np.linspace(0.1, 0.9, 9))
    shown = tenths[(tenths >= dependence.grid[0]) & (tenths <= dependence.grid[-1])]
    ax.plot(shown, np.zeros(len(shown)), "|", color="black", markersize=8, transform=ax.get_xaxis_transform(), zorder=2)
