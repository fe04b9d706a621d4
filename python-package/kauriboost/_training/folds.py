"""Assignment of rows to the folds of a cross-validation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Union

import numpy as np

from .._binding.errors import DataError, ParameterError
from .._data.matrix import DMatrix
from .._data.rows import row_numbers
from .._data.shuffling import shuffle as permutation

RowsOfFold = tuple[np.ndarray, np.ndarray]  # training, test
Folds = Union[Iterable[tuple[Any, Any]], Any]  # or a splitter of scikit-learn


def make_folds(
    data: DMatrix, nfold: int, stratified: bool, folds: Folds | None, seed: int, shuffle: bool
) -> list[RowsOfFold]:
    """Return the rows of each fold, ascending unless the user passed them; see `cv`.

    Raises
    ------
    ParameterError
        The number of folds is impossible.
    DataError
        There are no labels to stratify by, or folds split a query.
    """
    bounds = data.get_uint_info("group_ptr").astype(np.int64)
    if folds is not None:
        return _given(folds, data, bounds)
    if stratified and len(bounds):
        raise ParameterError("stratified=True does not go with query groups, which stay whole; leave it out.")
    units = len(bounds) - 1 if len(bounds) else data.num_row()
    if not 2 <= nfold <= units:
        what = "query groups" if len(bounds) else "rows"
        raise ParameterError(f"nfold is {nfold}; expected 2 to {units}, the number of {what}.")
    order = permutation(units, seed) if shuffle else np.arange(units)
    fold_of = _stratified(data, order, nfold) if stratified else _in_pieces(order, nfold)
    fold_of_row = np.repeat(fold_of, np.diff(bounds)) if len(bounds) else fold_of
    return [(np.flatnonzero(fold_of_row != fold), np.flatnonzero(fold_of_row == fold)) for fold in range(nfold)]


def _in_pieces(order: np.ndarray, nfold: int) -> np.ndarray:
    """Split the order into contiguous pieces whose lengths differ by at most one."""
    fold_of = np.empty(len(order), dtype=np.int64)
    for fold, piece in enumerate(np.array_split(order, nfold)):
        fold_of[piece] = fold
    return fold_of


def _stratified(data: DMatrix, order: np.ndarray, nfold: int) -> np.ndarray:
    """Distribute the rows label by label: counts of each label, and fold sizes, differ by at most one."""
    labels = data.get_label()
    if labels.shape != (len(order),):
        raise DataError(f"stratified=True needs one label per row; the labels have the shape {labels.shape}.")
    dealt = order[np.argsort(labels[order], kind="stable")]
    fold_of = np.empty(len(order), dtype=np.int64)
    fold_of[dealt] = np.arange(len(order)) % nfold
    return fold_of


def _given(folds: Folds, data: DMatrix, bounds: np.ndarray) -> list[RowsOfFold]:
    if hasattr(folds, "split"):
        rows, labels = np.zeros((data.num_row(), 1)), data.get_label()
        folds = folds.split(
            rows, labels, np.repeat(np.arange(len(bounds) - 1), np.diff(bounds)) if len(bounds) else None
        )
    n_rows = data.num_row()
    pairs = [(row_numbers(train, n_rows), row_numbers(test, n_rows)) for train, test in folds]
    if not pairs:
        raise ParameterError("folds is empty; give (training rows, test rows) for each fold.")
    for train, test in pairs if len(bounds) else []:
        trained, tested = (np.searchsorted(bounds, rows, side="right") for rows in (train, test))
        torn = np.intersect1d(trained, tested)
        if len(torn):
            raise DataError(
                f"a fold of `folds` has rows of query {torn[0] - 1} for training and for testing; keep it whole."
            )
    return pairs
