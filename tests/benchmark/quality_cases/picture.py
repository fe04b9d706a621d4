"""Picture of quality against time, with a point for each entrant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from . import ranks

# Places of a name beside its point, the best first: offsets in points, and the side of the name that is there.
PLACES = (
    ((7, 0), "left"),
    ((-7, 0), "right"),
    ((5, 9), "left"),
    ((5, -9), "left"),
    ((-5, 9), "right"),
    ((-5, -9), "right"),
    ((0, 13), "center"),
    ((0, -13), "center"),
    ((7, 18), "left"),
    ((7, -18), "left"),
)


def points_of(losses: np.ndarray, seconds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where the entrants stand: times and losses, of losses and seconds [n_sets, n_entrants].

    Times are geometric means of the seconds. Losses are the excess over the best loss on each set, in percent; the
    median over the sets, because a best loss near zero makes the ratio arbitrarily large.
    """
    return np.exp(np.log(seconds).mean(axis=0)), np.median(ranks.excess(losses), axis=0)


def not_beaten(times: np.ndarray, excess: np.ndarray) -> np.ndarray:
    """Return the entrants that no other is better than in less time, in ascending order of time."""
    order = np.lexsort((excess, times))
    least = np.minimum.accumulate(np.concatenate([[np.inf], excess[order]]))[:-1]
    return order[excess[order] < least]


def _add_names(axes: Any, names: list[str], times: np.ndarray, excess: np.ndarray) -> None:
    """Write the names beside their points, where they cover no other point and no name before them, if possible."""
    from matplotlib.transforms import Bbox

    renderer = axes.figure.canvas.get_renderer()
    centres = axes.transData.transform(np.column_stack([times, excess]))
    taken = [Bbox.from_extents(*(centre - 5), *(centre + 5)) for centre in centres]
    for name, across, up in zip(names, times, excess):
        for shift, side in PLACES:
            told = {"xytext": shift, "textcoords": "offset points", "ha": side, "va": "center", "fontsize": 9}
            text = axes.annotate(name, (across, up), **told)
            box = text.get_window_extent(renderer)
            if box.count_overlaps(taken) == 0 or (shift, side) == PLACES[-1]:
                taken.append(box)
                break
            text.remove()


def draw(path: Path, names: list[str], losses: np.ndarray, seconds: np.ndarray, title: str) -> None:
    """Write a picture of each entrant's loss and processor time. losses, seconds: [n_sets, n_entrants]."""
    import matplotlib as mpl

    mpl.use("agg")
    mpl.rcParams["svg.hashsalt"] = "quality"
    import matplotlib.pyplot as plt

    times, excess = points_of(losses, seconds)
    figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
    front = not_beaten(times, excess)
    axes.plot(times[front], excess[front], color="#bbbbbb", linewidth=1, zorder=2)
    colors = ["#0a7d5c" if name.startswith("kauri") else "#777777" for name in names]
    axes.scatter(times, excess, s=50, c=colors, zorder=3)
    axes.set_xscale("log")
    axes.margins(x=0.2, y=0.1)
    axes.grid(alpha=0.3)
    axes.set_xlabel("processor time of a set, geometric mean [s]")
    axes.set_ylabel("worse than the best, median of sets [%]")
    axes.set_title(title)
    figure.canvas.draw()  # The places of the points are known now.
    _add_names(axes, names, times, excess)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(figure)
