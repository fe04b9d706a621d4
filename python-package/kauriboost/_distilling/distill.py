"""Distilling: trees that copy what a slow model predicts.

1. The teacher labels the given rows, and synthetic rows near them (synthetic.py).
2. Some given rows, and the synthetic rows made of them, are held out. A first student learns the others until its
   divergence from the teacher on the held-out rows ends to improve. That gives the number of rounds and the fidelity.
3. With labels, several first students learn mixtures of the labels and the teacher's results on the given rows. The
   mixture is taken with which the labels of held-out rows are predicted best, if it is better by a standard error.
4. The student learns all rows for that number of rounds.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .._binding.errors import DataError, ParameterError
from .._data.matrix import DMatrix, missing_value
from .._data.numbers import whole_number
from .._data.tables import columns_of, matrix_like
from .._model.classes import as_text
from .._training.cv import binned_for
from . import student
from .distilled import Distilled
from .student import Lesson
from .synthetic import Synthetic, encoded, synthetic_rows
from .table import Table, joined, table_of
from .teacher import Teacher

_SYNTHETIC_PER_ROW = 20
_LEAST_SYNTHETIC, _MOST_SYNTHETIC = 20_000, 200_000
_MOST_CELLS = 40_000_000  # of the synthetic rows, which are kept as float32
_HELD_OUT = 0.1
_PATIENCE = 50
_LABEL_WEIGHTS = (0.0, 0.25, 0.5)
_OF_NUMBERS = ("reg:", "count:")  # beginnings of the objectives for numbers
_ALPHAS = ("quantile_alpha", "expectile_alpha")
_METRIC = "the agreement with the teacher on held-out rows decides the number of rounds"
_FIXED = {
    "eval_metric": _METRIC,
    "disable_default_eval_metric": _METRIC,
    "num_class": "the teacher's results have a column for each class",
}
_FIELDS = ("feature_names", "feature_types", "missing", "nthread", "enable_categorical")


@dataclass(frozen=True)
class _Lessons:
    """All rows with the teacher's results; the given rows come first."""

    data: DMatrix
    results: np.ndarray
    held: np.ndarray
    y: np.ndarray | None  # [n] targets of the first rows: numbers, or classes as probabilities
    params: Mapping[str, Any]
    rounds: int

    def of(self, rows: np.ndarray, label_weight: float) -> Lesson:
        """Return the lesson of some rows, with a mixture of labels and results."""
        targets = self.results
        if self.y is not None and label_weight > 0:
            n = len(self.y)
            mixed = label_weight * self.y + (1 - label_weight) * targets[:n]
            targets = np.concatenate([mixed, targets[n:]])
        numbers = np.flatnonzero(rows)
        return Lesson(self.data.slice(numbers), targets[numbers])


def distill(
    teacher: Any,
    X: Any,
    y: Any = None,
    *,
    X_more: Any = None,
    kind: str | None = None,
    params: Mapping[str, Any] | None = None,
    rounds: int = 1000,
    n_synthetic: int | None = None,
    label_weight: float | None = None,
    batch_rows: int = 10_000,
    seed: int = 0,
    **fields: Any,
) -> Distilled:
    """Train trees that copy any model, to predict a row in microseconds and to be explained exactly.

    The teacher labels the given rows and many synthetic rows near them. The student learns these results instead of
    labels: numbers by squared error, probabilities by the cross-entropy with all classes.

    Parameters
    ----------
    teacher
        A fitted model with ``predict_proba`` or ``predict``, or a function of rows. It gets rows of the kind of X.
    X
        Rows such as the student will predict: an array, a frame of pandas or polars, or a table of pyarrow, with
        categories as `DMatrix` takes them. They may be the teacher's training rows.
    y
        Labels of X: numbers, or names of the teacher's classes. With labels, the student learns a mixture of them and
        of the teacher's results on X. The weight of the labels is chosen on held-out rows.
    X_more
        Further rows without labels, of the same columns.
    kind
        ``"probabilities"`` or ``"numbers"``: what the teacher returns. By default probabilities if it has
        ``predict_proba``, else numbers. Probabilities are ``[n_rows, n_classes]``, or ``[n_rows]`` of the second class.
    params
        Parameters of the student, in place of the chosen ones. The objective of probabilities, the number of classes
        and the metric that ends the training are fixed. The least gain, penalties and so on are in the teacher's unit.
    rounds
        Maximum number of rounds.
    n_synthetic
        Number of synthetic rows. By default 20 for each given row, but at least 20,000 and at most 200,000.
    label_weight
        Weight of the labels `y`, from 0 to 1; None to choose it.
    batch_rows
        Maximum number of rows per call of the teacher.
    seed
        Selects the held-out rows and the synthetic rows. With the same seed and the same results of the teacher, the
        student has the same bytes on the same machine, for any number of threads and any `batch_rows`. Another machine
        may round exponentials and logarithms otherwise.
    fields
        Arguments of `DMatrix` about columns: ``feature_names`` (of an array), ``feature_types``, ``missing``,
        ``nthread`` and ``enable_categorical``. They also hold for rows that the result predicts.

    Returns
    -------
    Distilled
        The student, its fidelity, and the number of the teacher's calls.

    Raises
    ------
    ParameterError
        A teacher without a method to call, an unknown kind, numbers out of range, or parameters that a student cannot
        have, such as other boosters than ``gbtree``.
    DataError
        Results of the teacher that have a wrong shape, are not finite or beyond float32, or are no probabilities;
        labels that do not fit the results; data as for `DMatrix`. Exceptions of the teacher are passed on.
    """
    started = time.monotonic()
    guide = Teacher(teacher, kind, _at_least_one(batch_rows, "batch_rows"))
    _require_fields(fields)
    _require_params(guide.kind, params or {})
    _require_weight(label_weight, y is not None)
    rounds, seed = _at_least_one(rounds, "rounds"), whole_number(seed, "seed")
    table = table_of(X)
    n_given = table.n_rows
    _require_no_names(table, fields)
    table = table if X_more is None else joined(table, X_more)
    matrix = DMatrix(table.all_rows(), **fields)
    columns = columns_of(matrix, list(range(matrix.num_col())))
    held, made = _plan(columns, matrix, n_synthetic, seed)
    called = time.monotonic()
    results = guide.label(table.rows, table.n_rows)
    classes = _classes_of(guide, results)
    labels = None if y is None else _targets_of(y, n_given, classes)
    if len(made):
        more = guide.label(lambda numbers: table.mixed(made.sources(numbers)), len(made))
        results = np.concatenate([results, more])
    teacher_seconds = time.monotonic() - called
    told = {**student.settings_of(results, "c" in (matrix.feature_types or [])), **(params or {})}
    unit = student.unit_of(results, told)
    data = _matrix_of(matrix, columns, made, told)
    labels = labels if labels is None else labels / unit
    lessons = _Lessons(data, results / unit, np.concatenate([held, made.held]), labels, told, rounds)
    weight, first, fidelity = _first_student(lessons, label_weight)
    booster = student.learn(lessons.of(np.ones(len(results), bool), weight), told, first, None, 0)
    booster = student.in_unit(booster, unit, told)
    missing = missing_value(fields.get("missing"))
    booster.set_attr(
        kauri_classes=None if classes is None else as_text(classes),
        kauri_missing=None if math.isnan(missing) else repr(missing),  # as estimators do
    )
    metric = "r2" if classes is None else "divergence"
    cost = (guide.n_calls, guide.n_rows, time.monotonic() - started, teacher_seconds)
    return Distilled(booster, fidelity, metric, weight, len(made), *cost, classes, fields)


def _at_least_one(value: Any, name: str) -> int:
    number = whole_number(value, name)
    if number < 1:
        raise ParameterError(f"{name} is {number}; expected 1 or more.")
    return number


def _require_fields(fields: Mapping[str, Any]) -> None:
    unknown = [name for name in fields if name not in _FIELDS]
    if unknown:
        raise TypeError(f"distill() got an unexpected argument {unknown[0]!r}; expected one of {', '.join(_FIELDS)}.")


def _require_no_names(table: Table, fields: Mapping[str, Any]) -> None:
    if fields.get("feature_names") is not None and not isinstance(table.all_rows(), np.ndarray):
        raise ParameterError("feature_names are for arrays, and X has names of its own; rename its columns instead.")


def _require_weight(label_weight: float | None, has_labels: bool) -> None:
    if label_weight is None:
        return
    if not isinstance(label_weight, (int, float, np.number)) or not 0 <= label_weight <= 1:
        raise ParameterError(f"label_weight is {label_weight!r}; expected 0 to 1, or None.")
    if label_weight > 0 and not has_labels:
        raise ParameterError(f"label_weight is {label_weight!r} without labels; pass y, or leave label_weight out.")


def _require_params(kind: str, params: Mapping[str, Any]) -> None:
    """Raise ParameterError for parameters that a student cannot have, before the teacher is called."""
    fixed = next((name for name in params if name in _FIXED), None)
    if fixed is not None:
        raise ParameterError(f"params has {fixed!r}; leave it out: {_FIXED[fixed]}.")
    booster = params.get("booster", "gbtree")
    if booster != "gbtree":
        raise ParameterError(
            f"booster is {booster!r}, and a student is a sum of trees whose first rounds are a student too; distill "
            "takes gbtree."
        )
    several = next((name for name in _ALPHAS if name in params and not _is_one_number(params[name])), None)
    if several is not None:
        raise ParameterError(
            f"{several} is {params[several]!r}; expected one number, because the teacher returns one for each row. "
            "Distil several levels one by one."
        )
    objective = str(params.get("objective", ""))
    if objective and not (kind == "numbers" and objective.startswith(_OF_NUMBERS)):
        cure = f"one that begins with {' or '.join(_OF_NUMBERS)}" if kind == "numbers" else "none: it follows from them"
        raise ParameterError(f"objective is {objective!r} and the teacher returns {kind}; expected {cure}.")


def _is_one_number(value: Any) -> bool:
    """Return whether a parameter is one number, as such, as text, or in a list."""
    text = str(value).strip("[]() ")
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _plan(columns: np.ndarray, matrix: DMatrix, n_synthetic: int | None, seed: int) -> tuple[np.ndarray, Synthetic]:
    """Return which given rows are held out, and the synthetic rows."""
    n_rows, n_cols = columns.shape
    if n_rows < 2:
        raise DataError("X has 1 row; pass at least two, one of which is held out.")
    held = np.zeros(n_rows, dtype=bool)
    held[np.random.default_rng(seed).permutation(n_rows)[: max(1, int(_HELD_OUT * n_rows))]] = True
    types = matrix.feature_types or ["float"] * n_cols
    numbers = encoded(columns, [kind == "c" for kind in types])
    return held, synthetic_rows(numbers, n_cols, held, _count(n_synthetic, n_rows, n_cols), seed)


def _count(n_synthetic: int | None, n_rows: int, n_cols: int) -> int:
    if n_synthetic is not None:
        return whole_number(n_synthetic, "n_synthetic")
    wanted = min(max(_SYNTHETIC_PER_ROW * n_rows, _LEAST_SYNTHETIC), _MOST_SYNTHETIC)
    return min(wanted, _MOST_CELLS // n_cols)


def _matrix_of(matrix: DMatrix, columns: np.ndarray, made: Synthetic, params: Mapping[str, Any]) -> DMatrix:
    """Return the bins of all given and synthetic rows."""
    given = np.ascontiguousarray(columns.T)
    all_columns = [np.concatenate([values, made.column(c, values)]) for c, values in enumerate(given)]
    return binned_for(dict(params), matrix_like(matrix, all_columns, with_info=False))


def _classes_of(guide: Teacher, results: np.ndarray) -> np.ndarray | None:
    """Return the names of the classes: the teacher's, or else 0, 1, ...; None for numbers."""
    if results.ndim == 1:
        return None
    n_classes = results.shape[1]
    if n_classes < 2:
        raise DataError("the teacher returned probabilities of one class; a student learns two or more.")
    if guide.classes is None:
        return np.arange(n_classes)
    classes = np.asarray(guide.classes)
    if classes.shape != (n_classes,) or not np.array_equal(np.unique(classes), classes):
        raise DataError(
            f"the teacher's classes_ are {classes.tolist()!r} and its probabilities have {n_classes} columns; expected "
            "as many names, ascending. Pass a function that returns its probabilities instead."
        )
    return classes


def _targets_of(y: Any, n_rows: int, classes: np.ndarray | None) -> np.ndarray:
    """Return labels as targets: numbers ``[n_rows]``, or probabilities of 0 and 1 ``[n_rows, n_classes]``."""
    values = np.asarray(y)
    values = values[:, 0] if values.shape == (n_rows, 1) else values
    if values.shape != (n_rows,):
        raise DataError(f"y has shape {values.shape}, X {n_rows} rows; pass one label for each row.")
    if classes is not None:
        known = {name: code for code, name in enumerate(classes.tolist())}
        codes = [known.get(value, -1) for value in values.tolist()]
        if -1 in codes:
            wrong = values.tolist()[codes.index(-1)]
            raise DataError(f"y holds {wrong!r}, which is not among the teacher's classes {classes.tolist()}.")
        return np.eye(len(classes))[codes]
    numbers = values.astype(np.float64) if values.dtype.kind in "biuf" else None
    if numbers is None or not np.isfinite(numbers).all():
        raise DataError("y holds values that are not finite numbers, as the teacher predicts; pass such labels.")
    return numbers


class _Tried(NamedTuple):
    """A first student: the losses of held-out labels by row, its number of rounds, and its fidelity."""

    losses: np.ndarray
    rounds: int
    fidelity: float


def _first_student(lessons: _Lessons, label_weight: float | None) -> tuple[float, int, float]:
    """Return the weight of the labels, the number of rounds, and the fidelity of a student of the other rows."""
    tried = _LABEL_WEIGHTS if label_weight is None else (float(label_weight),)
    if lessons.y is None:
        tried = (0.0,)
    found = [_tried(lessons, weight) for weight in tried]
    gains = [_sure_gain(found[0].losses, other.losses) for other in found]
    best = int(np.argmax(gains))
    return tried[best], found[best].rounds, found[best].fidelity


def _sure_gain(losses: np.ndarray, others: np.ndarray) -> float:
    """Return by how much other losses are less on average, 0 if that is within a standard error of the rows' gains."""
    gains = losses - others
    if len(gains) < 2:
        return 0.0
    mean = float(gains.mean())
    return mean if mean > float(gains.std(ddof=1)) / np.sqrt(len(gains)) else 0.0


def _tried(lessons: _Lessons, weight: float) -> _Tried:
    """Train a first student on the rows that are not held out."""
    copied = lessons.of(lessons.held, 0.0)
    booster = student.learn(lessons.of(~lessons.held, weight), lessons.params, lessons.rounds, copied, _PATIENCE)
    rounds = booster.best_iteration + 1
    predictions = booster.predict(copied.data, iteration_range=(0, rounds))
    fidelity = student.fidelity_of(copied, predictions)
    if lessons.y is None:
        return _Tried(np.zeros(0), rounds, fidelity)
    held = np.flatnonzero(lessons.held[: len(lessons.y)])
    truth = Lesson(copied.data, lessons.y[held])
    return _Tried(student.losses_of(truth, predictions[: len(held)]), rounds, fidelity)
