"""The arguments of an estimator's `fit`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._data.matrix import DMatrix
from .._model.booster import Booster

GivenRows = tuple[Any, Any, dict[str, Any]]  # X, y, and fields of the matrix by name

_FIELDS = {
    "sample_weight_eval_set": "weight",
    "base_margin_eval_set": "base_margin",
    "eval_group": "group",
    "eval_qid": "qid",
}


@dataclass
class FitData:
    """The rows to learn from, the rows to evaluate after each round, and the model to continue."""

    train: GivenRows
    evals: list[GivenRows]
    verbose: bool | int
    model: Booster | Any  # to continue: a booster, an estimator, or a file; None for a new model


def eval_rows(eval_set: Sequence[tuple[Any, Any]] | None, **by_set: Sequence[Any] | None) -> list[GivenRows]:
    """Return the rows to evaluate. `by_set` has, by argument name, one entry for each pair of `eval_set`.

    Raises
    ------
    ValueError
        An entry is not a pair, or an argument has a different number of entries.
    """
    pairs = [] if eval_set is None else list(eval_set)
    if not all(isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in pairs):
        raise ValueError("eval_set must be a list of (X, y) pairs.")
    fields: list[dict[str, Any]] = [{} for _ in pairs]
    for argument, entries in by_set.items():
        if entries is None:
            continue
        if len(entries) != len(pairs):
            raise ValueError(
                f"eval_set has {len(pairs)} pairs and {argument} {len(entries)} entries; give one for each pair, which "
                "may be None."
            )
        for of_pair, entry in zip(fields, entries):
            of_pair[_FIELDS[argument]] = entry
    return [(X, y, of_pair) for (X, y), of_pair in zip(pairs, fields)]


def require_cells(data: DMatrix, estimator: str) -> None:
    """Raise ValueError with scikit-learn's message for data without rows or without columns."""
    for count, what in zip(data.shape, ("sample(s)", "feature(s)")):
        if count == 0:
            raise ValueError(
                f"Found array with 0 {what} (shape={data.shape}) while a minimum of 1 is required by {estimator}."
            )


def require_labels(y: Any) -> None:
    """Raise ValueError for the first row whose label is missing or infinite."""
    labels = np.asarray(y)
    if labels.dtype.kind == "O":
        values = labels.reshape(-1).tolist()
        is_bad = np.array([value is None or type(value).__name__ == "NAType" or value != value for value in values])
    else:
        is_bad = labels.reshape(-1) != labels.reshape(-1)
        if labels.dtype.kind == "f":
            is_bad |= np.isinf(labels.reshape(-1))
    if is_bad.any():
        row = int(is_bad.argmax())
        value = labels.reshape(-1)[row]
        is_infinite = labels.dtype.kind == "f" and np.isinf(value)
        kind = "infinity or a value too large for dtype('float64')" if is_infinite else "NaN"
        raise ValueError(f"Input y contains {kind}: the label of row {row} is {value}. Correct or drop that row.")
