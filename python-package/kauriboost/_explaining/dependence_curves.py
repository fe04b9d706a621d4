"""All partial dependences of a model of trees, exact at every value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._binding.errors import ParameterError
from .._data.categories import CategoryNames
from .._data.matrix import DMatrix
from .._data.tables import columns_of
from .._public import described, public
from .exact_dependence import Steps, lower_ends, steps_of
from .partial_dependence import PartialDependence
from .subject import Subject, feature_numbers, subject_of


@public("kauriboost.explanation")
@dataclass(frozen=True, repr=False)
class DependenceCurves:
    """The result of `dependence_curves`, and the effects of `functional_anova`.

    Attributes
    ----------
    base
        The mean margin over the rows; one per output if there are several.
    feature_names
        The features with a curve.
    pairs
        The pairs of names with a joint dependence.
    observed
        ``[n_rows, n_features]``: the values of these features in the rows.
    output_names, scale, class_name, kind
        As in `PartialDependence`.
    """

    base: Any
    feature_names: list[str]
    pairs: list[tuple[str, str]]
    observed: np.ndarray
    output_names: list[Any] | None = None
    scale: str = ""
    class_name: Any = None
    kind: str = "partial"
    categories: dict[str, CategoryNames] = field(default_factory=dict)
    _steps: Steps | None = None
    _is_categorical: tuple[bool, ...] = ()

    def __repr__(self) -> str:
        return described(self, features=self.feature_names, pairs=len(self.pairs) or None, rows=len(self.observed))

    def curve(self, feature: str | int) -> PartialDependence:
        """Return the curve of a feature, by its name or its number among `feature_names`.

        Its grid holds the lower end of every interval in which the curve is constant, the first below all thresholds;
        for a categorical feature the categories that occur.
        """
        number = self._number(feature)
        values = self._values([number])
        grid, cells = self._axis(number)
        categories = self._names_of(number)
        return self._result(
            grid, values[:, cells], self.observed[:, number], self.feature_names[number], categories, values[:, -1]
        )

    def joint(self, first: str | int, second: str | int) -> PartialDependence:
        """Return the joint dependence of a pair: a map of which every cell is exact."""
        numbers = [self._number(first), self._number(second)]
        values = self._values(numbers)
        (grid, rows), (other, columns) = map(self._axis, numbers)
        names = [self.feature_names[number] for number in numbers]
        categories = [self._names_of(number) for number in numbers]
        shown = values[:, rows][:, :, columns]
        return self._result([grid, other], shown, self.observed[:, numbers], names, categories, None)

    def at_rows(self, first: str | int, second: str | int | None = None) -> np.ndarray:
        """Return the curve of a feature, or the joint dependence of a pair, at the values of each row.

        The shape is ``[n_rows]``, with a last axis for several outputs.
        """
        numbers = [self._number(which) for which in ([first] if second is None else [first, second])]
        values = self._values(numbers)
        cells: list[Any] = [self._the_steps().cells[:, number] for number in numbers]
        return self._shaped(values[(slice(None), *cells)])

    def _names_of(self, number: int) -> Any:
        """Return the names of a feature's categories; their numbers if they have none; empty for other features."""
        known = self.categories.get(self.feature_names[number], [])
        if len(known) or not self._is_categorical[number]:
            return known
        column = self.observed[:, number]
        return [str(code) for code in range(int(np.nanmax(column, initial=-1)) + 1)]

    def _the_steps(self) -> Steps:
        assert self._steps is not None
        return self._steps

    def _number(self, feature: str | int) -> int:
        return feature_numbers([feature], self.feature_names)[0]

    def _values(self, numbers: list[int]) -> np.ndarray:
        """Return the values of a curve, or of a pair with its features in the given order, by output and cell."""
        steps = self._the_steps()
        if len(numbers) == 1:
            curve = steps.curves[numbers[0]]
            return curve - steps.base[:, None] if self.kind == "effect" else curve
        pair = tuple(steps.features[number] for number in numbers)
        ordered = (min(pair), max(pair))
        if ordered not in steps.pairs:
            names = tuple(self.feature_names[number] for number in numbers)
            raise ParameterError(f"{names} is not among the pairs; pass pairs=[{names}] when you compute the curves.")
        place = steps.pairs.index(ordered)
        values = steps.surfaces[place] if self.kind == "effect" else steps.joint(place)
        return values if pair == ordered else values.swapaxes(1, 2)

    def _axis(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the values that stand for the cells of a feature, and the cells."""
        steps = self._the_steps()
        if not self._is_categorical[number]:
            return lower_ends(steps.thresholds[number]), np.arange(len(steps.thresholds[number]) + 1)
        column = self.observed[:, number]
        grid, rows = np.unique(column, return_index=True)
        is_there = ~np.isnan(grid)
        return grid[is_there], steps.cells[rows[is_there], number]

    def _shaped(self, values: np.ndarray) -> np.ndarray:
        """Move the outputs from the first axis to the last, or drop the axis for a single output."""
        return values[0] if self.output_names is None else np.moveaxis(values, 0, -1)

    def _result(
        self, grid: Any, values: np.ndarray, observed: np.ndarray, name: Any, categories: Any, missing: Any
    ) -> PartialDependence:
        mean = self._shaped(values)
        return PartialDependence(
            grid,
            mean,
            np.zeros((0, *mean.shape)),
            observed,
            name,
            self.output_names,
            categories,
            "margin",
            self.scale,
            self.class_name,
            missing=None if missing is None else self._shaped(missing),
            is_exact=True,
            kind=self.kind,
        )


def numbers_of_pairs(pairs: Any, names: list[str], features: list[int]) -> list[tuple[int, int]]:
    """Return pairs of features as numbers; None: no pairs."""
    numbers: list[tuple[int, int]] = []
    for pair in pairs or ():
        given: list[Any] = [pair] if isinstance(pair, (str, int, np.integer)) else list(pair)
        found = feature_numbers(given, names) if given else []
        if len(found) != 2 or found[0] == found[1]:
            raise ParameterError(f"a pair is {pair!r}; pass two different features, by name or number.")
        if not set(found) <= set(features):
            raise ParameterError(f"the pair {pair!r} is not of the chosen features; add both to features.")
        numbers.append((min(found), max(found)))
    if len(set(numbers)) < len(numbers):
        raise ParameterError(f"pairs is {pairs!r}, which has a pair twice; give it once.")
    return numbers


def curves_of(
    asked: Subject, matrix: DMatrix, steps: Steps, names: list[str], kind: str = "partial"
) -> DependenceCurves:
    """Return the result for curves and surfaces whose points are the rows of `matrix`."""
    outputs = asked.output_names(len(steps.base))
    types = matrix.feature_types or [""] * len(names)
    shown = [names[feature] for feature in steps.features]
    return DependenceCurves(
        float(steps.base[0]) if outputs is None else steps.base,
        shown,
        [(names[first], names[second]) for first, second in steps.pairs],
        columns_of(matrix, steps.features),
        outputs,
        kind=kind,
        categories=matrix._categories_by(names),
        _steps=steps,
        _is_categorical=tuple(types[feature] == "c" for feature in steps.features),
        **asked.meaning(outputs),
    )


def dependence_curves(
    model: Any,
    X: Any,
    *,
    features: Sequence[str | int] | None = None,
    pairs: Sequence[tuple[str | int, str | int]] | None = None,
    feature_names: Sequence[str] | None = None,
    iteration_range: tuple[int, int] | None = None,
) -> DependenceCurves:
    """Return the partial dependence of the margin of trees on many features and pairs, exact at every value.

    The curve of a feature is constant between the thresholds of the model's splits on it. All curves, and the joint
    dependences of all pairs, come from one pass of the rows through the trees, without any grid.

    Parameters
    ----------
    model
        A Booster, or a fitted estimator of `kauriboost.sklearn`, of trees without linear leaves.
    X
        The rows: a DMatrix, or data to make one from. If they have weights, means are weighted.
    features
        The features with a curve, by name or number; all by default.
    pairs
        Pairs of them whose joint dependence is computed. A pair takes the product of both features' numbers of
        intervals.
    feature_names, iteration_range
        As for `explain`.

    Raises
    ------
    ParameterError
        An unknown feature or pair; a linear model, or one with linear leaves.
    DataError
        Rows that do not fit the model, no rows, or weights that are all 0.
    """
    asked = subject_of(model, iteration_range)
    matrix = asked.matrix(X)
    names = asked.names(feature_names, matrix)
    chosen = feature_numbers(features, names) or list(range(len(names)))
    steps = steps_of(asked, matrix, chosen, numbers_of_pairs(pairs, names, chosen), points=matrix)
    return curves_of(asked, matrix, steps, names)
