"""Small tables and their distribution over a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dask.array as da
import numpy as np

N_ROWS, N_COLS = 3000, 6


def features(n_rows: int = N_ROWS, seed: int = 3) -> np.ndarray:
    """Return six features with some missing values; some columns have few distinct values."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, N_COLS)).astype(np.float32)
    X[:, 3] = rng.integers(0, 5, n_rows)
    X[:, 4] = np.round(X[:, 4], 1)
    X[rng.random(X.shape) < 0.05] = np.nan
    return X


def target(X: np.ndarray, seed: int = 4) -> np.ndarray:
    rng = np.random.default_rng(seed)
    Z = np.nan_to_num(X)
    return (Z[:, 0] + Z[:, 1] * Z[:, 2] + 0.3 * Z[:, 3] + rng.normal(scale=0.3, size=len(X))).astype(np.float32)


def spread(values: np.ndarray, lengths: Sequence[int]) -> Any:
    """Return a Dask array with blocks of these numbers of rows; each is made by its own task."""
    assert sum(lengths) == len(values)
    chunks = (tuple(lengths), *((n,) for n in values.shape[1:]))
    return da.from_array(values, chunks=chunks)


EVEN = (750,) * 4
RAGGED = (1, 0, 1700, 299, 1000, 0)
