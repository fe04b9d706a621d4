"""Partial dependence: the mean prediction of rows that all have the same value of one feature (Friedman 2001).

The curve of each row by itself is its individual conditional expectation (Goldstein, Kapelner, Bleich, Pitkin 2015).
Both come by brute force: the value is written into every row, and the rows are predicted, for each value of the grid.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .._binding.errors import DataError, ParameterError
from .._data.categories import CategoryNames
from .._data.matrix import DMatrix
from .._data.tables import columns_of, matrix_like
from .._public import described, public
from .explanation import _output_number
from .subject import Subject, feature_numbers, subject_of


@public("kauriboost.explanation")
@dataclass(frozen=True, repr=False)
class PartialDependence:
    """What `partial_dependence` returns.

    Attributes
    ----------
    grid
        ``[n_values]``: the feature's values, ascending; of a categorical feature the numbers of its categories.
    mean
        ``[n_values]``, with several outputs ``[n_values, n_outputs]``: the mean over the rows, by their weights.
    individual
        ``[n_rows, n_values]``, with several outputs their axis is the last: the curve of each row.
    observed
        ``[n_rows]``: the feature's values in the rows, NaN where missing.
    feature_name
        Of the feature.
    output_names
        One per output where there are several, else None: the classes of a classifier, or numbers.
    categories
        The names of the feature's categories, where it has some.
    explains
        What is predicted: ``"value"`` or ``"margin"``.
    """

    grid: np.ndarray
    mean: np.ndarray
    individual: np.ndarray
    observed: np.ndarray
    feature_name: str
    output_names: list[Any] | None = None
    categories: CategoryNames = field(default_factory=list)
    explains: str = "value"

    def __repr__(self) -> str:
        rows, values = self.individual.shape[:2]
        return described(self, feature=self.feature_name, values=values, rows=rows, outputs=self.output_names)

    def output(self, which: Any) -> PartialDependence:
        """Return the dependence of one output, by its name (a class) or else its number."""
        number = _output_number(self.output_names, which)
        return replace(self, mean=self.mean[..., number], individual=self.individual[..., number], output_names=None)


def _grid(column: np.ndarray, name: str, given: Any, n_values: int, is_categorical: bool) -> np.ndarray:
    """Return the values to try: those given, else values that occur, evenly spaced among the sorted rows.

    Where many rows share a value fewer come out of that; the rest are evenly spaced among the other values.
    """
    if given is not None:
        grid = np.asarray(given, dtype=np.float32).ravel()
        if len(grid) == 0 or not np.isfinite(grid).all():
            raise ParameterError(f"grid is {given!r}; expected finite numbers, or None for values that occur.")
        return np.unique(grid)
    present = np.unique(column[~np.isnan(column)])
    if len(present) == 0:
        raise DataError(f"every row lacks {name!r}; pass the values to try as grid.")
    if len(present) <= n_values or is_categorical:
        return present
    shares = np.linspace(0, 1, n_values)
    grid = np.unique(np.quantile(column[~np.isnan(column)], shares, method="inverted_cdf"))
    others = np.setdiff1d(present, grid)
    places = np.linspace(0, len(others) - 1, n_values - len(grid)).astype(int)
    return np.union1d(grid, others[places])


def _curves(model: Subject, matrix: DMatrix, feature: int, grid: np.ndarray, output: str) -> np.ndarray:
    """Return ``[n_rows, n_values, n_outputs]``."""
    table = columns_of(matrix, list(range(model.booster.num_features())))
    how: dict[str, Any] = {"output_margin": output == "margin", "iteration_range": model.rounds, "strict_shape": True}
    curves = []
    for value in grid:
        table[:, feature] = value
        curves.append(np.asarray(model.booster.predict(matrix_like(matrix, list(table.T)), **how)))
    return np.stack(curves, axis=1)


def partial_dependence(
    model: Any,
    X: Any,
    feature: str | int,
    *,
    grid: Sequence[float] | np.ndarray | None = None,
    n_values: int = 40,
    output: str = "value",
    feature_names: Sequence[str] | None = None,
    iteration_range: tuple[int, int] | None = None,
) -> PartialDependence:
    """Return how the prediction of rows depends on one feature while all others stay: their mean, and each by itself.

    Rows that a value does not fit, as no row with all the others would have it, are predicted all the same: read the
    curve where the feature's values are many, and see `plot_dependence` for what the rows' own values do. It takes as
    many predictions of all rows as there are values; memory is that of the rows as a dense table of float32.

    Parameters
    ----------
    model
        A Booster, or a fitted estimator of `kauriboost.sklearn`.
    X
        The rows: a DMatrix, or whatever one is made of. Their weights, if they have some, weigh the mean.
    feature
        Its name or number.
    grid
        The values to try, of a categorical feature numbers of categories; by default values that occur.
    n_values
        How many of these at most; all categories.
    output
        ``"value"``, what is predicted, or ``"margin"``, the sum of trees.
    feature_names, iteration_range
        As for `explain`.

    Raises
    ------
    ParameterError
        An unknown feature, a grid or output that makes no sense.
    DataError
        No rows, or such as do not fit the model; a feature that all rows lack; weights that are all 0.
    """
    if output not in ("value", "margin"):
        raise ParameterError(f"output is {output!r}; expected 'value' or 'margin'.")
    if n_values < 2:
        raise ParameterError(f"n_values is {n_values}; expected at least 2.")
    asked = subject_of(model, iteration_range)
    matrix = asked.matrix(X)
    if matrix.num_row() == 0:
        raise DataError("partial dependence needs rows; the data have none.")
    weights = matrix.get_weight()
    if len(weights) == matrix.num_row() and not weights.any():
        raise DataError("the weights of all rows are 0, so that they have no mean; give some row a weight above 0.")
    _require_numbers(asked, output)
    names = asked.names(feature_names, matrix)
    number = feature_numbers([feature], names)[0]
    column = columns_of(matrix, [number])[:, 0]
    is_categorical = (matrix.feature_types or [""] * len(names))[number] == "c"
    values = _grid(column, names[number], grid, n_values, is_categorical)
    curves = _curves(asked, matrix, number, values, output)
    mean = np.average(curves, axis=0, weights=weights if len(weights) == len(curves) else None)
    outputs = asked.output_names(curves.shape[-1])
    if outputs is None:
        curves, mean = curves[..., 0], mean[..., 0]
    known = matrix._categories_by(names).get(names[number], [])
    return PartialDependence(values, mean, curves, column, names[number], outputs, known, output)


def _require_numbers(model: Subject, output: str) -> None:
    """Raise ParameterError where predictions are numbers of classes, whose mean says nothing."""
    objective = json.loads(model.booster.save_config())["learner"]["objective"]["name"]
    if output == "value" and objective == "multi:softmax":
        raise ParameterError("multi:softmax predicts numbers of classes, which have no mean; pass output='margin'.")
