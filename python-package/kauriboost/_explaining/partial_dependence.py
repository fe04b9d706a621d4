"""Partial dependence: the mean prediction when all rows have the same value of one feature (Friedman 2001).

The curve of a single row is its individual conditional expectation (Goldstein, Kapelner, Bleich, Pitkin 2015). Both are
computed by brute force: each grid value is written into every row, and the rows are predicted.
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
    """The result of `partial_dependence`.

    Attributes
    ----------
    grid
        ``[n_values]``: the feature's values, ascending; for a categorical feature, category numbers.
    mean
        ``[n_values]``, or with several outputs ``[n_values, n_outputs]``: the mean over the rows, with their weights.
    individual
        ``[n_rows, n_values]``, with a last axis for several outputs: the curve of each row.
    observed
        ``[n_rows]``: the feature's values in the rows, NaN for missing ones.
    feature_name
        The feature's name.
    output_names
        One per output if there are several, else None: the classes of a classifier, or numbers.
    categories
        The names of the feature's categories, if any.
    explains
        The predicted quantity: ``"value"`` or ``"margin"``.
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
    """Return the values to try: the given ones, else values that occur, evenly spaced among the sorted rows.

    If many rows share a value, this gives fewer values; the rest are evenly spaced among the other values.
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
    """Return the predictions for each grid value, ``[n_rows, n_values, n_outputs]``."""
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
    """Return the prediction of rows as a function of one feature, others fixed: the mean, and each row's curve.

    A value may be implausible together with a row's other features, but is predicted all the same. So read the curve
    where the feature has many values, and see `plot_dependence` for the rows' own values. The cost is one prediction of
    all rows per value, and memory for the rows as a dense float32 table.

    Parameters
    ----------
    model
        A Booster, or a fitted estimator of `kauriboost.sklearn`.
    X
        The rows: a DMatrix, or data to make one from. If they have weights, the mean is weighted.
    feature
        Its name or number.
    grid
        The values to try, for a categorical feature category numbers; by default values that occur.
    n_values
        Maximum number of values without `grid`; categories are all used.
    output
        ``"value"``, the prediction, or ``"margin"``, the sum of trees.
    feature_names, iteration_range
        As for `explain`.

    Raises
    ------
    ParameterError
        An unknown feature, or an invalid grid or output.
    DataError
        No rows, or rows that do not fit the model; a feature that is missing in all rows; weights that are all 0.
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
    """Raise ParameterError if predictions are class numbers, whose mean is meaningless."""
    objective = json.loads(model.booster.save_config())["learner"]["objective"]["name"]
    if output == "value" and objective == "multi:softmax":
        raise ParameterError("multi:softmax predicts numbers of classes, which have no mean; pass output='margin'.")
