"""Assignment of rows to the folds of a cross-validation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Union

import numpy as np

from .._binding.errors import DataError, ParameterError
from .._data.device import to_host
from .._data.matrix import DMatrix
from .._data.numbers import collected, whole_number
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
    nfold = whole_number(nfold, "nfold")
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


def make_group_folds(
    data: DMatrix, nfold: int, by_class: bool, folds: Folds | None, seed: int, groups: Any
) -> list[RowsOfFold]:
    """Return the rows of each fold, ascending, such that rows with the same value of `groups` are in the same fold.

    Groups are assigned from the largest to the smallest, equal ones in random order. Each joins the fold that keeps the
    sizes of the folds most even, or with `by_class` the numbers of rows of each class. Queries stay whole, too.

    Parameters
    ----------
    data, nfold, folds, seed
        As for `make_folds`. A splitter of scikit-learn as `folds` gets the groups.
    by_class
        Whether to distribute each class evenly; the labels are one number per row.
    groups
        A value for each row, number or text.

    Raises
    ------
    ParameterError
        There are fewer groups than folds.
    DataError
        `groups` has another length or missing values, or splits a query; or `folds` split a group.
    """
    names, group_of_row = _groups_of(groups, data.num_row())
    bounds = data.get_uint_info("group_ptr").astype(np.int64)
    for query, (begin, end) in enumerate(zip(bounds[:-1], bounds[1:])):
        if begin < end and (group_of_row[begin:end] != group_of_row[begin]).any():
            raise DataError(f"groups has several values within query {query}; give a query's rows the same value.")
    if folds is not None:
        pairs = _given(folds, data, bounds, group_of_row)
        for train, test in pairs:
            torn = np.intersect1d(group_of_row[train], group_of_row[test])
            if len(torn):
                raise DataError(f"a fold of `folds` has rows of group {names[torn[0]]!r} for training and for testing.")
        return pairs
    if not 2 <= nfold <= len(names):
        raise ParameterError(f"nfold is {nfold}; expected 2 to {len(names)}, the number of groups.")
    classes = np.unique(data.get_label(), return_inverse=True)[1] if by_class else np.zeros(data.num_row(), np.int64)
    counts = np.zeros((len(names), classes.max() + 1))
    np.add.at(counts, (group_of_row, classes), 1)
    fold_of_row = _evenly(counts, nfold, seed)[group_of_row]
    return [(np.flatnonzero(fold_of_row != fold), np.flatnonzero(fold_of_row == fold)) for fold in range(nfold)]


def _groups_of(groups: Any, n_rows: int) -> tuple[list[Any], np.ndarray]:
    """Return the different values of `groups` in order of first appearance, and the number of each row's value.

    Values are compared as in Python: 1 and 1.0 are equal, 1 and "1" are not.
    """
    values = _column_of(groups, n_rows)
    numbers: dict[Any, int] = {}
    try:
        group_of_row = np.array([numbers.setdefault(value, len(numbers)) for value in values.tolist()], dtype=np.int64)
    except TypeError as error:
        raise DataError(f"groups has values that cannot be compared ({error}); pass numbers or texts.") from error
    names = list(numbers)
    if values.dtype.kind == "O":
        are_missing = np.array([_is_missing(name) for name in names], dtype=bool)[group_of_row]
    else:
        are_missing = values != values
    if are_missing.any():
        raise DataError(f"groups has no value in row {are_missing.argmax()}; give each row a group.")
    return names, group_of_row


def _column_of(groups: Any, n_rows: int) -> np.ndarray:
    """Return `groups` as an array ``[n_rows]``; a column ``[n_rows, 1]`` is accepted, too."""
    if np.ma.is_masked(groups):
        raise DataError("groups has masked values; give each row a group.")
    # NumPy would turn a list of numbers and texts into texts.
    is_list = isinstance(groups, (list, tuple))
    values = np.array(groups, dtype=object) if is_list else np.asarray(to_host(collected(groups)))
    values = values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values
    if values.shape != (n_rows,):
        raise DataError(f"groups has the shape {values.shape}; expected one value for each of the {n_rows} rows.")
    return values


def _is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType") or bool(value != value)


def _evenly(counts: np.ndarray, nfold: int, seed: int) -> np.ndarray:
    """Return the fold of each group, given its number of rows of each class, ``[n_groups, n_classes]``."""
    order = permutation(len(counts), seed)
    order = order[np.argsort(-counts.sum(axis=1)[order], kind="stable")]
    parts = counts / counts.sum(axis=0)  # of all rows of a class
    fold_of, held = np.empty(len(counts), dtype=np.int64), np.zeros((nfold, counts.shape[1]))
    rows_held = np.zeros(nfold)
    for group in order:
        # The sum over the folds of squared parts grows by 2 * held * part + part * part; the last term is common.
        growth = held @ parts[group]
        fold = np.lexsort((rows_held, growth))[0]
        fold_of[group] = fold
        held[fold] += parts[group]
        rows_held[fold] += counts[group].sum()
    return fold_of


def _given(folds: Folds, data: DMatrix, bounds: np.ndarray, groups: np.ndarray | None = None) -> list[RowsOfFold]:
    if isinstance(folds, str):
        raise ParameterError(f"folds is {folds!r}; give pairs of training and test rows, or a splitter.")
    if isinstance(folds, (int, np.integer)):
        raise ParameterError(f"folds is {folds}; for a number of folds pass nfold={folds}, else pairs or a splitter.")
    if hasattr(folds, "split"):
        if groups is None and len(bounds):
            groups = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
        folds = _split_by(folds, data, groups)
    n_rows = data.num_row()
    pairs = [(row_numbers(train, n_rows), row_numbers(test, n_rows)) for train, test in folds]
    if not pairs:
        raise ParameterError(
            "folds is empty; give (training rows, test rows) for each fold. A generator gives them only once."
        )
    for train, test in pairs if len(bounds) else []:
        trained, tested = (np.searchsorted(bounds, rows, side="right") for rows in (train, test))
        torn = np.intersect1d(trained, tested)
        if len(torn):
            raise DataError(
                f"a fold of `folds` has rows of query {torn[0] - 1} for training and for testing; keep it whole."
            )
    return pairs


def _split_by(splitter: Any, data: DMatrix, groups: np.ndarray | None) -> list[tuple[Any, Any]]:
    """Return the folds of a splitter of scikit-learn. It gets no labels if bounds of times take their place."""
    labels = data.get_label()
    try:
        return list(splitter.split(np.zeros((data.num_row(), 1)), labels if labels.size else None, groups))
    except (TypeError, ValueError) as error:
        if groups is None and "groups" in str(error):
            raise ParameterError(
                f"`folds` is a {type(splitter).__name__}, which needs the groups of the rows; pass groups= to "
                "fit_best or to fit of an estimator, or folds=splitter.split(X, y, groups)."
            ) from error
        raise
