"""Validation rows that an estimator holds out of training for early stopping."""

from __future__ import annotations

import logging

import numpy as np

from .._data.matrix import DMatrix
from .._data.shuffling import shuffle
from .._training.callbacks import EarlyStopping
from .parameters import Parameters

_logger = logging.getLogger("kauriboost")


def _some_of(n: int, fraction: float, seed: int) -> np.ndarray:
    """Return a random fraction of the numbers below n, but never all of them."""
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


def stops_early(model: Parameters) -> bool:
    """Return whether an estimator stops early, by its parameter or by a callback."""
    callbacks = model.callbacks or []
    return model.early_stopping_rounds is not None or any(isinstance(one, EarlyStopping) for one in callbacks)


def hold_out(data: DMatrix, fraction: float, seed: int, by_class: bool) -> tuple[DMatrix, DMatrix]:
    """Split a matrix into training rows and held-out rows, both in their original order; the log says so.

    Parameters
    ----------
    data
        The rows; rows of a query stay together.
    fraction
        The share to hold out, above 0 and below 1.
    seed
        Selects the held-out rows, together with the number of rows.
    by_class
        Hold out the same share of each class.

    Raises
    ------
    ValueError
        The fraction is out of range, or would hold out no rows.
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
    _logger.info(
        "early stopping watches %d of %d rows, which training leaves out (validation_fraction=%g); pass eval_set, or "
        "X_val and y_val, to fit() to choose them.",
        len(rows),
        data.num_row(),
        fraction,
    )
    return kept, held
