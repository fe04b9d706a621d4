"""Bin packing of paths into warps (section 3.3 of the SHAP paper), from the sizes alone, to check the library.

The library's own counts and times come from packing_bench.

Items of equal size are packed together, so that the time does not depend on their number, except for next-fit.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

WARP = 32


def bins_none(sizes: np.ndarray) -> int:
    """Count the bins if each item has its own bin."""
    return len(sizes)


def bins_next_fit(sizes: np.ndarray) -> int:
    """Count the bins if each item in order goes into the newest bin or a new one."""
    bins, room = 0, 0
    for size in sizes.tolist():
        if size > room:
            bins, room = bins + 1, WARP
        room -= size
    return bins


def _by_size(sizes: np.ndarray) -> list[tuple[int, int]]:
    """Return pairs (size, count), the largest size first."""
    counts = np.bincount(sizes, minlength=WARP + 1)
    return [(size, int(counts[size])) for size in range(WARP, 0, -1) if counts[size] > 0]


def bins_first_fit_decreasing(sizes: np.ndarray) -> int:
    """Count the bins if each item, the largest first, goes into the oldest bin with room."""
    runs: list[tuple[int, int]] = []  # (free space, number of adjacent bins), the oldest first
    for size, count in _by_size(sizes):
        runs, left = _fill(runs, size, count)
        fresh, left = _fill([(WARP, -(-left // (WARP // size)))] if left else [], size, left)
        runs += fresh
    return sum(count for _, count in runs)


def _fill(runs: list[tuple[int, int]], size: int, items: int) -> tuple[list[tuple[int, int]], int]:
    """Put items into runs of bins, in order; returns the new runs and the number of items without room."""
    after: list[tuple[int, int]] = []
    for room, bins in runs:
        each = room // size
        full = min(bins, items // each) if each else 0
        items -= full * each
        rest = items if each and full < bins else 0  # the last bin used is not full
        items -= rest
        parts = [(room - each * size, full), (room - rest * size, int(rest > 0)), (room, bins - full - int(rest > 0))]
        after += [part for part in parts if part[1] > 0]
    return after, items


def bins_best_fit_decreasing(sizes: np.ndarray) -> int:
    """Count the bins if each item, the largest first, goes into the bin with the least sufficient room."""
    bins_with = [0] * (WARP + 1)  # number of bins by free space
    for size, count in _by_size(sizes):
        bins_with[WARP] = count  # empty bins, the maximum number needed
        left = count
        for room in range(size, WARP + 1):
            each = room // size
            full = min(bins_with[room], left // each)
            left -= full * each
            bins_with[room] -= full
            bins_with[room - each * size] += full
            if 0 < left < each and bins_with[room] > 0:
                bins_with[room] -= 1
                bins_with[room - left * size] += 1
                left = 0
        bins_with[WARP] = 0
    return sum(bins_with)


# Packing methods by their names in shap_bin_packing.
PACKINGS: dict[str, Callable[[np.ndarray], int]] = {
    "none": bins_none,
    "nf": bins_next_fit,
    "ffd": bins_first_fit_decreasing,
    "bfd": bins_best_fit_decreasing,
}


def utilisation(sizes: np.ndarray, bins: int) -> float:
    """Return the used fraction of the bins' room."""
    return float(sizes.sum(dtype=np.int64)) / (WARP * bins)


def library_packings(bench: Path, sizes: np.ndarray) -> dict[str, tuple[float, int]]:
    """Return the seconds and bins of each packing method, from the program packing_bench."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(sizes.astype(np.uint8).tobytes())
        file.flush()
        lines = subprocess.run([bench, file.name], check=True, capture_output=True, text=True).stdout.splitlines()
    return {name: (float(seconds), int(bins)) for name, seconds, bins, _ in map(str.split, lines)}
