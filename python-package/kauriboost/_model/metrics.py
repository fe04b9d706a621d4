"""Evaluations of a round: lines written by the library, and the user's own metrics."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Union

from .._binding.calls import call_int, call_text, handles_in, strings_in
from .._binding.library import LIB, check
from .._binding.text import config, encode_text
from .._data.matrix import DMatrix

Evaluation = tuple[str, str, float]  # data set, metric, value
OwnValues = Union[tuple[str, float], Sequence[tuple[str, float]]]
CustomMetric = Callable[[Any, DMatrix], OwnValues]


class EvaluationSets(NamedTuple):
    """Data sets to evaluate in every round."""

    evals: tuple[tuple[DMatrix, str], ...]
    arguments: tuple[Any, Any, int]  # handles, names and their number, as the library takes them

    @classmethod
    def of(cls, evals: Sequence[tuple[DMatrix, str]]) -> EvaluationSets:
        """Return (data, name) pairs in that form."""
        handles, names = handles_in([data.handle for data, _ in evals]), strings_in([name for _, name in evals])
        return cls(tuple(evals), (handles, names, len(evals)))

    def values(self, booster: Any, iteration: int) -> list[Evaluation]:
        """Return the values of the library's metrics, in the order of the sets."""
        if not self.evals:
            return []
        return parse_line(self.line(booster, iteration))

    def line(self, booster: Any, iteration: int) -> str:
        """Return these values as the line of text that the library writes."""
        return call_text(LIB.XGBoosterEvalOneIter, booster.handle, iteration, *self.arguments)


def parse_line(line: str) -> list[Evaluation]:
    """Return the evaluations in a line written by the library."""
    evaluations = []
    for entry in line.split("\t")[1:]:
        name, _, value = entry.rpartition(":")
        data, metric = name.split("-", 1)
        evaluations.append((data, metric, float(value)))
    return evaluations


def as_line(evaluations: Sequence[Evaluation]) -> str:
    """Return evaluations in the format of the library's line, to append to it."""
    return "".join(f"\t{data}-{metric}:{value!r}" for data, metric, value in evaluations)


def own_values(returned: OwnValues) -> list[tuple[str, float]]:
    """Return the (name, value) pairs returned by a custom metric: one pair or several.

    Raises
    ------
    TypeError
        The metric returned anything else.
    ValueError
        A name cannot be written in a line of evaluations.
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
    """Return whether `metric` is the name of a built-in metric."""
    return bool(call_int(LIB.KauriBoosterKnowsMetric, booster.handle, encode_text(metric)))


def require_queries(booster: Any, data: DMatrix) -> None:
    """Raise DataError if a metric of the booster ranks rows within queries and the data have no queries."""
    check(LIB.KauriBoosterRequireQueries(booster.handle, data.handle))


def evaluate_with_intervals(booster: Any, data: DMatrix, n_resamples: int, seed: int) -> list[dict[str, Any]]:
    """Return name, value, low and high of every metric; NaN if the value is not finite."""
    booster._check_columns(data)
    settings = config(n_resamples=n_resamples, seed=seed)
    text = call_text(LIB.KauriBoosterEvaluateWithIntervals, booster.handle, data.handle, settings)
    return [{key: math.nan if value is None else value for key, value in one.items()} for one in json.loads(text)]
