"""Partial dependence: the mean prediction when all rows have the same value of one or two features (Friedman 2001).

The curve of a single row is its individual conditional expectation (Goldstein, Kapelner, Bleich, Pitkin 2015). Both are
computed by brute force: each grid value, or pair of values, is written into every row, and the rows are predicted.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .._binding.errors import DataError, ParameterError
from .._data.matrix import DMatrix
from .._data.tables import columns_of, matrix_like
from .._public import described, public
from .explanation import _output_number
from .subject import Subject, feature_numbers, objective_of, subject_of


@public("kauriboost.explanation")
@dataclass(frozen=True, repr=False)
class PartialDependence:
    """The result of `partial_dependence`.

    Attributes
    ----------
    grid
        ``[n_values]``: the feature's values, ascending; for a categorical feature, category numbers. For two features a
        list of two such arrays.
    mean
        ``[n_values]``, for two features ``[n_values, n_values]``: the mean over the rows, with their weights. Several
        outputs add a last axis.
    individual
        ``[n_rows, n_values]``, with a last axis for several outputs: the curve of each row. For two features it has no
        rows.
    observed
        ``[n_rows]``: the feature's values in the rows, NaN for missing ones; ``[n_rows, 2]`` for two features.
    feature_name
        The feature's name, or a list of two names.
    output_names
        One per output if there are several, else None: the classes of a classifier, or numbers.
    categories
        The names of the feature's categories, if any; for two features a list of two.
    explains
        The predicted quantity: ``"value"`` or ``"margin"``.
    scale, class_name
        As in `Explanation`; of a prediction, `class_name` is the class of the probability.
    """

    grid: Any
    mean: np.ndarray
    individual: np.ndarray
    observed: np.ndarray
    feature_name: Any
    output_names: list[Any] | None = None
    categories: Any = field(default_factory=list)
    explains: str = "value"
    scale: str = ""
    class_name: Any = None

    @property
    def is_pair(self) -> bool:
        """True if two features change."""
        return isinstance(self.feature_name, list)

    def __repr__(self) -> str:
        rows, values = len(self.observed), [len(grid) for grid in (self.grid if self.is_pair else [self.grid])]
        named = {"features": self.feature_name} if self.is_pair else {"feature": self.feature_name}
        return described(
            self, **named, values=values if self.is_pair else values[0], rows=rows, outputs=self.output_names
        )

    def output(self, which: Any) -> PartialDependence:
        """Return the dependence of one output, by its name (a class) or else its number."""
        number = _output_number(self.output_names, which)
        class_name = None if self.output_names is None else self.output_names[number]
        means, curves = self.mean[..., number], self.individual[..., number]
        return replace(self, mean=means, individual=curves, output_names=None, class_name=class_name)


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


def _curves(model: Subject, matrix: DMatrix, features: list[int], grids: list[np.ndarray], output: str) -> Any:
    """Yield the predictions of all rows, ``[n_rows, n_outputs]``, for each value, or pair of values, of the grids."""
    table = columns_of(matrix, list(range(model.booster.num_features())))
    how: dict[str, Any] = {"output_margin": output == "margin", "iteration_range": model.rounds, "strict_shape": True}
    for values in itertools.product(*grids):
        table[:, features] = values
        yield np.asarray(model.booster.predict(matrix_like(matrix, list(table.T)), **how))


def partial_dependence(
    model: Any,
    X: Any,
    feature: str | int | Sequence[str | int],
    *,
    grid: Any = None,
    n_values: int | None = None,
    output: str = "value",
    feature_names: Sequence[str] | None = None,
    iteration_range: tuple[int, int] | None = None,
) -> PartialDependence:
    """Return the prediction of rows as a function of one feature, others fixed: the mean, and each row's curve.

    Two features give the mean for all pairs of their values, which shows how they act together. A value may be
    implausible together with a row's other features, but is predicted all the same. So read the curve where the feature
    has many values, and see `plot_dependence` for the rows' own values. The cost is one prediction of all rows per
    value or pair, and memory for the rows as a dense float32 table.

    Parameters
    ----------
    model
        A Booster, or a fitted estimator of `kauriboost.sklearn`.
    X
        The rows: a DMatrix, or data to make one from. If they have weights, the mean is weighted.
    feature
        Its name or number, or a list of two of them.
    grid
        The values to try, for a categorical feature category numbers; by default values that occur. For two features a
        list of two grids.
    n_values
        Maximum number of values without `grid`, by default 40, or 12 of each of two features; categories are all used.
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
    asked = subject_of(model, iteration_range)
    matrix = asked.matrix(X)
    _require(asked, matrix, output)
    names = asked.names(feature_names, matrix)
    numbers = _features(feature, names)
    given = _given_grids(grid, len(numbers))
    n_values = (40, 12)[len(numbers) - 1] if n_values is None else n_values
    if n_values < 2:
        raise ParameterError(f"n_values is {n_values}; expected at least 2.")
    columns = columns_of(matrix, numbers)
    types = matrix.feature_types or [""] * len(names)
    grids = [
        _grid(column, names[number], values, n_values, types[number] == "c")
        for number, column, values in zip(numbers, columns.T, given)
    ]
    mean, curves = _means(asked, matrix, numbers, grids, output)
    outputs = asked.output_names(mean.shape[-1])
    if outputs is None:
        curves, mean = curves[..., 0], mean[..., 0]
    categories = matrix._categories_by(names)
    known = [categories.get(names[number], []) for number in numbers]
    parts = (grids, [names[number] for number in numbers], known)
    one_grid, name, of_name = parts if len(numbers) == 2 else (part[0] for part in parts)
    observed = columns if len(numbers) == 2 else columns[:, 0]
    meaning = asked.meaning(outputs)
    return PartialDependence(one_grid, mean, curves, observed, name, outputs, of_name, output, **meaning)


def _require(model: Subject, matrix: DMatrix, output: str) -> None:
    """Raise an error for rows or predictions without a mean."""
    if output not in ("value", "margin"):
        raise ParameterError(f"output is {output!r}; expected 'value' or 'margin'.")
    if matrix.num_row() == 0:
        raise DataError("partial dependence needs rows; the data have none.")
    weights = matrix.get_weight()
    if len(weights) == matrix.num_row() and not weights.any():
        raise DataError("the weights of all rows are 0, so that they have no mean; give some row a weight above 0.")
    if output == "value" and objective_of(model.booster) == "multi:softmax":  # the predictions are numbers of classes
        raise ParameterError("multi:softmax predicts numbers of classes, which have no mean; pass output='margin'.")


def _features(feature: Any, names: list[str]) -> list[int]:
    """Return the numbers of one or two features."""
    given: list[Any] = [feature] if isinstance(feature, (str, int, np.integer)) else list(feature)
    numbers = feature_numbers(given, names)
    if len(numbers) > 2 or len(set(numbers)) < len(numbers):
        raise ParameterError(f"feature is {given!r}; pass one feature, or a list of two different ones.")
    return numbers


def _given_grids(grid: Any, n_features: int) -> list[Any]:
    """Return the given grid of each feature, or None."""
    if grid is None or n_features == 1:
        return [grid] * n_features
    grids = list(grid)
    if len(grids) != n_features:
        raise ParameterError(f"grid has {len(grids)} parts; for two features pass a list of two grids.")
    return grids


def _means(
    model: Subject, matrix: DMatrix, features: list[int], grids: list[np.ndarray], output: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return the means over the rows, and for a single feature the rows' curves."""
    given = matrix.get_weight()
    weights = given if len(given) == matrix.num_row() else None
    shape = [len(grid) for grid in grids]
    if len(features) == 1:
        curves = np.stack(list(_curves(model, matrix, features, grids, output)), axis=1)
        return np.average(curves, axis=0, weights=weights), curves
    means = [
        np.average(of_rows, axis=0, weights=weights) for of_rows in _curves(model, matrix, features, grids, output)
    ]
    mean = np.stack(means).reshape(*shape, -1)
    return mean, np.zeros((0, *mean.shape), mean.dtype)
