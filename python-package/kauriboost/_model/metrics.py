"""Evaluations of a round: those that the library writes as a line, and those of the user's own metrics."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from typing import Any, Union

from .._binding.calls import call_int, call_text
from .._binding.library import LIB, check
from .._binding.text import config, encode_text
from .._data.matrix import DMatrix

Evaluation = tuple[str, str, float]  # data set, metric, value
OwnValues = Union[tuple[str, float], Sequence[tuple[str, float]]]
CustomMetric = Callable[[Any, DMatrix], OwnValues]


def parse_line(line: str) -> list[Evaluation]:
    """Return the evaluations of a line of the library."""
    evaluations = []
    for entry in line.split("\t")[1:]:
        name, _, value = entry.rpartition(":")
        data, metric = name.split("-", 1)
        evaluations.append((data, metric, float(value)))
    return evaluations


def as_line(evaluations: Sequence[Evaluation]) -> str:
    """Return what follows on a line of the library."""
    return "".join(f"\t{data}-{metric}:{value!r}" for data, metric, value in evaluations)


def own_values(returned: OwnValues) -> list[tuple[str, float]]:
    """Return the (name, value) pairs that a metric of the user's own returned: one, or several.

    Raises
    ------
    TypeError
        For anything else.
    ValueError
        For names that a line of evaluations cannot hold.
    """
    is_one = isinstance(returned, tuple) and len(returned) == 2 and isinstance(returned[0], str)
    pairs = [returned] if is_one else returned
    if not isinstance(pairs, (list, tuple)):
        raise TypeError(f"a metric of your own returned {returned!r}; expected (name, value), or a list of such pairs.")
    return [_checked(pair) for pair in pairs]


def _checked(pair: Any) -> tuple[str, float]:
    try:
        name, value = pair
        number = float(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"a metric of your own returned {pair!r}; expected a name and a number.") from error
    if not isinstance(name, str):
        raise TypeError(f"a metric of your own is called {name!r}; expected a text.")
    if not name or not name.isprintable() or ":" in name:
        raise ValueError(
            f"a metric of your own is called {name!r}; its name must not be empty and have no colon, tab or new line."
        )
    return name, number


def knows_metric(booster: Any, metric: str) -> bool:
    """Whether this is the name of a built-in metric."""
    return bool(call_int(LIB.KauriBoosterKnowsMetric, booster.handle, encode_text(metric)))


def require_queries(booster: Any, data: DMatrix) -> None:
    """Raise DataError where a metric of the booster orders the rows of queries and the data have none."""
    check(LIB.KauriBoosterRequireQueries(booster.handle, data.handle))


def evaluate_with_intervals(booster: Any, data: DMatrix, n_resamples: int, seed: int) -> list[dict[str, Any]]:
    """Return name, value, low and high of every metric; NaN where the value is no finite number."""
    booster._check_columns(data)
    settings = config(n_resamples=n_resamples, seed=seed)
    text = call_text(LIB.KauriBoosterEvaluateWithIntervals, booster.handle, data.handle, settings)
    return [{key: math.nan if value is None else value for key, value in one.items()} for one in json.loads(text)]
