"""The arguments of an estimator's `fit`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._data.matrix import DMatrix
from .._data.numbers import collected
from .._model.booster import Booster

GivenRows = tuple[Any, Any, dict[str, Any]]  # X, y, and fields of the matrix by name

_FIELDS = {
    "sample_weight_eval_set": "weight",
    "base_margin_eval_set": "base_margin",
    "eval_group": "group",
    "eval_qid": "qid",
}

# Rows, labels and weights to evaluate as separate arguments: scikit-learn's names, then LightGBM's.
_SPELLINGS = (("X_val", "y_val", "sample_weight_val"), ("eval_X", "eval_y", "eval_sample_weight"))


@dataclass
class FitData:
    """The rows to learn from, the rows to evaluate after each round, and the model to continue."""

    train: GivenRows
    evals: list[GivenRows]
    verbose: bool | int
    model: Booster | Any  # to continue: a booster, an estimator, or a file; None for a new model
    known_rounds: int = 0  # the rounds of `model` that are among `n_estimators`, with `warm_start`
    codes: np.ndarray | None = None  # the labels of `train` as the booster takes them, if they are known already
    search: Mapping[str, Any] = field(default_factory=dict)  # arguments for the search of `preset="best"`


def eval_rows(
    eval_set: Sequence[tuple[Any, Any]] | None, apart: Mapping[str, Any], **by_set: Sequence[Any] | None
) -> list[GivenRows]:
    """Return the rows to evaluate.

    Parameters
    ----------
    eval_set
        Pairs of rows and labels.
    apart
        Rows, labels and weights by the argument names of `_SPELLINGS`; None where not given.
    by_set
        By argument name, one entry for each pair of `eval_set`.

    Raises
    ------
    ValueError
        An entry is not a pair, an argument has a different number of entries, or the rows are given twice or in part.
    """
    given = {name: value for name, value in apart.items() if value is not None}
    if given:
        eval_set, by_set = _pairs_of(given, eval_set, by_set)
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
    return [(X, collected(y), of_pair) for (X, y), of_pair in zip(pairs, fields)]


def _pairs_of(
    given: Mapping[str, Any], eval_set: Sequence[tuple[Any, Any]] | None, by_set: Mapping[str, Any]
) -> tuple[list[tuple[Any, Any]], dict[str, Any]]:
    """Return separate rows and labels as pairs, and the other fields with an entry for each pair."""
    rows, labels, weights = _spelling_of(given, eval_set)
    fields = {name: value for name, value in by_set.items() if value is not None}
    if weights in given:
        if "sample_weight_eval_set" in fields:
            raise ValueError(f"{weights} and sample_weight_eval_set are both given; give one of them.")
        fields["sample_weight_eval_set"] = given[weights]
    X, y = given[rows], given[labels]
    if not isinstance(X, tuple) and not isinstance(y, tuple):
        return [(X, y)], {name: _for_one_set(value) for name, value in fields.items()}
    if not isinstance(X, tuple) or not isinstance(y, tuple) or len(X) != len(y):
        raise ValueError(f"{rows} and {labels} must be one set each, or tuples of the same number of sets.")
    return list(zip(X, y)), fields


def _spelling_of(given: Mapping[str, Any], eval_set: Any) -> tuple[str, str, str]:
    """Return the names in use. Raises ValueError if the rows are given twice, or without their labels."""
    used = [names for names in _SPELLINGS if any(name in given for name in names)]
    first = [next(name for name in names if name in given) for names in used]
    if eval_set is not None:
        first.append("eval_set")
    if len(first) > 1:
        raise ValueError(f"{first[0]} and {first[1]} are both given; give the rows to evaluate once.")
    rows, labels, _ = used[0]
    if rows not in given or labels not in given:
        raise ValueError(f"{first[0]} is given, and the rows to evaluate need both {rows} and {labels}; give both.")
    return used[0]


def _for_one_set(value: Any) -> Any:
    """Return a list of one entry: the value, unless it is such a list already."""
    is_list = isinstance(value, (list, tuple)) and len(value) == 1
    return value if is_list and (value[0] is None or np.ndim(value[0]) > 0) else [value]


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
