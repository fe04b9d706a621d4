"""The plot of the strength of interactions of pairs."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._explaining.h_statistic import InteractionStrengths
from .parts import AS_WRITTEN, BLUE, axes_for, class_text, number_text, short


def plot_h_statistic(strengths: InteractionStrengths, ax: Any = None, *, max_pairs: int = 15) -> Any:
    """Draw the pairs of features with the largest H as bars; the number beside a bar is the interaction's strength.

    The strength is the standard deviation of the interaction over the rows, in units of the margin. A long bar with a
    small number is a strong interaction of features that hardly matter.

    Parameters
    ----------
    strengths
        The result of `h_statistic`, for one output.
    ax
        Matplotlib axes to draw on; new ones by default.
    max_pairs
        Maximum number of pairs to draw.

    Returns
    -------
    matplotlib.axes.Axes
    """
    if strengths.output_names is not None:
        raise ValueError(f"the strengths have outputs {strengths.output_names}; choose one: strengths.output(...).")
    if max_pairs < 1:
        raise ValueError(f"max_pairs is {max_pairs}; expected at least 1.")
    if not strengths.pairs:
        raise ValueError("there are no pairs to draw: no tree has two features on a path; use deeper trees.")
    values = np.nan_to_num(strengths.values[:max_pairs])[::-1]
    texts = [f"{short(first, 24)} × {short(second, 24)}" for first, second in strengths.pairs[:max_pairs]][::-1]
    ax = axes_for(ax, 7, len(texts), grid="x")
    drawn = ax.barh(range(len(texts)), values, height=0.6, color=BLUE)
    ax.set_yticks(range(len(texts)), texts, **AS_WRITTEN)
    ax.set_ylim(-0.6, len(texts) - 0.4)
    ax.set_xlim(0, (values.max() or 1.0) * 1.15)
    ax.bar_label(drawn, [number_text(strength) for strength in strengths.strengths[:max_pairs][::-1]], padding=3)
    ax.tick_params(axis="y", length=0)
    of_class = "" if strengths.class_name is None else f", {class_text(strengths.class_name)}"
    ax.set_xlabel(f"H statistic (strength beside each bar){of_class}", **AS_WRITTEN)
    return ax
