"""The plot of a feature's contributions against its value."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._data.naming import shown_names
from .._explaining.explanation import Explanation
from .parts import (
    AS_WRITTEN,
    BLUE,
    GREY,
    LINES,
    axes_for,
    categories_of,
    draw_shaded,
    require,
    shade_bar,
    shades_of,
    short,
    value_of,
)

_MAX_TICKS = 30


def _feature(explanation: Explanation, which: str | int) -> int:
    names = explanation.feature_names
    number = names.index(which) if which in names else which
    if not isinstance(number, (int, np.integer)) or not 0 <= number < len(names):
        raise ValueError(f"there is no feature {which!r}; choose one of {shown_names(names)}, or its number.")
    return int(number)


def _spread(x: np.ndarray, gap: float) -> np.ndarray:
    """Spread points at one position evenly to keep them visible; `gap` is the distance to the next position."""
    spread: np.ndarray = x + ((np.arange(len(x)) * 0.6180339887) % 1.0 - 0.5) * 0.4 * gap
    return spread


def _place_missing(ax: Any, x: np.ndarray, missing: np.ndarray) -> np.ndarray:
    """Give missing values their own position on the left."""
    if not missing.any():
        return x
    low, high = (float(x[~missing].min()), float(x[~missing].max())) if not missing.all() else (0.0, 1.0)
    place = low - 0.08 * ((high - low) or 1.0)
    ax.axvline((place + low) / 2, color="#dddddd", linewidth=0.8)
    ax.text(place, 0.99, "missing", transform=ax.get_xaxis_transform(), rotation=90, ha="right", va="top", fontsize=8)
    return np.where(missing, place, x)


def _x_of_numbers(ax: Any, column: np.ndarray) -> np.ndarray:
    levels = np.unique(column[~np.isnan(column)])
    x = column.astype(np.float64)
    if 1 < len(levels) <= 20:
        x = _spread(x, float(np.diff(levels).min()))
    return _place_missing(ax, x, np.isnan(column))


def _x_of_categories(ax: Any, column: np.ndarray, names: list[str]) -> np.ndarray:
    """Return a position for each category that occurs, and label the axis with the names."""
    missing = np.isnan(column)
    found, places = np.unique(column[~missing].astype(np.int64), return_inverse=True)
    x = np.full(len(column), np.nan)
    x[~missing] = places
    ticks = np.arange(0, len(found), -(-len(found) // _MAX_TICKS) or 1)
    texts = [short(names[category], 24) for category in found[ticks]]
    is_long = sum(map(len, texts)) > 50
    slope = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if is_long else {}
    ax.set_xticks(ticks, texts, **slope, **AS_WRITTEN)
    return _place_missing(ax, _spread(x, 1.0), missing)


def _draw_by_category(ax: Any, x: np.ndarray, y: np.ndarray, codes: np.ndarray, names: list[str], **style: Any) -> Any:
    """Draw each category in a colour, rarer ones and missing values in grey; return the legend."""
    found, counts = np.unique(codes[~np.isnan(codes)].astype(np.int64), return_counts=True)
    chosen = np.sort(found[np.argsort(-counts, kind="stable")[: len(LINES)]])
    others = ~np.isin(codes, chosen)
    grey = [(others, GREY, "missing" if len(chosen) == len(found) else "others")] if others.any() else []
    groups = [*grey, *((codes == code, color, names[code]) for code, color in zip(chosen, LINES))]
    drawn = [ax.scatter(x[rows], y[rows], color=color, **style) for rows, color, _ in groups]
    place = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5), "frameon": False, "markerscale": 2}
    legend = ax.legend(drawn, ["-"] * len(drawn), **place)
    for text, (_, _, name) in zip(legend.get_texts(), groups):  # a label passed to legend() may not begin with '_'
        text.set(text=short(name), **AS_WRITTEN)
    return legend


def plot_dependence(
    explanation: Explanation,
    feature: str | int,
    ax: Any = None,
    *,
    color: str | int | None = None,
    size: float = 10.0,
) -> Any:
    """Draw a feature's SHAP value (or Banzhaf value) against its value.

    Parameters
    ----------
    explanation
        An explanation of several rows and one output.
    feature
        Its name or number. Named categories are drawn side by side.
    ax
        Matplotlib axes to draw on; new ones by default.
    color
        Another feature, whose values colour the points; missing values are grey. None by default. If it has named
        categories, the seven most frequent get a colour each.
    size
        Size of a point.

    Returns
    -------
    matplotlib.axes.Axes
    """
    require(explanation, 2, "a picture of dependence needs several rows of contributions")
    number = _feature(explanation, feature)
    ax = axes_for(ax, 7 if color is None else 7.6, 9, grid="y")
    ax.axhline(0, color="#888888", linewidth=0.8, zorder=0.9)
    column, names = explanation.data[:, number], list(map(str, categories_of(explanation, number)))
    x = _x_of_categories(ax, column, names) if names else _x_of_numbers(ax, column)
    y = explanation.values[:, number]
    style = {"s": size, "linewidths": 0, "alpha": 0.7, "rasterized": len(x) > 500}
    if color is None:
        ax.scatter(x, y, color=BLUE, **style)
    else:
        other = _feature(explanation, color)
        _draw_colored(ax, x, y, explanation, other, style)
    ax.set_xlabel(explanation.feature_names[number], **AS_WRITTEN)
    name = explanation.feature_names[number]
    of_feature = f" of {name}" if len(name) <= 20 else ""  # a longer name does not fit, and is the x label anyway
    ax.set_ylabel(value_of(explanation) + of_feature, **AS_WRITTEN)
    return ax


def _draw_colored(
    ax: Any, x: np.ndarray, y: np.ndarray, explanation: Explanation, feature: int, style: dict[str, Any]
) -> None:
    """Draw the points in the colours of a feature's values, and a legend or colour bar."""
    name, column = short(explanation.feature_names[feature]), explanation.data[:, feature]
    names = list(map(str, categories_of(explanation, feature)))
    if names:
        _draw_by_category(ax, x, y, column, names, **style).set_title(name, prop={"size": "medium"})
        ax.get_legend().get_title().set(**AS_WRITTEN)
    else:
        draw_shaded(ax, x, y, shades_of(column), **style)
        shade_bar(ax, name)
