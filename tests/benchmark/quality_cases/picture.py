"""Picture of quality against time, with a point for each entrant."""

from __future__ import annotations

from pathlib import Path

import numpy as np


def points_of(losses: np.ndarray, seconds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where the entrants stand: times and losses, of losses and seconds [n_sets, n_entrants].

    Times are geometric means of the seconds. Losses are the excess over the best loss on each set, in percent; the
    median over the sets, because a best loss near zero makes the ratio arbitrarily large.
    """
    excess = 100 * (losses / losses.min(axis=1, keepdims=True) - 1)
    return np.exp(np.log(seconds).mean(axis=0)), np.median(excess, axis=0)


def not_beaten(times: np.ndarray, excess: np.ndarray) -> np.ndarray:
    """Return the entrants that no other is better than in less time, in ascending order of time."""
    order = np.lexsort((excess, times))
    least = np.minimum.accumulate(np.concatenate([[np.inf], excess[order]]))[:-1]
    return order[excess[order] < least]


def draw(path: Path, names: list[str], losses: np.ndarray, seconds: np.ndarray, title: str) -> None:
    """Write a picture of each entrant's loss and processor time. losses, seconds: [n_sets, n_entrants]."""
    import matplotlib as mpl

    mpl.use("svg" if path.suffix == ".svg" else "agg")
    import matplotlib.pyplot as plt

    times, excess = points_of(losses, seconds)
    figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
    front = not_beaten(times, excess)
    axes.plot(times[front], excess[front], color="#bbbbbb", linewidth=1, zorder=2)
    for name, across, up in zip(names, times, excess):
        axes.scatter(across, up, s=60, color="#0a7d5c" if name.startswith("kauri") else "#777777", zorder=3)
        axes.annotate(name, (across, up), xytext=(7, 5), textcoords="offset points")
    axes.set_xscale("log")
    axes.margins(x=0.15, y=0.12)
    axes.grid(alpha=0.3)
    axes.set_xlabel("processor time of a set, geometric mean [s]")
    axes.set_ylabel("worse than the best, median of sets [%]")
    axes.set_title(title)
    figure.savefig(path)
    plt.close(figure)
