"""The style that all plots share: colours, axes, and texts of numbers and names.

Every plot has thin axes on the left and at the bottom, a light grid along its axis of numbers and no title. The colours
differ in lightness or along the blue-yellow axis, so readers who do not tell red from green can tell them apart.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._data.categories import CategoryNames
from .._explaining.explanation import Explanation, GlobalImportance

BLUE, RED, GREY = "#2166ac", "#d6304f", "#9a9a9a"
GRID = "#e8e8e8"
LINES = [BLUE, "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#8c2d04", "#f0e442"]  # after Okabe and Ito (2008)
AS_WRITTEN = {"parse_math": False}  # for texts that contain names: two '$' do not mark a formula
WORDS = {"shapley": "SHAP", "approximate": "approximate SHAP", "banzhaf": "Banzhaf", "taylor": "Taylor"}


def colors(middle: str = "#8e4a9e") -> Any:
    """Return the colour map of values, from low to high; ``middle="white"`` suits effects around 0."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("kauri", [BLUE, middle, RED])


def value_of(explanation: Explanation | GlobalImportance) -> str:
    """Return the name of a value."""
    return f"{WORDS[explanation.kind]} value"


def require(explanation: Explanation | GlobalImportance, n_axes: int, what: str) -> None:
    """Raise ValueError unless the values have `n_axes` axes and one output."""
    if explanation.output_names is not None:
        raise ValueError(
            f"the explanation has outputs {explanation.output_names}; choose one: explanation.output(...)."
        )
    if explanation.values.ndim != n_axes:
        raise ValueError(f"the values have shape {explanation.values.shape}; {what}.")


def categories_of(explanation: Explanation, feature: int) -> CategoryNames:
    """Return the names of a feature's categories; empty if it has none."""
    return explanation.categories.get(explanation.feature_names[feature], [])


def short(name: str, longest: int = 32) -> str:
    """Return a name shortened to leave room for the plot."""
    tail = longest * 3 // 8
    return name if len(name) <= longest else f"{name[: longest - tail - 1]}…{name[-tail:]}"


def signed(text: str) -> str:
    """Return a number's text with a minus sign instead of a hyphen, as on the axes."""
    return text.replace("-", "\N{MINUS SIGN}")


def percent_text(share: float) -> str:
    """Format a share as a percentage with two digits; never 0 % or 100 % for a share between them."""
    if 0.995 <= share < 1:
        return f"{min(100 * share, 99.99):.4g} %"
    return f"{100 * share:.2g} %" if share < 0.995 else "100 %"


def number_text(value: float, digits: int = 3, sign: str = "") -> str:
    """Format a number, without an exponent if it is readable that way."""
    is_whole = 10 ** min(digits, 3) <= abs(value) < 1e7
    return f"{value:{sign}.0f}" if is_whole else f"{value:{sign}.{digits}g}"


def axes_for(ax: Any, width: float, n_lines: int, grid: str = "") -> Any:
    """Return the given axes, or new ones, in the style of all plots; `grid` is "x", "y", "both" or empty for none."""
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(figsize=(width, 1.3 + 0.36 * max(n_lines, 3)), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color("#888888")
    ax.tick_params(color="#888888")
    ax.set_axisbelow(True)
    if grid:
        ax.grid(axis=grid, color=GRID, linewidth=0.8)
    return ax


def quantity_of(explanation: Explanation) -> str:
    """Return the name of the explained quantity, such as the log-odds of a class."""
    if explanation.explains == "value":
        return "prediction"
    if explanation.explains != "margin":
        return explanation.explains
    name = {"log": "log of the prediction", "": "margin"}.get(explanation.scale, explanation.scale)
    return f"{name} of {class_text(explanation.class_name)}" if explanation.class_name is not None else name


def class_text(name: Any) -> str:
    """Return the name of a class or output for a text; numbers are called "class 1"."""
    is_number = isinstance(name, (int, float, np.number)) and not isinstance(name, bool)
    return f"class {name:g}" if is_number else short(str(name), 40)


def meaning_of(explanation: Explanation, margin: float) -> str:
    """Return the prediction that belongs to a margin, in brackets; empty if there is none, or if it is the margin."""
    if explanation.explains != "margin" or explanation.scale not in ("log-odds", "log"):
        return ""
    if explanation.scale == "log":
        return f" ({signed(number_text(float(np.exp(min(margin, 700.0))), 4))})"
    return f" ({percent_text(float(1 / (1 + np.exp(-np.clip(margin, -700.0, 700.0)))))})"


def shades_of(column: np.ndarray) -> np.ndarray:
    """Map values between the 5th and the 95th percentile to [0, 1]; NaN stays NaN."""
    present = column[~np.isnan(column)]
    if present.size == 0:
        return column
    low, high = np.percentile(present, [5, 95])
    if low == high:
        low, high = present.min(), present.max()
    shades: np.ndarray = np.clip((column - low) / ((high - low) or 1.0), 0, 1)
    return shades


def draw_shaded(ax: Any, x: np.ndarray, y: np.ndarray, shades: np.ndarray, **style: Any) -> None:
    """Draw points in the colours of their shades, or grey for NaN."""
    missing = np.isnan(shades)
    ax.scatter(x[missing], y[missing], color=GREY, **style)
    ax.scatter(x[~missing], y[~missing], c=shades[~missing], cmap=colors(), vmin=0, vmax=1, **style)


def shade_bar(ax: Any, label: str) -> None:
    """Draw a colour bar with labels for low and high."""
    from matplotlib.cm import ScalarMappable

    bar = ax.figure.colorbar(ScalarMappable(cmap=colors()), ax=ax, ticks=[0, 1], aspect=40, pad=0.02)
    bar.ax.set_yticklabels(["low", "high"])
    bar.set_label(label, labelpad=-12, **AS_WRITTEN)
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=0)
