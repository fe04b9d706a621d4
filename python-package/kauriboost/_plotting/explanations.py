"""Plots of an `Explanation`: swarm, bars, waterfall and interactions."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._explaining.explanation import Explanation, GlobalImportance
from .parts import (
    AS_WRITTEN,
    BLUE,
    GREY,
    RED,
    WORDS,
    axes_for,
    categories_of,
    draw_shaded,
    meaning_of,
    number_text,
    quantity_of,
    require,
    shade_bar,
    shades_of,
    short,
    signed,
    value_of,
)

_MOST_POINTS = 2000  # above this, an image of the points is smaller than their places
_HALF_BAR = 0.325  # in a waterfall, with rows of height 1


def _mean_abs(explanation: Explanation | GlobalImportance, n_axes: int, what: str) -> np.ndarray:
    """Return the strength of each feature or pair. Raises ValueError unless there are `n_axes` axes of features."""
    is_mean = isinstance(explanation, GlobalImportance)
    require(explanation, n_axes + (not is_mean), what)
    return explanation.values if is_mean else np.abs(explanation.values).mean(axis=0)


def _strongest(strength: np.ndarray, max_display: int) -> np.ndarray:
    """Return the numbers of the features to draw, strongest first; ties keep the order of the features."""
    if max_display < 1:
        raise ValueError(f"max_display is {max_display}; draw at least one feature.")
    return np.argsort(-strength, kind="stable")[:max_display]


def _swarm_offsets(x: np.ndarray, low: float, high: float) -> np.ndarray:
    """Spread points that lie close together, alternately up and down, at most 0.4 away from the line."""
    width = (high - low) or 1.0
    bins = np.clip(((x - low) / width * 100).astype(np.int64), 0, 100)
    order = np.argsort(bins, kind="stable")
    counts = np.bincount(bins, minlength=101)
    first = np.cumsum(counts) - counts
    place = np.empty(len(x), dtype=np.int64)
    place[order] = np.arange(len(x)) - first[bins[order]]
    layer = (place + 1) // 2 * np.where(place % 2 == 0, 1, -1)
    return layer * min(0.08, 0.8 / max(int(counts.max()), 1))


def plot_beeswarm(explanation: Explanation, ax: Any = None, *, max_display: int = 12, size: float = 9.0) -> Any:
    """Draw the SHAP values of all rows for the strongest features, coloured by the feature's value.

    Missing values and named categories, which have no order for a colour scale, are grey. So is the last line, the sum
    of the other features' values in each row.

    Parameters
    ----------
    explanation
        An explanation of several rows and one output.
    ax
        Matplotlib axes to draw on; new ones by default.
    max_display
        Maximum number of features to draw.
    size
        Size of a point.

    Returns
    -------
    matplotlib.axes.Axes
    """
    require(explanation, 2, "a swarm needs several rows of contributions")
    features = _strongest(np.abs(explanation.values).mean(axis=0), max_display)
    names, columns, shades = _swarm_lines(explanation, features)
    ax = axes_for(ax, 8, len(names), grid="x")
    ax.axvline(0, color="#888888", linewidth=0.8, zorder=0.9)
    low, high = min(x.min() for x in columns), max(x.max() for x in columns)
    for line, (x, shade) in enumerate(zip(columns[::-1], shades[::-1])):
        y = line + _swarm_offsets(x, low, high)
        draw_shaded(ax, x, y, shade, s=size, linewidths=0, rasterized=len(x) * len(names) > _MOST_POINTS)
    ax.set_yticks(range(len(names)), names[::-1], **AS_WRITTEN)
    ax.set_ylim(-0.6, len(names) - 0.4)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    label = f"{value_of(explanation)} (effect on the {quantity_of(explanation)})"
    ax.set_xlabel(label + _about_grey(explanation, features), **AS_WRITTEN)
    shade_bar(ax, "feature value")
    return ax


def _swarm_lines(
    explanation: Explanation, features: np.ndarray
) -> tuple[list[str], list[np.ndarray], list[np.ndarray]]:
    """Return the name, values and shades of each line; the last one is the sum of the features without a line."""
    grey = np.full(len(explanation), np.nan)
    names = [short(explanation.feature_names[feature]) for feature in features]
    columns = [explanation.values[:, feature] for feature in features]
    shades = [
        grey if categories_of(explanation, feature) else shades_of(explanation.data[:, feature]) for feature in features
    ]
    others = np.setdiff1d(np.arange(explanation.values.shape[1]), features)
    if len(others):
        names.append(f"sum of {len(others)} others")
        columns.append(explanation.values[:, others].sum(axis=1))
        shades.append(grey)
    return names, columns, shades


def _about_grey(explanation: Explanation, features: np.ndarray) -> str:
    """Return a second line for the label of the axis, which says what is grey; empty if nothing is."""
    has_categories = [bool(categories_of(explanation, feature)) for feature in features]
    numbers = features[~np.array(has_categories)]
    kinds = ["categories"] * any(has_categories)
    kinds += ["missing values"] * bool(np.isnan(explanation.data[:, numbers]).any())
    return f"\ngrey: {' and '.join(kinds)}" if kinds else ""


def plot_contributions(explanation: Explanation | GlobalImportance, ax: Any = None, *, max_display: int = 12) -> Any:
    """Draw the mean strength of the strongest features, ``mean |SHAP value|``, and the sum of the others.

    Parameters
    ----------
    explanation
        An explanation of several rows and one output, or their `GlobalImportance`.
    ax
        Matplotlib axes to draw on; new ones by default.
    max_display
        Maximum number of features with their own bar.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with one bar per line.
    """
    strength = _mean_abs(explanation, 1, "bars need several rows of contributions")
    features = _strongest(strength, max_display)
    names = [short(explanation.feature_names[feature]) for feature in features]
    lengths = [float(length) for length in strength[features]]
    colors = [BLUE] * len(names)
    n_others = len(strength) - len(features)
    if n_others > 0:
        names.append(f"sum of {n_others} others")
        lengths.append(float(strength.sum() - strength[features].sum()))
        colors.append(GREY)
    ax = axes_for(ax, 7, len(names), grid="x")
    bars = ax.barh(range(len(names) - 1, -1, -1), lengths, height=0.65, color=colors)
    ax.bar_label(bars, [number_text(length) for length in lengths], padding=3)
    ax.set_yticks(range(len(names) - 1, -1, -1), names, **AS_WRITTEN)
    ax.set_ylim(-0.6, len(names) - 0.4)
    ax.set_xlim(0, (max(lengths) or 1.0) * 1.12)
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel(f"mean |{value_of(explanation)}|")
    return ax


def _cell_text(explanation: Explanation, feature: int) -> str:
    cell, names = float(explanation.data[feature]), categories_of(explanation, feature)
    if np.isnan(cell):
        return "missing"
    if 0 <= cell < len(names):
        return short(str(names[int(cell)]))
    return signed(f"{cell:.0f}" if cell == round(cell) and abs(cell) < 1e9 else number_text(cell, 5))


def _line_label(explanation: Explanation, feature: int) -> str:
    name = explanation.feature_names[feature]
    if name in explanation.without_value:
        return short(name)
    return f"{short(name)} = {_cell_text(explanation, feature)}"


def _waterfall_lines(explanation: Explanation, max_display: int) -> tuple[list[str], np.ndarray]:
    """Return labels and contributions from bottom to top: others, weakest, ..., strongest."""
    values = explanation.values
    features = _strongest(np.abs(values), max_display)[::-1]
    labels = [_line_label(explanation, feature) for feature in features]
    steps = values[features].astype(np.float64)
    n_others = len(values) - len(features)
    if n_others > 0:
        others = values.sum(dtype=np.float64) - steps.sum()
        return [f"{n_others} other features", *labels], np.concatenate([[others], steps])
    return labels, steps


def plot_waterfall(explanation: Explanation, ax: Any = None, *, max_display: int = 10) -> Any:
    """Draw the contributions that lead from the base value to a row's margin, or other explained quantity.

    If the margin is the log-odds of a class, or the logarithm of a prediction, the probability or prediction stands
    beside it.

    Parameters
    ----------
    explanation
        An explanation of one row and one output: ``explanation[row]``.
    ax
        Matplotlib axes to draw on; new ones by default.
    max_display
        Maximum number of features with their own bar.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with one bar per line.
    """
    require(explanation, 1, "a waterfall needs the contributions of one row: explanation[row]")
    if not explanation.adds_up:
        raise ValueError(
            f"the values do not add up to the {explanation.explains}; explain all features by values='shapley', "
            "or by another method."
        )
    labels, steps = _waterfall_lines(explanation, max_display)
    ends = float(explanation.base_values) + np.cumsum(steps)
    starts = ends - steps
    ax = axes_for(ax, max(8, 5.4 + 0.08 * max(map(len, labels))), len(labels), grid="x")
    _draw_steps(ax, starts, ends)
    low, high = min(starts.min(), ends.min()), max(starts.max(), ends.max())
    span = (high - low) or 1.0
    ax.set_xlim(low - 0.06 * span, high + 0.24 * span)  # room for the numbers on the right
    half = low + 0.5 * span
    base, row = (meaning_of(explanation, float(margin)) for margin in (starts[0], ends[-1]))
    _mark_end(ax, ("base value", base), starts[0], (-_HALF_BAR, -1.0), on_left=starts[0] < half)
    top = len(labels) - 1
    _mark_end(ax, ("this row", row), ends[-1], (top + _HALF_BAR, top + 1.0), on_left=ends[-1] < half)
    ax.locator_params(axis="x", nbins=4)
    ax.set_yticks(range(len(labels)), labels, **AS_WRITTEN)
    ax.set_ylim(-1.1, len(labels) + 0.1)
    ax.tick_params(axis="y", length=0)
    what = {"log-odds": "probability", "log": "prediction"}.get(explanation.scale, "") if row else ""
    ax.set_xlabel(quantity_of(explanation) + (f" (in brackets: {what})" if what else ""), **AS_WRITTEN)
    return ax


def _draw_steps(ax: Any, starts: np.ndarray, ends: np.ndarray) -> None:
    """Draw a bar per line, its value on the right, and a line to the start of the next bar."""
    lines, steps = np.arange(len(starts)), ends - starts
    ax.barh(lines, steps, left=starts, height=2 * _HALF_BAR, color=np.where(steps < 0, BLUE, RED))
    ax.vlines(ends[:-1], lines[:-1] + _HALF_BAR, lines[1:] - _HALF_BAR, "#888888", linewidth=0.8)
    place = {"xytext": (5, 0), "textcoords": "offset points", "va": "center", "fontsize": 9}
    for line, right, step in zip(lines, np.maximum(starts, ends), steps):
        ax.annotate(signed(number_text(step, sign="+")), (right, line), **place)


def _mark_end(ax: Any, words: tuple[str, str], x: float, reach: tuple[float, float], on_left: bool) -> None:
    """Draw a line out from the first or last bar, and beside it the number between two words, towards the middle."""
    bar, end = reach
    ax.vlines(x, min(reach), max(reach), "#888888", linewidth=0.8, linestyle=":")
    place = {"textcoords": "offset points", "va": "center", "fontsize": 9, "ha": "left" if on_left else "right"}
    ax.annotate(
        f"{words[0]} {signed(number_text(x, 4))}{words[1]}",
        (x, bar + 0.63 * (end - bar)),
        (4 if on_left else -4, 0),
        **place,
    )


def plot_interactions(explanation: Explanation | GlobalImportance, ax: Any = None, *, max_display: int = 8) -> Any:
    """Draw the mean strength of single features (the diagonal, on its own scale) and of pairs of features.

    Parameters
    ----------
    explanation
        An explanation of several rows and one output, made with ``interactions=True``, or their `GlobalImportance`. The
        strength of a pair is the sum of its two cells.
    ax
        Matplotlib axes to draw on; new ones by default.
    max_display
        Maximum number of features; those with the largest row sums of the matrix are drawn.

    Returns
    -------
    matplotlib.axes.Axes
    """
    strength = _mean_abs(explanation, 2, "a matrix needs several rows of interactions: explain(..., interactions=True)")
    features = _strongest(strength.sum(axis=1), max_display)
    shown = 2 * strength[np.ix_(features, features)]
    shown[np.diag_indices(len(features))] /= 2
    shown[np.triu_indices(len(features), 1)] = np.nan
    names = [short(explanation.feature_names[feature]) for feature in features]
    n_lines, longest = max(len(features), 4), max(map(len, names))
    ax = axes_for(ax, 2.8 + 0.06 * longest + 0.62 * n_lines, int(1.4 * n_lines + 0.12 * longest) + 2)
    _draw_matrix(ax, shown)
    ax.set_xlabel(f"mean |{WORDS[explanation.kind]} interaction value|")
    ax.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor", **AS_WRITTEN)
    ax.set_yticks(range(len(names)), names, **AS_WRITTEN)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return ax


def _draw_matrix(ax: Any, shown: np.ndarray) -> None:
    """Draw the cells of pairs, and the diagonal in its own colours and scale, because it would dominate the pairs."""
    is_diagonal = np.eye(len(shown), dtype=bool)
    for chosen, shades, label in ((~is_diagonal, "Purples", "interactions"), (is_diagonal, "Greys", "main effects")):
        cells = np.where(chosen, shown, np.nan)
        if np.isnan(cells).all():  # a single feature has no pairs
            continue
        limit = float(np.nanmax(cells)) or 1.0
        image = ax.imshow(cells, cmap=shades, vmin=0, vmax=limit * (1.0 if shades == "Purples" else 1.6))
        bar = ax.figure.colorbar(image, ax=ax, shrink=0.6, pad=0.02, boundaries=np.linspace(0, limit, 256))
        bar.locator = _few_ticks()
        bar.update_ticks()
        bar.set_label(label)
        bar.outline.set_visible(False)
        for row, column in zip(*np.nonzero(~np.isnan(cells))):
            color = "white" if cells[row, column] > 0.6 * limit and shades == "Purples" else "black"
            text = number_text(cells[row, column], 2)
            ax.text(column, row, text, ha="center", va="center", fontsize=8, color=color)


def _few_ticks() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(4, steps=[1, 2, 5, 10])
