"""Accumulated local effects (Apley and Zhu 2020): how the prediction changes with a feature, near the rows' own values.

Each row is predicted at both ends of the interval of the grid that it lies in. The mean difference of an interval's
rows is its local effect; the effects are added up from the lowest value, and centred. No row is predicted far from its
own value, so that features that depend on each other give no implausible rows, unlike with partial dependence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._binding.errors import DataError, ParameterError
from .._data.matrix import DMatrix
from .._data.tables import columns_of, matrix_like, weights_of_rows
from .partial_dependence import PartialDependence, require_means
from .subject import Subject, feature_numbers, subject_of


def accumulated_local_effects(
    model: Any,
    X: Any,
    feature: str | int,
    *,
    grid: Any = None,
    n_values: int = 40,
    output: str = "value",
    feature_names: Sequence[str] | None = None,
    iteration_range: tuple[int, int] | None = None,
) -> PartialDependence:
    """Return the accumulated local effects of a feature on the prediction; their mean over the rows is 0.

    The result has the ends of the intervals as grid, and the effects as mean; draw it with `plot_partial_dependence`.
    The cost is two predictions of all rows. Rows without the feature do not count.

    Parameters
    ----------
    model
        A Booster, or a fitted estimator of `kauriboost.sklearn`.
    X
        The rows: a DMatrix, or data to make one from. If they have weights, means are weighted.
    feature
        Its name or number. A categorical feature has no order, so it has no local effects.
    grid
        Ends of the intervals, finite numbers; rows outside do not count. By default values that occur, so that all
        intervals have about as many rows.
    n_values
        Maximum number of ends without `grid`.
    output
        ``"value"``, the prediction, or ``"margin"``, the sum of trees.
    feature_names, iteration_range
        As for `explain`.

    Raises
    ------
    ParameterError
        An unknown or categorical feature, or an invalid grid or output.
    DataError
        No rows within the grid, or rows that do not fit the model; weights that are all 0.
    """
    asked = subject_of(model, iteration_range)
    matrix = asked.matrix(X)
    require_means(asked, matrix, output)
    names = asked.names(feature_names, matrix)
    number = feature_numbers([feature], names)[0]
    if (matrix.feature_types or [""] * len(names))[number] == "c":
        raise ParameterError(
            f"{names[number]!r} is categorical, without an order of its values; use partial_dependence."
        )
    column = columns_of(matrix, [number])[:, 0]
    ends = _ends(column, names[number], grid, n_values)
    changes = _changes(asked, matrix, number, ends, output)
    mean, outputs = _accumulate(matrix, column, ends, changes), asked.output_names(changes.shape[-1])
    mean = mean[:, 0] if outputs is None else mean
    return PartialDependence(
        ends,
        mean,
        np.zeros((0, *mean.shape)),
        column,
        names[number],
        outputs,
        [],
        output,
        kind="local",
        **asked.meaning(outputs),
    )


def _ends(column: np.ndarray, name: str, given: Any, n_values: int) -> np.ndarray:
    """Return the ends of the intervals, ascending."""
    if isinstance(given, str):
        raise ParameterError(
            f"grid is {given!r}; local effects need the ends of intervals as numbers, or None. For trees, "
            "dependence_curves(model, X).curve(feature).grid has all thresholds."
        )
    if given is not None:
        grid = np.unique(np.asarray(given, dtype=np.float32))
        if len(grid) < 2 or not np.isfinite(grid).all():
            raise ParameterError(f"grid is {given!r}; expected at least two different finite numbers, or None.")
        return grid
    if n_values < 2:
        raise ParameterError(f"n_values is {n_values}; expected at least 2.")
    present = column[~np.isnan(column)]
    if len(present) == 0:
        raise DataError(f"every row lacks {name!r}, so that there is no local effect.")
    return np.unique(np.quantile(present, np.linspace(0, 1, n_values), method="inverted_cdf"))


def _intervals(column: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Return the interval of each row, (end, next end], the first with its lower end; -1 for rows outside."""
    if len(ends) == 1:  # a constant feature
        return np.full(len(column), -1)
    intervals = np.searchsorted(ends, column, side="left") - 1
    intervals[column == ends[0]] = 0
    intervals[np.isnan(column) | (column < ends[0]) | (column > ends[-1])] = -1
    return intervals


def _changes(model: Subject, matrix: DMatrix, feature: int, ends: np.ndarray, output: str) -> np.ndarray:
    """Return each row's change of the prediction over its interval, ``[n_rows, n_outputs]``; 0 for rows outside."""
    table = columns_of(matrix, list(range(model.booster.num_features())))
    intervals = _intervals(table[:, feature], ends)
    how: dict[str, Any] = {"output_margin": output == "margin", "iteration_range": model.rounds, "strict_shape": True}
    at = []
    for end in (np.maximum(intervals, 0), np.minimum(np.maximum(intervals, 0) + 1, len(ends) - 1)):
        table[:, feature] = ends[end]
        at.append(np.asarray(model.booster.predict(matrix_like(matrix, list(table.T)), **how), dtype=np.float64))
    changes = at[1] - at[0]
    changes[intervals < 0] = 0.0
    return changes


def _accumulate(matrix: DMatrix, column: np.ndarray, ends: np.ndarray, changes: np.ndarray) -> np.ndarray:
    """Return the accumulated effects at the ends, ``[n_ends, n_outputs]``, with the mean 0 over the rows."""
    if len(ends) == 1:
        return np.zeros((1, changes.shape[1]))
    intervals = _intervals(column, ends)
    inside = intervals >= 0
    given = weights_of_rows(matrix)
    weights = np.ones(matrix.num_row()) if given is None else given
    of_interval = np.bincount(intervals[inside], weights[inside], minlength=len(ends) - 1)
    if not of_interval.any():
        raise DataError("no row with a weight lies within the grid; pass ends around the values of the rows.")
    effects = np.zeros((len(ends), changes.shape[1]))
    for output, change in enumerate(changes.T):
        sums = np.bincount(intervals[inside], (weights * change)[inside], minlength=len(ends) - 1)
        local = np.divide(sums, of_interval, out=np.zeros_like(sums), where=of_interval > 0)
        effects[1:, output] = np.cumsum(local)
    middles = (effects[1:] + effects[:-1]) / 2
    centred: np.ndarray = effects - of_interval @ middles / of_interval.sum()
    return centred
