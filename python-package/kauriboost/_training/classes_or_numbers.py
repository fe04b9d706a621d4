"""Interpretation of `fit_best` labels without an objective: classes, numbers, or an error if that is unclear."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._binding.errors import ParameterError
from .._data.numbers import collected

_logger = logging.getLogger("kauriboost")
_MOST_CLASSES = 20  # up to this number of distinct whole numbers may be classes
_ROWS_PER_CLASS = 5  # with fewer rows per value the values are amounts
_OF_TEXTS = "OUS"
_AMOUNTS = 'params={"objective": "reg:squarederror"}'


@dataclass(frozen=True)
class Labels:
    """Labels in the form that a matrix takes.

    Attributes
    ----------
    values
        Numbers: the given ones, or the index of each row's class in `classes`.
    params
        The parameters, with the objective.
    classes
        Class names, ascending; None if the labels are numbers, or classes named 0, 1 and so on.
    """

    values: Any
    params: dict[str, Any]
    classes: np.ndarray | None = None


def settle_labels(y: Any, params: Mapping[str, Any]) -> Labels:
    """Return labels and parameters, with an objective chosen from the labels if `params` names none.

    Texts, Booleans and categories are classes. The whole numbers 0 and 1 also are, and the log says so.

    Raises
    ------
    ParameterError
        The labels are other whole numbers, with so few different values that only the user knows whether they are
        classes.
    """
    told = dict(params)
    y = collected(y)
    array = np.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1 or array.size == 0:
        return Labels(y, told)
    if _are_classes(y, array):
        return _coded(array, told)
    if "objective" not in told and _may_be_classes(array):
        told["objective"] = _objective_of_numbers(np.unique(array))
    return Labels(y, told)


def _are_classes(y: Any, array: np.ndarray) -> bool:
    if str(getattr(y, "dtype", "")) == "category" or array.dtype.kind == "b":
        return True
    texts = array.dtype.kind in _OF_TEXTS and array.size > 0
    return texts and all(isinstance(value, (str, bytes, bool, np.bool_)) for value in array.tolist())


def _coded(array: np.ndarray, told: dict[str, Any]) -> Labels:
    classes, codes = np.unique(array, return_inverse=True)
    if "objective" not in told:
        told.update(_objective_of(len(classes)))
        _say(told["objective"], f"y holds {len(classes)} classes")
    return Labels(codes, told, classes)


def _objective_of(n_classes: int) -> dict[str, Any]:
    if n_classes <= 2:
        return {"objective": "binary:logistic"}
    return {"objective": "multi:softprob", "num_class": n_classes}


def _may_be_classes(array: np.ndarray) -> bool:
    if array.dtype.kind not in "iuf" or not np.isfinite(array).all() or (array != np.round(array)).any():
        return False
    n_distinct = len(np.unique(array))
    return 1 < n_distinct <= _MOST_CLASSES and n_distinct * _ROWS_PER_CLASS <= array.size


def _objective_of_numbers(values: np.ndarray) -> str:
    if values.tolist() == [0, 1]:
        _say("binary:logistic", "y holds 0 and 1 alone")
        return "binary:logistic"
    shown = ", ".join(f"{value:g}" for value in values[:6].tolist()) + (", ..." if len(values) > 6 else "")
    raise ParameterError(
        f"y holds {len(values)} whole numbers ({shown}), which may be classes or amounts; say which. For classes pass "
        f'params={{"objective": "multi:softprob", "num_class": {len(values)}}} with labels 0 to {len(values) - 1}, or '
        f"texts as y; for amounts pass {_AMOUNTS}."
    )


def _say(objective: str, why: str) -> None:
    _logger.warning("fit_best: %s, so objective=%s is taken; for amounts pass %s.", why, objective, _AMOUNTS)
