"""Summary statistics of the columns of a table: counts, bounds, moments, quantiles."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._binding.errors import DataError, KauriError, ParameterError
from .._binding.matrix_calls import summarize_batches, summarize_matrix
from .._binding.text import config
from .._public import described, public
from .batch import Batch
from .iterator import DataIter, OneBatch, batches_of
from .matrix import DMatrix, missing_value
from .naming import add_names
from .rows import ArrayLike

_FIELDS = ("count", "missing", "distinct", "min", "max", "mean", "std", "skewness", "kurtosis", "rank_error")


@public("kauriboost.summary")
@dataclass(frozen=True, repr=False)
class ColumnSummary:
    """The result of `summarize`. Each array has one float64 number per column.

    Attributes
    ----------
    names
        Column names; ``f0``, ``f1``, .. if the columns have no names.
    count, missing
        Numbers of rows with a value and without, among the rows with non-zero weight.
    distinct
        Number of different values; NaN for more than 256.
    min, max, mean, std
        Weighted statistics of the values; ``std`` is the population's, divided by all weight.
    skewness, kurtosis
        Skewness and excess kurtosis (0 for a normal distribution); NaN if all values are equal.
    quantiles
        ``[n_cols, len(shares)]``: for each share, the smallest value whose cumulative share of weight reaches it.
    shares
        The shares passed as `quantiles`.
    rank_error
        Maximum error of a quantile's rank, as a share of all weight: 0 for ``"exact"``; for ``"kll"`` a bound that
        holds in 99 of 100 cases; NaN if there is no bound.
    """

    names: list[str]
    count: np.ndarray
    missing: np.ndarray
    distinct: np.ndarray
    min: np.ndarray
    max: np.ndarray
    mean: np.ndarray
    std: np.ndarray
    skewness: np.ndarray
    kurtosis: np.ndarray
    rank_error: np.ndarray
    quantiles: np.ndarray
    shares: np.ndarray

    def __repr__(self) -> str:
        return described(self, columns=self.names, shares=self.shares.tolist())

    def __len__(self) -> int:
        return len(self.names)

    def to_frame(self) -> Any:
        """Return a pandas frame with a row for each column."""
        import pandas as pd

        table = {name: getattr(self, name) for name in _FIELDS}
        table.update({f"{share:g}": self.quantiles[:, i] for i, share in enumerate(self.shares)})
        return pd.DataFrame(table, index=self.names)


def _summary(table: np.ndarray, names: list[str] | None, shares: np.ndarray) -> ColumnSummary:
    fields = {name: table[:, i].copy() for i, name in enumerate(_FIELDS)}
    names = [f"f{i}" for i in range(len(table))] if names is None else names
    return ColumnSummary(names=names, quantiles=table[:, len(_FIELDS) :].copy(), shares=shares, **fields)


def _iterator_of(data: Any, weights: ArrayLike | None) -> DataIter:
    if isinstance(data, (str, os.PathLike)):
        raise DataError(f"summarize takes data in memory or an iterator; read {str(data)!r} as a DMatrix.")
    if isinstance(data, DataIter):
        if weights is not None:
            raise DataError("weights come with each batch of an iterator; pass them to input_data.")
        return data
    return OneBatch(data, {} if weights is None else {"weight": weights})


def summarize(
    data: Any,
    quantiles: Sequence[float] = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99),
    sketch: str = "exact",
    weights: ArrayLike | None = None,
    *,
    sketch_size: int = 0,
    sketch_order: int = 10,
    sketch_density: str = "max_entropy",
    missing: float | None = None,
    nthread: int | None = None,
) -> ColumnSummary:
    """Return counts, bounds, moments and quantiles of every column, from one pass over the rows.

    The numbers depend neither on threads nor on how rows come in batches.

    Parameters
    ----------
    data
        Anything that `DMatrix` takes except a path, a `DMatrix` that keeps values, or a `DataIter`.
    quantiles
        Shares of the weight, ascending, from 0 to 1.
    sketch
        ``"exact"`` keeps all values; ``"gk"`` a summary with a bound on the rank error; ``"kll"`` a smaller, randomised
        summary whose bound holds in 99 of 100 cases; ``"moments"`` a few power sums, without any bound, unsuitable for
        columns with far outliers. All except ``"exact"`` need memory that hardly grows with the rows.
    weights
        ``[n_rows]``; a row counts in proportion to its weight. Rows of weight zero are left out. A `DMatrix` and the
        batches of an iterator have their own.
    sketch_size, sketch_order, sketch_density
        As the training parameters of these names. ``"cosine"`` needs a second pass, so it is not available here.
    missing
        As for `DMatrix`.
    nthread
        Threads; all cores if not given.

    Raises
    ------
    DataError
        As `DMatrix`; a matrix of bins instead of values; weights for data that have their own.
    ParameterError
        Shares that do not ascend, unknown sketches.

    Examples
    --------
    >>> kauriboost.summarize(X).to_frame()
    """
    shares = np.asarray(quantiles, dtype=np.float64)
    if shares.ndim != 1:
        raise ParameterError(f"quantiles have shape {shares.shape}; give a list of shares.")
    settings = config(
        quantiles=shares.tolist(),
        sketch=sketch,
        sketch_size=int(sketch_size),
        sketch_order=int(sketch_order),
        sketch_density=sketch_density,
        missing=missing_value(missing),
        nthread=0 if nthread is None else int(nthread),
    )
    if isinstance(data, DMatrix):
        if weights is not None:
            raise DataError("a DMatrix has its own weights; set them with set_info(weight=...).")
        return _summary(summarize_matrix(data.handle, settings), data.feature_names, shares)
    batch = Batch()
    iterator = _iterator_of(data, weights)
    try:
        table = summarize_batches(batch.handle, iterator.reset, batches_of(iterator, batch), settings)
    except KauriError as error:
        add_names(error, batch.column_names)
        raise
    return _summary(table, batch.column_names, shares)
