"""The teacher: any model or function of rows, called in batches, whose results are checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._binding.errors import DataError, ParameterError
from .._model.booster import Booster

KINDS = ("probabilities", "numbers")
_TOLERANCE = 1e-3  # of the sum of a row's probabilities; float16 has errors of this size with many classes


class Teacher:
    """A teacher, the kind of its results, and the number of its calls and rows so far.

    Parameters
    ----------
    given
        An object with ``predict_proba`` or ``predict``, or a function of rows.
    kind
        ``"probabilities"`` or ``"numbers"``; None: probabilities if there is a ``predict_proba``, else numbers.
    batch_rows
        Maximum number of rows of a call.
    """

    def __init__(self, given: Any, kind: str | None, batch_rows: int) -> None:
        if kind not in (None, *KINDS):
            raise ParameterError(f"kind is {kind!r}; expected 'probabilities', 'numbers' or None.")
        self.kind = kind or (KINDS[0] if _has_classes(given) else KINDS[1])
        self._function, self._who = _function_of(given, self.kind)
        self.classes = getattr(given, "classes_", None) if self.kind == KINDS[0] else None
        self._batch_rows = batch_rows
        self._n_outputs: int | None = None
        self.n_calls = self.n_rows = 0

    def label(self, rows: Callable[[np.ndarray], Any], n_rows: int) -> np.ndarray:
        """Return the teacher's results for rows: ``[n_rows]`` numbers, or ``[n_rows, n_classes]`` probabilities.

        Parameters
        ----------
        rows
            Takes row numbers and returns the rows as the teacher takes them.
        n_rows
            The number of rows.

        Raises
        ------
        DataError
            Results of a wrong shape, not finite, or no probabilities. The teacher's own exceptions are passed on.
        """
        parts = []
        for begin in range(0, n_rows, self._batch_rows):
            numbers = np.arange(begin, min(begin + self._batch_rows, n_rows))
            returned = self._function(rows(numbers))
            self.n_calls += 1
            self.n_rows += len(numbers)
            parts.append(self._checked(returned, len(numbers)))
        return np.concatenate(parts)

    def _checked(self, returned: Any, n_rows: int) -> np.ndarray:
        values = _numbers_of(returned, self._who)
        if values.shape == (n_rows, 1):
            values = values[:, 0]
        is_table = self.kind == KINDS[0] and values.ndim == 2 and values.shape[1] > 0
        if len(values.shape) not in (1, 1 + is_table) or len(values) != n_rows:
            columns = f" or ({n_rows}, n_classes)" if self.kind == KINDS[0] else ""
            raise DataError(
                f"{self._who} returned shape {values.shape} for {n_rows} rows; expected ({n_rows},){columns}."
                f"{_CURE_OF_TABLES if values.ndim == 2 and not is_table else ''}"
            )
        if not np.isfinite(values).all():
            row = int(np.argwhere(~np.isfinite(values))[0][0])
            raise DataError(
                f"{self._who} returned {values[row]} for a row; a student learns from finite numbers. Leave out rows "
                "that the teacher cannot predict, or wrap it in a function that returns a number for them."
            )
        if self.kind == KINDS[0]:
            values = _probabilities(values, self._who)
        n_outputs = values.shape[1] if values.ndim == 2 else 1
        if self._n_outputs not in (None, n_outputs):
            raise DataError(
                f"{self._who} returned {n_outputs} columns after {self._n_outputs}; return the same for all."
            )
        self._n_outputs = n_outputs
        return values


_CURE_OF_TABLES = (
    ' If the columns are probabilities of classes, pass kind="probabilities"; distil other columns one by one.'
)


def _has_classes(given: Any) -> bool:
    """Return whether a teacher has probabilities of classes; ours have classes of None if they predict numbers."""
    return hasattr(given, "predict_proba") and getattr(given, "classes_", ()) is not None


def _function_of(given: Any, kind: str) -> tuple[Callable[[Any], Any], str]:
    if isinstance(given, Booster):
        raise ParameterError(
            "the teacher is a Booster, which predicts a DMatrix; pass a function such as lambda rows: "
            'booster.predict(DMatrix(rows)), with kind="probabilities" if it predicts them.'
        )
    name = "predict_proba" if kind == KINDS[0] else "predict"
    method = None if isinstance(given, type) else getattr(given, name, None)
    if callable(method):
        return method, f"{type(given).__name__}.{name}"
    if callable(given) and not isinstance(given, type):
        return given, "the teacher"
    raise ParameterError(
        f"the teacher is a {type(given).__name__} without {name}; pass a fitted model with predict_proba or predict, "
        "or a function of rows."
    )


def _numbers_of(returned: Any, who: str) -> np.ndarray:
    values = np.asarray(returned)
    if values.dtype.kind == "b" or (values.dtype.kind in "USTO" and not _are_objects_of_numbers(values)):
        raise DataError(
            f"{who} returned {values.dtype} instead of numbers; a teacher of classes needs predict_proba, or a "
            'function that returns probabilities with kind="probabilities".'
        )
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{who} returned {values.dtype}, which are no numbers ({error}).") from None


def _are_objects_of_numbers(values: np.ndarray) -> bool:
    return values.dtype.kind == "O" and all(isinstance(value, (int, float, np.number)) for value in values.flat)


def _probabilities(values: np.ndarray, who: str) -> np.ndarray:
    """Return probabilities as ``[n_rows, n_classes]`` with sums of 1; a single column belongs to the second class."""
    if values.min() < -_TOLERANCE or values.max() > 1 + _TOLERANCE:
        beyond = values.min() if values.min() < -_TOLERANCE else values.max()
        raise DataError(
            f'{who} returned {beyond:g} as a probability; expected 0 to 1. For amounts pass kind="numbers", and turn '
            "margins into probabilities."
        )
    table = np.column_stack([1 - values, values]) if values.ndim == 1 else values
    table = np.clip(table, 0, 1)
    sums = table.sum(axis=1)
    if np.abs(sums - 1).max() > _TOLERANCE:
        row = int(np.abs(sums - 1).argmax())
        raise DataError(
            f"{who} returned probabilities that sum to {sums[row]:g} in a row; expected 1. Divide them by their sums."
        )
    result: np.ndarray = table / sums[:, None]
    return result
