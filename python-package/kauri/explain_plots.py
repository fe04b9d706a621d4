"""Pictures of an `Explanation`: swarm, bars, waterfall, dependence and interactions."""

from __future__ import annotations

from typing import Any

import numpy as np

from .explanation import Explanation, GlobalImportance

_BLUE, _RED, _GREY = "#2166ac", "#d6304f", "#9a9a9a"
_WORDS = {"shapley": "SHAP", "approximate": "approximate SHAP", "banzhaf": "Banzhaf", "taylor": "Taylor"}


def _colors() -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("kauri", [_BLUE, "#8e4a9e", _RED])


def _value_of(explanation: Explanation | GlobalImportance) -> str:
    """Return what a value is called."""
    return f"{_WORDS[explanation.kind]} value"


def _mean_abs(explanation: Explanation | GlobalImportance, n_axes: int, what: str) -> np.ndarray:
    """Return the strength of each feature or pair. Raises ValueError unless there are `n_axes` axes of features."""
    is_mean = isinstance(explanation, GlobalImportance)
    _require(explanation, n_axes + (not is_mean), what)
    return explanation.values if is_mean else np.abs(explanation.values).mean(axis=0)


def _require(explanation: Explanation | GlobalImportance, n_axes: int, what: str) -> None:
    """Raise ValueError unless the values have so many axes and one output."""
    if explanation.output_names is not None:
        raise ValueError(
            f"the explanation has outputs {explanation.output_names}; choose one: explanation.output(...)."
        )
    if explanation.values.ndim != n_axes:
        raise ValueError(f"the values have shape {explanation.values.shape}; {what}.")


def _short(name: str) -> str:
    """Return a name that leaves room for the picture."""
    return name if len(name) <= 32 else f"{name[:19]}…{name[-12:]}"


def _number(value: float, digits: int = 3, sign: str = "") -> str:
    """Write without an exponent what is readable so."""
    return f"{value:{sign}.0f}" if 1e3 <= abs(value) < 1e7 else f"{value:{sign}.{digits}g}"


def _axes(ax: Any, width: float, n_lines: int) -> Any:
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(figsize=(width, 1.3 + 0.36 * max(n_lines, 3)), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _strongest(strength: np.ndarray, max_display: int) -> np.ndarray:
    """Return the numbers of the features to draw, the strongest first; ties in the order of the features."""
    if max_display < 1:
        raise ValueError(f"max_display is {max_display}; draw at least one feature.")
    return np.argsort(-strength, kind="stable")[:max_display]


def _swarm_offsets(x: np.ndarray, low: float, high: float) -> np.ndarray:
    """Spread points that lie close together, alternately up and down, to at most 0.4 from the line."""
    width = (high - low) or 1.0
    bins = np.clip(((x - low) / width * 100).astype(np.int64), 0, 100)
    order = np.argsort(bins, kind="stable")
    counts = np.bincount(bins, minlength=101)
    first = np.cumsum(counts) - counts
    place = np.empty(len(x), dtype=np.int64)
    place[order] = np.arange(len(x)) - first[bins[order]]
    layer = (place + 1) // 2 * np.where(place % 2 == 0, 1, -1)
    return layer * min(0.08, 0.8 / max(int(counts.max()), 1))


def _shades(column: np.ndarray) -> np.ndarray:
    """Place values between the 5th and the 95th percentile in [0, 1]; NaN stays NaN."""
    present = column[~np.isnan(column)]
    if present.size == 0:
        return column
    low, high = np.percentile(present, [5, 95])
    if low == high:
        low, high = present.min(), present.max()
    return np.clip((column - low) / ((high - low) or 1.0), 0, 1)


def _shade_bar(ax: Any, label: str) -> None:
    from matplotlib.cm import ScalarMappable

    bar = ax.figure.colorbar(ScalarMappable(cmap=_colors()), ax=ax, ticks=[0, 1], aspect=40, pad=0.02)
    bar.ax.set_yticklabels(["low", "high"])
    bar.set_label(label, labelpad=-12)
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=0)


def plot_beeswarm(explanation: Explanation, ax: Any = None, *, max_display: int = 12, size: float = 9.0) -> Any:
    """Draw every row's SHAP value of the strongest features, coloured by the feature's value, grey where missing.

    Parameters
    ----------
    explanation
        Of several rows and one output.
    ax
        Matplotlib axes to draw on; new ones if not given.
    max_display
        Draw only so many features.
    size
        Of a point.

    Returns
    -------
    matplotlib.axes.Axes
    """
    _require(explanation, 2, "a swarm needs several rows of contributions")
    features = _strongest(np.abs(explanation.values).mean(axis=0), max_display)
    ax = _axes(ax, 8, len(features))
    ax.axvline(0, color="#bbbbbb", linewidth=0.8, zorder=0)
    low, high = explanation.values[:, features].min(), explanation.values[:, features].max()
    for line, feature in enumerate(features[::-1]):
        x, shades = explanation.values[:, feature], _shades(explanation.data[:, feature])
        y = line + _swarm_offsets(x, low, high)
        style = {"s": size, "linewidths": 0, "rasterized": len(x) > 500}
        missing = np.isnan(shades)
        ax.scatter(x[missing], y[missing], color=_GREY, **style)
        ax.scatter(x[~missing], y[~missing], c=shades[~missing], cmap=_colors(), vmin=0, vmax=1, **style)
    ax.set_yticks(range(len(features)), [_short(explanation.feature_names[feature]) for feature in features[::-1]])
    ax.set_ylim(-0.6, len(features) - 0.4)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.set_xlabel(f"{_value_of(explanation)} (effect on the margin)")
    _shade_bar(ax, "feature value")
    return ax


def plot_contributions(explanation: Explanation | GlobalImportance, ax: Any = None, *, max_display: int = 12) -> Any:
    """Draw the mean strength of the strongest features, ``mean |SHAP value|``, and what the others sum up to.

    Parameters
    ----------
    explanation
        Of several rows and one output, or their `GlobalImportance`.
    ax
        Matplotlib axes to draw on; new ones if not given.
    max_display
        Draw so many features by themselves.

    Returns
    -------
    matplotlib.axes.Axes
        With one bar per line.
    """
    strength = _mean_abs(explanation, 1, "bars need several rows of contributions")
    features = _strongest(strength, max_display)
    names = [_short(explanation.feature_names[feature]) for feature in features]
    lengths = [float(length) for length in strength[features]]
    colors = [_BLUE] * len(names)
    n_others = len(strength) - len(features)
    if n_others > 0:
        names.append(f"sum of {n_others} others")
        lengths.append(float(strength.sum() - strength[features].sum()))
        colors.append(_GREY)
    ax = _axes(ax, 7, len(names))
    bars = ax.barh(range(len(names) - 1, -1, -1), lengths, height=0.65, color=colors)
    ax.bar_label(bars, [_number(length) for length in lengths], padding=3)
    ax.set_yticks(range(len(names) - 1, -1, -1), names)
    ax.set_ylim(-0.6, len(names) - 0.4)
    ax.set_xlim(0, (max(lengths) or 1.0) * 1.12)
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel(f"mean |{_value_of(explanation)}|")
    return ax


def _cell_text(cell: float) -> str:
    if np.isnan(cell):
        return "missing"
    return f"{cell:.0f}" if cell == round(cell) and abs(cell) < 1e9 else f"{cell:.5g}"


def _waterfall_lines(explanation: Explanation, max_display: int) -> tuple[list[str], np.ndarray]:
    """Return labels and contributions, the last ones first: others, weakest, ..., strongest."""
    values = explanation.values
    features = _strongest(np.abs(values), max_display)[::-1]
    labels = [
        f"{_short(explanation.feature_names[feature])} = {_cell_text(explanation.data[feature])}"
        for feature in features
    ]
    steps = values[features].astype(np.float64)
    n_others = len(values) - len(features)
    if n_others > 0:
        others = values.sum(dtype=np.float64) - steps.sum()
        return [f"{n_others} other features", *labels], np.concatenate([[others], steps])
    return labels, steps


def plot_waterfall(explanation: Explanation, ax: Any = None, *, max_display: int = 10) -> Any:
    """Draw how the features lead one row from the base value to its margin, the strongest on top.

    Parameters
    ----------
    explanation
        Of one row and one output: ``explanation[row]``.
    ax
        Matplotlib axes to draw on; new ones if not given.
    max_display
        Draw so many features by themselves.

    Returns
    -------
    matplotlib.axes.Axes
        With one bar per line.
    """
    _require(explanation, 1, "a waterfall needs the contributions of one row: explanation[row]")
    if not explanation.adds_up:
        raise ValueError("the values do not add up to the margin; explain all features by values='shapley'.")
    labels, steps = _waterfall_lines(explanation, max_display)
    ends = float(explanation.base_values) + np.cumsum(steps)
    starts = ends - steps
    ax = _axes(ax, 8, len(labels))
    ax.barh(range(len(labels)), steps, left=starts, height=0.65, color=np.where(steps < 0, _BLUE, _RED))
    ax.vlines(ends[:-1], np.arange(len(labels) - 1) - 0.33, np.arange(1, len(labels)) + 0.33, "#888888", linewidth=0.8)
    for line, (start, end, step) in enumerate(zip(starts, ends, steps)):
        right = max(start, end)
        ax.annotate(_number(step, sign="+"), (right, line), (4, 0), textcoords="offset points", va="center", fontsize=9)
    for x, text, y in ((starts[0], "base value", -0.75), (ends[-1], "margin", len(labels) - 0.25)):
        ax.axvline(x, color="#888888", linewidth=0.8, linestyle=":", zorder=0)
        ax.text(x, y, f"{text} {_number(x, 4)}", ha="center", va="center", fontsize=9)
    low, high = min(starts.min(), ends.min()), max(starts.max(), ends.max())
    pad = 0.14 * (high - low) or 1.0
    ax.set_xlim(low - pad, high + pad)
    ax.set_yticks(range(len(labels)), labels)
    ax.set_ylim(-1.1, len(labels) + 0.1)
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel("margin")
    return ax


def _feature(explanation: Explanation, which: str | int) -> int:
    names = explanation.feature_names
    number = names.index(which) if which in names else which
    if not isinstance(number, (int, np.integer)) or not 0 <= number < len(names):
        raise ValueError(f"there is no feature {which!r}; choose one of {names} or its number.")
    return int(number)


def _dependence_x(ax: Any, column: np.ndarray) -> np.ndarray:
    """Return where to draw the values; missing ones get a place of their own on the left."""
    missing = np.isnan(column)
    present = column[~missing]
    low, high = (float(present.min()), float(present.max())) if present.size else (0.0, 1.0)
    x = column.astype(np.float64)
    levels = np.unique(present)
    if 1 < len(levels) <= 20:  # few values: spread, evenly, so that points do not hide each other
        gap = float(np.diff(levels).min())
        x += ((np.arange(len(x)) * 0.6180339887) % 1.0 - 0.5) * 0.4 * gap
    if missing.any():
        place = low - 0.08 * ((high - low) or 1.0)
        x[missing] = place
        ax.axvline((place + low) / 2, color="#dddddd", linewidth=0.8)
        ax.text(
            place, 0.99, "missing", transform=ax.get_xaxis_transform(), rotation=90, ha="right", va="top", fontsize=8
        )
    return x


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
        Of several rows and one output.
    feature
        Its name or number.
    ax
        Matplotlib axes to draw on; new ones if not given.
    color
        Another feature, whose values colour the points, grey where missing; none if not given.
    size
        Of a point.

    Returns
    -------
    matplotlib.axes.Axes
    """
    _require(explanation, 2, "a picture of dependence needs several rows of contributions")
    number = _feature(explanation, feature)
    ax = _axes(ax, 7 if color is None else 7.6, 9)
    ax.axhline(0, color="#bbbbbb", linewidth=0.8, zorder=0)
    x, y = _dependence_x(ax, explanation.data[:, number]), explanation.values[:, number]
    style = {"s": size, "linewidths": 0, "alpha": 0.7, "rasterized": len(x) > 2000}
    if color is None:
        ax.scatter(x, y, color=_BLUE, **style)
    else:
        other = _feature(explanation, color)
        shades = _shades(explanation.data[:, other])
        missing = np.isnan(shades)
        ax.scatter(x[missing], y[missing], color=_GREY, **style)
        ax.scatter(x[~missing], y[~missing], c=shades[~missing], cmap=_colors(), vmin=0, vmax=1, **style)
        _shade_bar(ax, _short(explanation.feature_names[other]))
    ax.set_xlabel(explanation.feature_names[number])
    ax.set_ylabel(f"{_value_of(explanation)} of {_short(explanation.feature_names[number])}")
    return ax


def plot_interactions(explanation: Explanation | GlobalImportance, ax: Any = None, *, max_display: int = 8) -> Any:
    """Draw the mean strength of features by themselves (the diagonal) and of pairs of them.

    Parameters
    ----------
    explanation
        Of several rows and one output, made with ``interactions=True``, or their `GlobalImportance`. A pair's strength
        is that of its two cells.
    ax
        Matplotlib axes to draw on; new ones if not given.
    max_display
        Draw only so many features, those with the strongest rows of the matrix.

    Returns
    -------
    matplotlib.axes.Axes
    """
    strength = _mean_abs(explanation, 2, "a matrix needs several rows of interactions: explain(..., interactions=True)")
    features = _strongest(strength.sum(axis=1), max_display)
    shown = 2 * strength[np.ix_(features, features)]
    shown[np.diag_indices(len(features))] /= 2
    shown[np.triu_indices(len(features), 1)] = np.nan
    names = [_short(explanation.feature_names[feature]) for feature in features]
    n_lines = max(len(features), 4)
    ax = _axes(ax, 3.8 + 0.62 * n_lines, int(1.4 * n_lines) + 3)
    image = ax.imshow(shown, cmap="Purples", vmin=0)
    limit = float(np.nanmax(shown)) or 1.0
    for row, column in zip(*np.tril_indices(len(features))):
        cell = shown[row, column]
        ax.text(
            column,
            row,
            _number(cell, 2),
            ha="center",
            va="center",
            fontsize=8,
            color="white" if cell > 0.6 * limit else "black",
        )
    ax.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.7, pad=0.02)
    bar.set_label(f"mean |{_WORDS[explanation.kind]} interaction value|")
    bar.outline.set_visible(False)
    return ax
