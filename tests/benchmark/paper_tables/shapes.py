"""Synthetic data of the paper's shapes, made by all threads. The data do not depend on the number of threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

_BLOCK = 1 << 16  # rows; a block has its own random numbers


@dataclass
class Problem:
    """Data and parameters.

    Attributes
    ----------
    features
        ``[n_rows, n_cols]`` float32, NaN = missing, or a CSR matrix whose absent entries are missing.
    labels
        ``[n_rows]`` float32.
    params
        Objective, depth and step.
    group
        Rows per query, or None.
    """

    name: str
    features: Any
    labels: np.ndarray
    params: dict[str, Any]
    group: np.ndarray | None = None

    def size(self) -> dict[str, Any]:
        """Return name, rows, columns, entries that are present, and depth."""
        dense = isinstance(self.features, np.ndarray)
        n_rows, n_cols = self.features.shape
        present = sum(int(np.count_nonzero(~np.isnan(part))) for part in blocks_of(self.features)) if dense else 0
        entries = present if dense else int(self.features.nnz)
        depth = self.params["max_depth"]
        return {"name": self.name, "rows": n_rows, "columns": n_cols, "entries": entries, "depth": depth}


def blocks_of(features: np.ndarray) -> list[np.ndarray]:
    """Return views of blocks of adjacent rows, so that temporary arrays stay small."""
    return [features[begin : begin + _BLOCK] for begin in range(0, len(features), _BLOCK)]


def _fill(n_rows: int, seed: int, threads: int, fill: Callable[[slice, np.random.Generator], None]) -> None:
    """Call `fill` for every block of rows with its own generator."""
    begins = range(0, n_rows, _BLOCK)

    def one(begin: int) -> None:
        fill(slice(begin, min(n_rows, begin + _BLOCK)), np.random.default_rng([seed, begin]))

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(one, begins))


def dense_binary(n_rows: int, threads: int, n_cols: int = 28, depth: int = 6, name: str = "") -> Problem:
    """Return normal features, and labels that depend non-linearly on four of them, and on noise."""
    features = np.empty((n_rows, n_cols), dtype=np.float32)
    labels = np.empty(n_rows, dtype=np.float32)

    def fill(rows: slice, rng: np.random.Generator) -> None:
        part = features[rows]
        rng.standard_normal(out=part, dtype=np.float32)
        signal = part[:, 0] * part[:, 1] + np.abs(part[:, 2]) + 0.5 * part[:, 3] - 0.8
        labels[rows] = signal + rng.standard_normal(len(part), dtype=np.float32) > 0

    _fill(n_rows, 0, threads, fill)
    params = {"objective": "binary:logistic", "max_depth": depth, "eta": 0.1}
    return Problem(name or f"{n_rows:,} x {n_cols}", features, labels, params)


def higgs_size(scale: float, threads: int) -> Problem:
    """Return 10.5 M x 28 values, nothing missing, depth 12."""
    return dense_binary(max(100, int(10_500_000 * scale)), threads, depth=12, name="Higgs size")


def bosch_size(scale: float, threads: int) -> Problem:
    """Return 1.07 M x 968 values of three decimals with 80 % missing, few positives; depth 6.

    Each row takes one of 4,096 ways through a production line, and rows of the same way lack the same columns.
    """
    from scipy.sparse import csr_matrix

    n_rows, n_cols, per_row, n_ways = max(100, int(1_065_373 * scale)), 968, 194, 4096
    rng = np.random.default_rng(1)
    ways = np.sort(rng.permuted(np.tile(np.arange(n_cols, dtype=np.int32), (n_ways, 1)), axis=1)[:, :per_row], axis=1)
    informative = rng.choice(n_cols, 8, replace=False)
    slots = np.full((n_ways, n_cols), -1, dtype=np.int32)  # position of a column in a row of its way
    slots[np.arange(n_ways)[:, None], ways] = np.arange(per_row, dtype=np.int32)
    values = np.empty((n_rows, per_row), dtype=np.float32)
    columns = np.empty((n_rows, per_row), dtype=np.int32)
    labels = np.empty(n_rows, dtype=np.float32)

    def fill(rows: slice, rng: np.random.Generator) -> None:
        part = values[rows]
        way = rng.integers(0, n_ways, len(part))
        np.take(ways, way, axis=0, out=columns[rows])
        rng.standard_normal(out=part, dtype=np.float32)
        part *= 100
        np.rint(part, out=part)
        part *= 0.001
        slot = slots[way][:, informative]
        signal = np.where(slot < 0, 0, np.take_along_axis(part, np.maximum(slot, 0), axis=1)).sum(axis=1) * 10
        labels[rows] = signal + rng.standard_normal(len(part), dtype=np.float32) > 4

    _fill(n_rows, 2, threads, fill)
    starts = np.arange(n_rows + 1, dtype=np.int64 if n_rows * per_row >= 1 << 31 else np.int32) * per_row
    matrix = csr_matrix((values.reshape(-1), columns.reshape(-1), starts), (n_rows, n_cols))
    params = {"objective": "binary:logistic", "max_depth": 6, "eta": 0.1}
    return Problem("Bosch size", matrix, labels, params)


def yltr_size(scale: float, threads: int, objective: str) -> Problem:
    """Return 473 k x 700 with values in 519 columns (as in Yahoo's first set), queries of 1 to 46 rows; depth 6."""
    n_rows, n_cols, n_present = max(100, int(473_134 * scale)), 700, 519
    present = np.sort(np.random.default_rng(3).choice(n_cols, n_present, replace=False))
    features = np.empty((n_rows, n_cols), dtype=np.float32)
    scores = np.empty(n_rows, dtype=np.float32)

    def fill(rows: slice, rng: np.random.Generator) -> None:
        part = features[rows]
        rng.random(out=part, dtype=np.float32)
        part[:, np.setdiff1d(np.arange(n_cols), present)] = np.nan
        signal = part[:, present[0]] * part[:, present[1]] + part[:, present[2:8]].sum(axis=1) / 3
        scores[rows] = signal + 0.3 * rng.standard_normal(len(part), dtype=np.float32)

    _fill(n_rows, 4, threads, fill)
    grades = np.digitize(scores, np.quantile(scores, [0.26, 0.62, 0.90, 0.98])).astype(np.float32)
    ends = np.cumsum(np.random.default_rng(5).integers(1, 47, n_rows))
    ends = np.append(ends[ends < n_rows], n_rows)
    params = {"objective": objective, "max_depth": 6, "eta": 0.1}
    return Problem("YLTR size", features, grades, params, np.diff(ends, prepend=0))
