"""Picture of quality against time, with a point for each entrant."""

from __future__ import annotations

from pathlib import Path

import numpy as np


def draw(path: Path, losses: dict[str, np.ndarray], seconds: dict[str, np.ndarray], title: str) -> None:
    """Write a picture of each entrant's loss against the best on each set, and of its processor time.

    losses, seconds: [n_sets] by entrant. Horizontal axis: the geometric mean of the times, relative to the least on
    each set. Vertical axis: the excess over the best loss on each set, in percent; the median over the sets, because a
    best loss near zero makes the ratio arbitrarily large.
    """
    import matplotlib as mpl

    mpl.use("svg" if path.suffix == ".svg" else "agg")
    import matplotlib.pyplot as plt

    best = np.min(list(losses.values()), axis=0)
    fastest = np.min(list(seconds.values()), axis=0)
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    for name in losses:
        across = float(np.exp(np.mean(np.log(seconds[name] / fastest))))
        up = float(np.median(100 * (losses[name] / best - 1)))
        axes.scatter(across, up, s=60, color="#0a7d5c" if name.startswith("kauri") else "#777777", zorder=3)
        axes.annotate(name, (across, up), xytext=(7, 5), textcoords="offset points")
    axes.set_xscale("log")
    axes.margins(x=0.25, y=0.15)
    axes.grid(alpha=0.3)
    axes.set_xlabel("processor time, in parts of the fastest")
    axes.set_ylabel("worse than the best, median of sets [%]")
    axes.set_title(title)
    figure.savefig(path)
    plt.close(figure)
