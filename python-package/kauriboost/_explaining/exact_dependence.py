"""Curves and surfaces of the dependence of trees, which are constant between the thresholds of splits.

The library computes them for all values at once (KauriBoosterDependence). A feature of n thresholds has n + 2 cells:
the intervals between the thresholds, and the cell of missing values, which is the last.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._binding.errors import ParameterError
from .._binding.model_calls import DependenceValues, call_dependence
from .._data.matrix import DMatrix
from .._data.tables import columns_of, matrix_like
from .subject import Subject, is_linear

MOST_NUMBERS = 1 << 25  # numbers of the surfaces of one call: 256 MB


@dataclass(frozen=True)
class Steps:
    """The curves of some features, and the surfaces of some pairs; the last cell of an axis is for missing values."""

    features: list[int]
    pairs: list[tuple[int, int]]  # the smaller feature first
    base: np.ndarray  # [n_outputs]
    thresholds: list[np.ndarray]  # by feature
    curves: list[np.ndarray]  # by feature, [n_outputs, n_cells]
    surfaces: list[np.ndarray]  # by pair, [n_outputs, n_cells of the first, n_cells of the second]
    cells: np.ndarray  # [n_points, n_features]

    def joint(self, number: int) -> np.ndarray:
        """Return the joint partial dependence of a pair, shaped like its surface."""
        first, second = (self.curves[self.features.index(feature)] for feature in self.pairs[number])
        joint: np.ndarray = first[:, :, None] + second[:, None, :] + (self.surfaces[number] - self.base[:, None, None])
        return joint


def steps_of(
    model: Subject,
    matrix: DMatrix,
    features: list[int],
    pairs: list[tuple[int, int]] | str = "",
    distribution: str = "rows",
    points: DMatrix | None = None,
) -> Steps:
    """Return the curves of `features` and surfaces of `pairs`; ``"together"`` lists pairs, without surfaces."""
    more: dict[str, Any] = {"pairs": pairs} if pairs else {}
    settings = model.settings(features=features, distribution=distribution, **more)
    n_points = 0 if points is None else points.num_row()
    handle = None if points is None else points.handle
    return _steps(
        features, pairs == "together", call_dependence(model.booster.handle, matrix.handle, handle, n_points, settings)
    )


def _steps(features: list[int], is_list: bool, found: DependenceValues) -> Steps:
    """Split the numbers of the library into curves and surfaces."""
    n_cells = np.diff(found.begin) + 2
    pairs = [(int(first), int(second)) for first, second in found.pairs]
    of_pairs = [] if is_list else [[n_cells[features.index(feature)] for feature in pair] for pair in pairs]
    shapes = [(found.n_outputs,), *((found.n_outputs, count) for count in n_cells)]
    shapes += [(found.n_outputs, *counts) for counts in of_pairs]
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    parts = [part.reshape(shape) for part, shape in zip(np.split(found.values, ends[:-1]), shapes)]
    base, curves, surfaces = parts[0], parts[1 : 1 + len(features)], parts[1 + len(features) :]
    thresholds = np.split(found.thresholds, found.begin[1:-1])
    return Steps(features, pairs, base, thresholds, curves, surfaces, found.cells)


def exact_steps(model: Subject, matrix: DMatrix, *args: Any, **more: Any) -> Steps | None:
    """Return `steps_of`, or None for a model without exact dependence: a linear one, or one with linear leaves."""
    if is_linear(model.booster):
        return None
    try:
        return steps_of(model, matrix, *args, **more)
    except ParameterError:  # which the predictions of the model do not raise
        return None


def batches_of(pairs: list[tuple[int, int]], n_cells: dict[int, int], n_outputs: int) -> list[list[tuple[int, int]]]:
    """Split pairs into lists whose surfaces fit into memory together; each has at least one pair."""
    batches: list[list[tuple[int, int]]] = []
    left = 0
    for first, second in pairs:
        size = n_cells[first] * n_cells[second] * n_outputs
        if not batches or size > left:
            batches.append([])
            left = MOST_NUMBERS
        batches[-1].append((first, second))
        left -= size
    return batches


def table_of_points(matrix: DMatrix, n_features: int, columns: dict[int, np.ndarray]) -> DMatrix:
    """Return rows with these values, padded with missing ones, and with the categories of `matrix`."""
    n_rows = max(map(len, columns.values()))
    table = np.full((n_features, n_rows), np.nan, dtype=np.float32)
    for feature, values in columns.items():
        table[feature, : len(values)] = values
    return matrix_like(matrix, list(table), with_info=False)


def lower_ends(thresholds: np.ndarray) -> np.ndarray:
    """Return the lowest value of each interval between thresholds; for the first one, a value below all of them."""
    if len(thresholds) == 0:
        return np.zeros(1, dtype=np.float32)
    return np.insert(thresholds, 0, np.nextafter(thresholds[0], np.float32(-np.inf)))


class RowCurves:
    """The curves of single rows, predicted when they are first asked for, by the model as it was when this was made."""

    def __init__(self, model: Subject, matrix: DMatrix, feature: int, grid: np.ndarray, output: str) -> None:
        self._model = copy.copy(model.booster)
        self._how: dict[str, Any] = {
            "output_margin": output == "margin",
            "iteration_range": model.rounds,
            "strict_shape": True,
        }
        self._matrix, self._feature, self._grid = matrix, feature, grid
        self._table = columns_of(matrix, list(range(model.booster.num_features())))
        self._found: list[np.ndarray] = []  # shared by the curves of all outputs
        self._chosen: int | None = None

    def of(self, output: int) -> RowCurves:
        """Return the curves of one output."""
        chosen = RowCurves.__new__(RowCurves)  # copy.copy() would predict, as pickling does
        chosen.__dict__.update(self.__dict__, _chosen=output)
        return chosen

    def values(self, rows: np.ndarray | None = None) -> np.ndarray:
        """Return the curves of all rows or some, ``[n_rows, n_values, n_outputs]``, or only one output."""
        if rows is not None and not self._found:
            return self._of_output(self._predict(self._matrix.slice(rows, allow_groups=True), self._table[rows]))
        if not self._found:
            self._found.append(self._predict(self._matrix, self._table.copy()))
        return self._of_output(self._found[0] if rows is None else self._found[0][rows])

    def _predict(self, matrix: DMatrix, table: np.ndarray) -> np.ndarray:
        curves = []
        for value in self._grid:
            table[:, self._feature] = value
            curves.append(np.asarray(self._model.predict(matrix_like(matrix, list(table.T)), **self._how)))
        return np.stack(curves, axis=1)

    def _of_output(self, curves: np.ndarray) -> np.ndarray:
        return curves if self._chosen is None else curves[..., self._chosen]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the curves instead of the model."""
        return np.asarray, (self.values(),)
