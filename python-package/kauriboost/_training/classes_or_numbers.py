"""Interpretation of `fit_best` labels without an objective: classes or numbers."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._binding.errors import ParameterError
from .._data.numbers import collected
from .._model.classes import are_numbers_from_0
from .._model.params import metric_list

_logger = logging.getLogger("kauriboost")
_MOST_CLASSES = 20  # up to this number of distinct whole numbers may be classes
_ROWS_PER_CLASS = 5  # one for each fold; counts and amounts have rarer values
_OF_TEXTS = "OUS"
_OF_NUMBERS = "iuf"
_OBJECTIVES_OF_CLASSES = ("binary:", "multi:", "reg:logistic")
_AMOUNTS = 'params={"objective": "reg:squarederror"}'
_CLASSES = 'params={"objective": "multi:softprob"}'
_SHOWN = 6  # classes in the log
# Metrics of amounts; someone who names one does not mean classes.
_OF_AMOUNTS = ("rmse", "rmsle", "mae", "mape", "mphe", "r2")


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
        Class names, ascending; None if the labels are numbers.
    """

    values: Any
    params: dict[str, Any]
    classes: np.ndarray | None = None


def settle_labels(y: Any, params: Mapping[str, Any], has_queries: bool = False) -> Labels:
    """Return labels and parameters, with an objective chosen from the labels if `params` names none.

    Texts, Booleans and categories are classes. Few whole numbers also are, and the log says so: up to 20 different
    ones, with at least five rows of each.

    Parameters
    ----------
    y
        The labels.
    params
        The parameters given by the user.
    has_queries
        Whether the rows belong to queries, so that whole numbers may be grades of relevance.

    Raises
    ------
    ParameterError
        The rows have queries, and the labels are few whole numbers; or texts or categories with an objective that does
        not learn classes.
    """
    told = dict(params)
    y = collected(y)
    array = np.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1 or array.size == 0:
        return Labels(y, told)
    if _are_classes(y, array):
        _require_objective_of_classes(array, told)
        return _coded(array, told)
    if not _are_whole(array):
        return Labels(y, told)
    if str(told.get("objective", "")).startswith("multi:") and "num_class" not in told:
        return _coded(array, told)
    if "objective" in told or _names_amounts(told) or not _are_few(array):
        return Labels(y, told)
    if has_queries:
        raise ParameterError(
            'y holds few whole numbers and the rows have queries; for ranking pass params={"objective": "rank:ndcg"}, '
            f"for amounts {_AMOUNTS}, for classes {_CLASSES}."
        )
    return _coded(array, told)


def settle_bounds(params: Mapping[str, Any], y: Any) -> Mapping[str, Any]:
    """Return the parameters for rows with bounds of survival times, with an objective.

    Raises ParameterError if there are labels as well, and no objective that says which of them to learn.
    """
    if "objective" in params:
        return params
    if y is not None and np.asarray(collected(y)).size > 0:
        raise ParameterError(
            "there are both labels (y) and bounds of times; pass one of them, or the objective: "
            'params={"objective": "survival:aft"} learns the bounds, others learn y.'
        )
    _logger.warning(
        "fit_best: there are bounds of times in place of labels, so objective=survival:aft is taken; another one "
        "needs y."
    )
    return {"objective": "survival:aft", **params}


def require_numbered(labels: Labels) -> None:
    """Raise ParameterError unless the classes of a matrix are 0, 1 and so on, as a matrix has no place for names."""
    if labels.classes is None or are_numbers_from_0(labels.classes):
        return
    raise ParameterError(
        f"y holds {len(labels.classes)} whole numbers ({_shown(labels.classes)}), which may be classes or amounts; say "
        f"which. For classes set labels from 0 to {len(labels.classes) - 1}, or pass X and y instead of a DMatrix; for "
        f"amounts pass {_AMOUNTS}."
    )


def _are_classes(y: Any, array: np.ndarray) -> bool:
    if str(getattr(y, "dtype", "")) == "category" or array.dtype.kind == "b":
        return True
    texts = array.dtype.kind in _OF_TEXTS and array.size > 0
    return texts and all(isinstance(value, (str, bytes, bool, np.bool_)) for value in array.tolist())


def _require_objective_of_classes(array: np.ndarray, told: Mapping[str, Any]) -> None:
    """Raise ParameterError for an objective that would take the numbers of classes for amounts."""
    objective = str(told.get("objective", "binary:logistic"))
    if array.dtype.kind == "b" or objective.startswith(_OBJECTIVES_OF_CLASSES):
        return
    names = np.unique(array)
    raise ParameterError(
        f"objective={objective} does not learn classes, but y holds {len(names)} of them ({_shown(names)}) as text or "
        "categories; leave the objective out, or pass numbers as y."
    )


def _are_whole(array: np.ndarray) -> bool:
    return array.dtype.kind in _OF_NUMBERS and bool(np.isfinite(array).all() and (array == np.round(array)).all())


def _are_few(array: np.ndarray) -> bool:
    """Return whether whole numbers are taken for classes; says so if only their rarest value speaks against it."""
    values, counts = np.unique(array, return_counts=True)
    if not 1 < len(values) <= _MOST_CLASSES:
        return False
    if counts.min() >= _ROWS_PER_CLASS:
        return True
    if len(values) * _ROWS_PER_CLASS <= array.size:
        _logger.warning(
            "fit_best: y holds %d whole numbers, but %g in %d rows only, so objective=reg:squarederror is taken; for "
            "classes pass %s.",
            len(values),
            values[counts.argmin()],
            counts.min(),
            _CLASSES,
        )
    return False


def _names_amounts(told: Mapping[str, Any]) -> bool:
    metrics: Sequence[Any] = metric_list(told.get("eval_metric"))
    return any(str(metric).split("@")[0] in _OF_AMOUNTS for metric in metrics)


def _coded(array: np.ndarray, told: dict[str, Any]) -> Labels:
    classes, codes = np.unique(array, return_inverse=True)
    if "objective" not in told:
        told["objective"] = "binary:logistic" if len(classes) <= 2 else "multi:softprob"
        _say(told["objective"], _content(classes))
    if str(told["objective"]).startswith("multi:"):
        told.setdefault("num_class", max(len(classes), 2))
    return Labels(codes.reshape(array.shape), told, classes)


def _content(classes: np.ndarray) -> str:
    if are_numbers_from_0(classes) and len(classes) == 2:
        return "y holds 0 and 1 alone"
    kind = "whole numbers" if classes.dtype.kind in _OF_NUMBERS else "classes"
    return f"y holds {len(classes)} {kind} ({_shown(classes)})"


def _shown(classes: np.ndarray) -> str:
    texts = [f"{value:g}" if isinstance(value, float) else str(value) for value in classes[:_SHOWN].tolist()]
    return ", ".join(texts) + (", ..." if len(classes) > _SHOWN else "")


def _say(objective: str, why: str) -> None:
    _logger.warning("fit_best: %s, so objective=%s is taken; for amounts pass %s.", why, objective, _AMOUNTS)
