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

    Marks at the bottom are the deciles of the rows' own values: wide gaps mean few rows. A curve with every threshold
    of the model is drawn in steps, over a histogram of the rows' values; a point on the left is the mean at missing. On
    a map, points are the values of some rows.

    Parameters
    ----------
    dependence
        The result of `partial_dependence` or `accumulated_local_effects`, or a curve or joint dependence of
        `dependence_curves` or `functional_anova`, for one output.
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
    if not isinstance(dependence, PartialDependence):
        kind = type(dependence).__name__
        raise TypeError(f"expected a curve or joint dependence, got {kind}; choose one, such as .curve(0).")
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
    chosen = chosen if dependence.has_curves else chosen[:0]
    curves = dependence.curves_of(chosen) if len(chosen) else np.zeros((0, len(dependence.mean)))
    mean = dependence.mean
    if centered:
        curves, mean = curves - curves[:, :1], mean - mean[0]
    if len(dependence.categories):
        _draw_categories(ax, dependence, curves, mean)
    elif dependence.is_exact:
        _draw_steps(ax, dependence, curves, mean)
    else:
        ax.plot(dependence.grid, curves.T, color=GREY, linewidth=0.6, alpha=0.4, zorder=1)
        ax.plot(dependence.grid, mean, color=BLUE, linewidth=2.2, zorder=3)
        _mark_tenths(ax, dependence)
    ax.set_xlabel(dependence.feature_name, **AS_WRITTEN)
    what = _quantity_of(dependence)
    if len(chosen):
        _explain_lines(ax, bool(len(dependence.categories)))
    label = what if len(chosen) else _label_of(dependence)
    ax.set_ylabel(f"change of the {what}" if centered else label, **AS_WRITTEN)
    return ax


def _label_of(dependence: PartialDependence) -> str:
    """Return the name of what a curve or map shows."""
    words = {"partial": "mean", "effect": "effect on the", "local": "local effect on the"}
    return f"{words[dependence.kind]} {_quantity_of(dependence)}"


def _shown_range(grid: np.ndarray, observed: np.ndarray) -> tuple[float, float]:
    """Return the range of values to draw: the range of the rows, widened to all thresholds."""
    present = observed[~np.isnan(observed)]
    ends = [float(end) for end in (*present, *grid[1:])] or [float(grid[0])]
    low, high = min(ends), max(ends)
    margin = 0.02 * ((high - low) or 1.0)
    return low - margin, high + margin


def _drawn(grid: np.ndarray, observed: np.ndarray) -> np.ndarray:
    """Return the ends of the cells to draw: the range of the rows, and the thresholds between.

    Whole numbers of a small range are each in the middle of their cell: a truth value of 1 would else have no width.
    """
    low, high = _shown_range(grid, observed)
    present = observed[~np.isnan(observed)]
    if len(present) and np.ptp(present) <= 30 and (present == np.round(present)).all():
        ends = np.ceil(grid[1:]) - 0.5
        inside = [present.min() - 0.5, *ends, present.max() + 0.5]
        return np.concatenate([[min(inside)], ends, [max(inside)]])
    return np.concatenate([[low], grid[1:], [high]])


def _draw_steps(ax: Any, dependence: PartialDependence, curves: np.ndarray, mean: np.ndarray) -> None:
    """Draw a curve that is constant from each value of the grid to the next, over a histogram of the rows' values."""
    x = _drawn(dependence.grid, dependence.observed)
    low, high = float(x[0]), float(x[-1])
    every = np.concatenate([curves, mean[None]])
    every = np.concatenate([every, every[:, -1:]], axis=1)
    ax.plot(x, every[:-1].T, color=GREY, linewidth=0.6, alpha=0.4, zorder=1, drawstyle="steps-post")
    ax.plot(x, every[-1], color=BLUE, linewidth=2.2, zorder=3, drawstyle="steps-post")
    present = dependence.observed[~np.isnan(dependence.observed)]
    if len(present):
        counts, ends = np.histogram(present, bins=30, range=(low, high))
        style: dict[str, Any] = {"color": "#dddddd", "linewidth": 0, "zorder": 0.5, "align": "edge"}
        heights = 0.12 * counts / counts.max()
        ax.bar(ends[:-1], heights, np.diff(ends) * 0.92, transform=ax.get_xaxis_transform(), **style)
    if dependence.missing is not None and np.isnan(dependence.observed).any():
        place = low - 0.04 * (high - low)
        ax.plot(place, dependence.missing - (dependence.mean[0] - mean[0]), "o", color=BLUE, markersize=6, zorder=3)
        ax.annotate(
            "missing",
            (place, dependence.missing - (dependence.mean[0] - mean[0])),
            (0, 7),
            textcoords="offset points",
            ha="center",
            fontsize=8,
        )


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
    places, shading = [], "flat" if dependence.is_exact else "nearest"
    for number, (axis, grid, name, names) in enumerate(
        zip((ax.xaxis, ax.yaxis), dependence.grid, dependence.feature_name, dependence.categories)
    ):
        if len(names):
            texts = [_category(names, value) for value in grid]
            turned = {"rotation": 45, "ha": "right"} if axis is ax.xaxis and sum(map(len, texts)) > 60 else {}
            axis.set_ticks(range(len(grid)), texts, **AS_WRITTEN, **turned)
        axis.set_label_text(name, **AS_WRITTEN)
        places.append(_places(dependence, number))
    limit = np.abs(dependence.mean).max() if dependence.kind == "effect" else None
    ends = {"cmap": colors()} if limit is None else {"cmap": colors("white"), "vmin": -limit, "vmax": limit}
    image = ax.pcolormesh(*places, dependence.mean.T, shading=shading, rasterized=True, **ends)
    bar = ax.figure.colorbar(image, ax=ax, aspect=30, pad=0.02)
    bar.set_label(_label_of(dependence), **AS_WRITTEN)
    bar.outline.set_visible(False)
    if not any(map(len, dependence.categories)) and len(rows):
        low, high = (np.array([end(place) for place in places]) for end in (np.min, np.max))
        inside = rows[((rows >= low) & (rows <= high)).all(axis=1)]
        ax.plot(*inside.T, "o", color="white", markeredgecolor="black", markeredgewidth=0.5, markersize=3, alpha=0.8)
    return ax


def _places(dependence: PartialDependence, number: int) -> np.ndarray:
    """Return the places of a feature's values on a map: their middles, or if the map is exact the ends of intervals."""
    grid = dependence.grid[number]
    if not dependence.is_exact:
        return np.arange(len(grid)) if len(dependence.categories[number]) else grid
    if len(dependence.categories[number]):
        return np.arange(len(grid) + 1) - 0.5
    return _drawn(grid, dependence.observed[:, number])


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
