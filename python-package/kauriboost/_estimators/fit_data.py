"""What `fit` of an estimator is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

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
    """The rows to learn from, those to evaluate after each round, and how to go on."""

    train: GivenRows
    evals: list[GivenRows]
    verbose: bool | int
    model: Booster | Any  # to continue: a booster, an estimator, a file; None: start anew


def eval_rows(eval_set: Sequence[tuple[Any, Any]] | None, **by_set: Sequence[Any] | None) -> list[GivenRows]:
    """Return the rows to evaluate; `by_set` holds, by the name of the argument, what goes with each pair of `eval_set`.

    Raises
    ------
    ValueError
        For anything but pairs, and for arguments with another number of entries.
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
