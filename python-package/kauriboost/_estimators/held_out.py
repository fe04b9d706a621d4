"""Rows that an estimator holds out of training to stop early by."""

from __future__ import annotations

import numpy as np

from .._data.matrix import DMatrix
from .._data.shuffling import shuffle


def _some_of(n: int, fraction: float, seed: int) -> np.ndarray:
    """Return numbers below n, a share of them, but never all."""
    return shuffle(n, seed, min(round(n * fraction), n - 1)) if n > 0 else np.empty(0, dtype=np.int64)


def _of_classes(labels: np.ndarray, fraction: float, seed: int) -> np.ndarray:
    chosen = []
    for label in np.unique(labels):
        rows = np.flatnonzero(labels == label)
        chosen.append(rows[_some_of(len(rows), fraction, seed)])
    return np.concatenate(chosen)


def _of_queries(begins: np.ndarray, fraction: float, seed: int) -> np.ndarray:
    queries = _some_of(len(begins) - 1, fraction, seed)
    rows = [np.arange(begins[query], begins[query + 1]) for query in queries]
    return np.concatenate(rows) if rows else np.empty(0, dtype=np.int64)


def hold_out(data: DMatrix, fraction: float, seed: int, by_class: bool) -> tuple[DMatrix, DMatrix]:
    """Divide a matrix into rows to learn from and rows held out, both in their order.

    Parameters
    ----------
    data
        The rows; those of a query stay together.
    fraction
        The share to hold out, above 0 and below 1.
    seed
        Names the rows that are held out; it and their number say which.
    by_class
        Hold the share out of each class.

    Raises
    ------
    ValueError
        For another fraction, or where it would hold out nothing.
    """
    if not 0 < fraction < 1:
        raise ValueError(f"validation_fraction is {fraction!r}; expected a share above 0 and below 1, or None.")
    begins = data.get_uint_info("group_ptr")
    if len(begins) > 1:
        rows = _of_queries(begins.astype(np.int64), fraction, seed)
    elif by_class:
        rows = _of_classes(data.get_label(), fraction, seed)
    else:
        rows = _some_of(data.num_row(), fraction, seed)
    if len(rows) == 0:
        raise ValueError(
            f"validation_fraction={fraction} of {data.num_row()} rows holds out none; raise it, or pass eval_set."
        )
    is_held = np.zeros(data.num_row(), dtype=bool)
    is_held[rows] = True
    kept, held = (data.slice(np.flatnonzero(chosen), allow_groups=True) for chosen in (~is_held, is_held))
    return kept, held
