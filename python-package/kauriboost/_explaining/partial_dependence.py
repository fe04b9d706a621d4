"""Partial dependence: the mean prediction when all rows have the same value of one or two features (Friedman 2001).

The curve of a single row is its individual conditional expectation (Goldstein, Kapelner, Bleich, Pitkin 2015). The mean
of the margins of trees is computed exactly for all values at once (exact_dependence.py). Everything else is computed by
brute force: each grid value, or pair of values, is written into every row, and the rows are predicted.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .._binding.errors import DataError, ParameterError
from .._data.matrix import DMatrix
from .._data.tables import columns_of, matrix_like, weights_of_rows
from .._public import described, public
from .exact_dependence import RowCurves, exact_steps, lower_ends, table_of_points
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
    missing
        The mean when the feature is missing, one per output if there are several; None for two features.
    is_exact
        True if the grid has every threshold of the model's splits, so that the mean is constant from each value to the
        next.
    kind
        ``"partial"``; ``"effect"``: an effect of `functional_anova`; ``"local"``: the result of
        `accumulated_local_effects`. Effects have the mean 0.
    """

    grid: Any
    mean: np.ndarray
    _curves: Any
    observed: np.ndarray
    feature_name: Any
    output_names: list[Any] | None = None
    categories: Any = field(default_factory=list)
    explains: str = "value"
    scale: str = ""
    class_name: Any = None
    missing: Any = None
    is_exact: bool = False
    kind: str = "partial"

    @property
    def individual(self) -> np.ndarray:
        """The curve of each row: ``[n_rows, n_values]``, outputs as a last axis; no rows for two features.

        For margins the curves are predicted when this is first read, which takes most of the time.
        """
        return self._curves.values() if isinstance(self._curves, RowCurves) else np.asarray(self._curves)

    def curves_of(self, rows: np.ndarray) -> np.ndarray:
        """Return the curves of some rows, by number, without computing all others."""
        return self._curves.values(rows) if isinstance(self._curves, RowCurves) else np.asarray(self._curves)[rows]

    @property
    def has_curves(self) -> bool:
        """True if there are curves of single rows."""
        return isinstance(self._curves, RowCurves) or len(self._curves) > 0

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
        chosen = {} if self.missing is None else {"missing": self.missing[..., number]}
        curves = self._curves.of(number) if isinstance(self._curves, RowCurves) else self._curves[..., number]
        means = self.mean[..., number]
        return replace(self, mean=means, _curves=curves, output_names=None, class_name=class_name, **chosen)


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
    feature: str | int | Sequence[str | int | tuple[str | int, str | int]],
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
    has many values, and see `plot_dependence` for the rows' own values.

    Means of margins of trees, and of predictions that are margins, come from one pass of the rows through the trees
    (`dependence_curves` covers all features at once). Means of other predictions, such as probabilities, and linear
    models cost one prediction of all rows per value or pair, and memory for the rows as a dense float32 table.

    Parameters
    ----------
    model
        A Booster, or a fitted estimator of `kauriboost.sklearn`.
    X
        The rows: a DMatrix, or data to make one from. If they have weights, the mean is weighted.
    feature
        Its name or number, or a list of two of them; ``[(0, 1)]`` is a pair as well.
    grid
        The values to try, for a categorical feature category numbers; by default values that occur. For two features a
        list of two grids. ``"thresholds"``: the lower end of every interval in which the model is constant, the first
        below all thresholds; for a categorical feature all values that occur.
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
    require_means(asked, matrix, output)
    names = asked.names(feature_names, matrix)
    numbers = _features(feature, names)
    given = _given_grids(grid, len(numbers))
    n_values = (40, 12)[len(numbers) - 1] if n_values is None else n_values
    if n_values < 2:
        raise ParameterError(f"n_values is {n_values}; expected at least 2.")
    columns = columns_of(matrix, numbers)
    grids = _grids(asked, matrix, numbers, columns, names, given, n_values)
    is_margin = output == "margin" or asked.meaning(None)["scale"] == "prediction"
    found = _exact_means(asked, matrix, numbers, grids, output) if is_margin else None
    mean, curves, missing = found or _means(asked, matrix, numbers, grids, output)
    outputs = asked.output_names(mean.shape[-1])
    if outputs is None:
        curves = curves.of(0) if isinstance(curves, RowCurves) else curves[..., 0]
        mean, missing = mean[..., 0], None if missing is None else missing[..., 0]
    categories = matrix._categories_by(names)
    known = [categories.get(names[number], []) for number in numbers]
    parts = (grids, [names[number] for number in numbers], known)
    one_grid, name, of_name = parts if len(numbers) == 2 else (part[0] for part in parts)
    observed = columns if len(numbers) == 2 else columns[:, 0]
    return PartialDependence(
        one_grid,
        mean,
        curves,
        observed,
        name,
        outputs,
        of_name,
        output,
        missing=missing,
        is_exact=all(map(_is_thresholds, given)),
        **asked.meaning(outputs),
    )


def _is_thresholds(grid: Any) -> bool:
    return isinstance(grid, str) and grid == "thresholds"


def _grids(
    model: Subject,
    matrix: DMatrix,
    numbers: list[int],
    columns: np.ndarray,
    names: list[str],
    given: list[Any],
    n_values: int,
) -> list[np.ndarray]:
    """Return the values to try of each feature."""
    types = matrix.feature_types or [""] * len(names)
    is_exact = [_is_thresholds(grid) and types[number] != "c" for number, grid in zip(numbers, given)]
    steps = exact_steps(model, matrix, numbers) if any(is_exact) else None
    if any(is_exact) and steps is None:
        raise ParameterError("grid is 'thresholds', but the model does not consist of trees with constant leaves.")
    grids = []
    for place, (number, grid) in enumerate(zip(numbers, given)):
        if is_exact[place] and steps is not None:
            grids.append(lower_ends(steps.thresholds[place]))
        else:
            values = None if _is_thresholds(grid) else grid
            grids.append(_grid(columns[:, place], names[number], values, n_values, types[number] == "c"))
    return grids


def require_means(model: Subject, matrix: DMatrix, output: str) -> None:
    """Raise an error for rows or predictions without a mean."""
    if output not in ("value", "margin"):
        raise ParameterError(f"output is {output!r}; expected 'value' or 'margin'.")
    if matrix.num_row() == 0:
        raise DataError("partial dependence needs rows; the data have none.")
    weights = weights_of_rows(matrix)
    if weights is not None and not weights.any():
        raise DataError("the weights of all rows are 0, so that they have no mean; give some row a weight above 0.")
    if output == "value" and objective_of(model.booster) == "multi:softmax":  # the predictions are numbers of classes
        raise ParameterError("multi:softmax predicts numbers of classes, which have no mean; pass output='margin'.")


def _features(feature: Any, names: list[str]) -> list[int]:
    """Return the numbers of one or two features; a pair may be the only element of a list."""
    given: list[Any] = [feature] if isinstance(feature, (str, int, np.integer)) else list(feature)
    if len(given) == 1 and isinstance(given[0], (tuple, list)):
        given = list(given[0])
    numbers = feature_numbers(given, names)
    if len(numbers) > 2 or len(set(numbers)) < len(numbers):
        raise ParameterError(f"feature is {given!r}; pass one feature, or a list of two different ones.")
    return numbers


def _given_grids(grid: Any, n_features: int) -> list[Any]:
    """Return the given grid of each feature, or None."""
    if isinstance(grid, str) and grid != "thresholds":
        raise ParameterError(f"grid is {grid!r}; expected numbers, 'thresholds', or None for values that occur.")
    if grid is None or isinstance(grid, str) or n_features == 1:
        return [grid] * n_features
    grids = list(grid)
    if len(grids) != n_features:
        raise ParameterError(f"grid has {len(grids)} parts; for two features pass a list of two grids.")
    return grids


def _exact_means(
    model: Subject, matrix: DMatrix, numbers: list[int], grids: list[np.ndarray], output: str
) -> tuple[np.ndarray, Any, np.ndarray | None] | None:
    """Return the means, the rows' curves and the mean at missing, as `_means`; None unless the model is of trees."""
    pairs = [(min(numbers), max(numbers))] if len(numbers) == 2 else []
    points = table_of_points(matrix, model.booster.num_features(), dict(zip(numbers, grids)))
    steps = exact_steps(model, matrix, numbers, pairs, points=points)
    if steps is None:
        return None
    cells = [steps.cells[: len(grid), place] for place, grid in enumerate(grids)]
    if not pairs:
        mean = np.moveaxis(steps.curves[0][:, cells[0]], 0, -1)
        return mean, RowCurves(model, matrix, numbers[0], grids[0], output), steps.curves[0][:, -1]
    joint = steps.joint(0) if numbers[0] < numbers[1] else steps.joint(0).swapaxes(1, 2)
    mean = np.moveaxis(joint[:, cells[0]][:, :, cells[1]], 0, -1)
    return mean, np.zeros((0, *mean.shape)), None


def _means(
    model: Subject, matrix: DMatrix, features: list[int], grids: list[np.ndarray], output: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Return the means over the rows; for a single feature also the rows' curves, and the mean at missing."""
    weights = weights_of_rows(matrix)
    shape = [len(grid) for grid in grids]
    if len(features) == 1:
        tried = [np.append(grids[0], np.float32(np.nan))]
        curves = np.stack(list(_curves(model, matrix, features, tried, output)), axis=1)
        means = np.average(curves, axis=0, weights=weights)
        return means[:-1], curves[:, :-1], means[-1]
    all_means = [
        np.average(of_rows, axis=0, weights=weights) for of_rows in _curves(model, matrix, features, grids, output)
    ]
    mean = np.stack(all_means).reshape(*shape, -1)
    return mean, np.zeros((0, *mean.shape), mean.dtype), None
