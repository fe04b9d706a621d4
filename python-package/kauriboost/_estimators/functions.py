"""Objectives and metrics in scikit-learn's form: functions of (y_true, y_pred)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._data.matrix import DMatrix
from .._model.booster import Booster, Objective
from .._model.metrics import CustomMetric


def _takes_weights(function: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # for a built-in function
        return False
    return any(p.name == "sample_weight" or p.kind is p.VAR_KEYWORD for p in parameters)


def _name(function: Any) -> str:
    while not hasattr(function, "__name__") and hasattr(function, "func"):  # functools.partial
        function = function.func
    return getattr(function, "__name__", type(function).__name__)


def _weights_for(function: Callable[..., Any], data: DMatrix) -> dict[str, np.ndarray]:
    weights = data.get_weight()
    if len(weights) == 0:
        return {}
    if not _takes_weights(function):
        raise ValueError(f"rows have weights, but {_name(function)}() does not take sample_weight; add it.")
    return {"sample_weight": weights}


def as_objective(function: Callable[..., Any]) -> Objective:
    """Convert a function (y_true, margins[, sample_weight]) -> (gradients, hessians) to an objective for `train`."""

    def objective(margins: Any, data: DMatrix) -> tuple[Any, Any]:
        pair: tuple[Any, Any] = function(data.get_label(), margins, **_weights_for(function, data))
        return pair

    return objective


def as_metric(functions: Sequence[Callable[..., Any]], by_query: bool) -> CustomMetric:
    """Convert metrics (y_true, y_pred[, sample_weight]) -> number to a custom metric for `train`.

    With `by_query` the value is the weighted mean over the queries, where a query of one row counts as 1.
    """

    def of_rows(function: Callable[..., Any], predictions: Any, data: DMatrix) -> float:
        value: float = function(data.get_label(), predictions, **_weights_for(function, data))
        return value

    def of_queries(function: Callable[..., Any], predictions: Any, data: DMatrix) -> float:
        labels, bounds, weights = data.get_label(), data.get_uint_info("group_ptr"), data.get_weight()
        queries = [slice(begin, end) for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist())]
        values = [function(labels[q], predictions[q]) if q.stop - q.start > 1 else 1.0 for q in queries]
        return float(np.average(values, weights=weights if len(weights) else None))

    value_of = of_queries if by_query else of_rows
    return lambda predictions, data: [
        (_name(function), value_of(function, predictions, data)) for function in functions
    ]


def first_rounds(booster: Booster, end: int) -> Booster:
    """Return the rounds before `end`, or the booster itself if `end` is 0."""
    return booster[:end] if end else booster
