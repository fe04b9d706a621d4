"""Tasks that are made of a set by another label: which columns they have, and what is predicted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

LATE = 15.0  # minutes
MOST_CLASSES = 10  # maximum for a column or a label with many classes
LODGEPOLE = 1  # the most frequent of the cover types

Fields = dict[str, Any]  # fields of a Task that take the place of the set's own


class Whole(Protocol):
    """The fields of a Task that this module reads."""

    features: np.ndarray
    labels: np.ndarray
    categorical: list[int]


class Made(NamedTuple):
    """The set that a task is made of, and the function that makes it from a Task and the loader's extras."""

    source: str
    make: Callable[[Any, Fields], Fields]


def _columns(task: Whole, keep: list[int]) -> Fields:
    categorical = [keep.index(column) for column in task.categorical if column in keep]
    return {"features": task.features[:, keep], "categorical": categorical}


def _without(task: Whole, extras: Fields, name: str) -> Fields:
    names = list(extras["feature_names"])
    return _columns(task, [column for column in range(len(names)) if names[column] != name])


def _flights_delay(task: Whole, extras: Fields) -> Fields:
    """Predict by how many minutes a flight arrives late, from features known before it departs."""
    return _without(task, extras, "dep_delay")


def _flights_late(task: Whole, extras: Fields) -> Fields:
    """Predict whether a flight arrives late, from features known before it departs."""
    late = (task.labels > LATE).astype(np.float64)
    return {"kind": "binary", "labels": late, **_without(task, extras, "dep_delay")}


def _flights_routes(task: Whole, extras: Fields) -> Fields:
    """Predict the same from the date, time, carrier (16), route (about 220, in random order) and distance."""
    at = {name: task.features[:, column] for column, name in enumerate(extras["feature_names"])}
    _, routes = np.unique(np.stack([at["origin"], at["dest"]]), axis=1, return_inverse=True)
    shuffled = np.random.default_rng(1).permutation(routes.max() + 1)[routes.ravel()]
    numbers = [at[name] for name in ("month", "day", "dep_time", "distance")]
    return {
        "kind": "binary",
        "features": np.stack([*numbers, at["carrier"], shuffled.astype(np.float64)], axis=1),
        "labels": (task.labels > LATE).astype(np.float64),
        "categorical": [4, 5],
    }


def _most_common(values: np.ndarray) -> np.ndarray:
    """Return the most common values, at most MOST_CLASSES, in ascending order. NaN is none of them."""
    found, counts = np.unique(values, return_counts=True, equal_nan=True)
    return np.sort(found[np.argsort(np.where(np.isnan(found), 0, -counts), kind="stable")[:MOST_CLASSES]])


def _column_as_classes(label: str) -> Callable[[Any, Fields], Fields]:
    """Predict a column's most common categories from the other columns, without all other rows."""

    def make(task: Whole, extras: Fields) -> Fields:
        values = task.features[:, list(extras["feature_names"]).index(label)]
        common = _most_common(values)
        keep = np.isin(values, common)
        others = _without(task, extras, label)
        classes = np.searchsorted(common, values[keep]).astype(np.float64)
        return {**others, "kind": "multiclass", "features": others["features"][keep], "labels": classes}

    return make


def _column_as_number(label: str) -> Callable[[Any, Fields], Fields]:
    """Predict a column of numbers from the other columns."""

    def make(task: Whole, extras: Fields) -> Fields:
        values = task.features[:, list(extras["feature_names"]).index(label)]
        return {"kind": "regression", "labels": values.astype(np.float64), **_without(task, extras, label)}

    return make


def _common_classes(task: Whole, extras: Fields) -> Fields:
    """Predict the most common classes, without all other rows."""
    common = _most_common(task.labels)
    keep = np.isin(task.labels, common)
    classes = np.searchsorted(common, task.labels[keep]).astype(np.float64)
    return {"features": task.features[keep], "labels": classes}


def _severity(task: Whole, extras: Fields) -> Fields:
    """Predict the logarithm of what a policy's claims amount to, among policies with an amount."""
    claimed = extras["claim_amount"] > 0
    amounts = np.log(extras["claim_amount"][claimed])
    return {"kind": "regression", "features": task.features[claimed], "labels": amounts}


def _lodgepole(task: Whole, extras: Fields) -> Fields:
    """Predict the most frequent cover type against all others."""
    return {"kind": "binary", "labels": (task.labels == LODGEPOLE).astype(np.float64)}


OF_TASK = {
    "adult_hours": Made("adult", _column_as_number("hours-per-week")),
    "adult_occupation": Made("adult", _column_as_classes("occupation")),
    "ames_neighborhood": Made("ames", _column_as_classes("Neighborhood")),
    "covtype_lodgepole": Made("covtype", _lodgepole),
    "credit_limit": Made("credit_default", _column_as_number("LIMIT_BAL")),
    "flights_carrier": Made("flights", _column_as_classes("carrier")),
    "flights_delay": Made("flights", _flights_delay),
    "flights_late": Made("flights", _flights_late),
    "flights_routes": Made("flights", _flights_routes),
    "fremtpl2_brand": Made("fremtpl2", _column_as_classes("VehBrand")),
    "fremtpl2_severity": Made("fremtpl2", _severity),
    "mushroom_habitat": Made("mushroom", _column_as_classes("habitat")),
    "sector": Made("sector", _common_classes),
}
