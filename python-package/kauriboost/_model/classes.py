"""The classes of a classifier, stored as an attribute of its booster, so its files are ordinary model files."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from .._binding.arrays import find_classes
from .._binding.errors import ModelError
from .booster import Booster

ATTRIBUTE = "kauri_classes"
_ANY_LENGTH = {"U": np.str_, "S": np.bytes_, "O": np.object_}  # the length follows from the values
_WORDS = (str, bool, int, float)  # types of objects that JSON can represent
_MAX_BYTES = 8  # maximum size of a number
_MANY_CLASSES = 256  # more classes than most data have


def are_numbers_from_0(classes: np.ndarray) -> bool:
    """Return whether the classes are 0, 1, ..., which need not be stored in the model."""
    return classes.dtype.kind in "iuf" and np.array_equal(classes, np.arange(len(classes)))


def as_text(classes: np.ndarray) -> str | None:
    """Return classes as JSON; None for 0, 1, ... and for objects that JSON cannot represent."""
    kind = classes.dtype.kind
    if are_numbers_from_0(classes) or (kind in "iuf" and classes.dtype.itemsize > _MAX_BYTES):
        return None
    if kind in "biuf":
        return _document(classes.dtype.str, classes.tolist())
    if kind in "Mm":
        return _document(classes.dtype.str, classes.astype(np.int64).tolist())
    if kind == "S":
        return _document(kind, [value.decode("latin-1") for value in classes.tolist()])
    values = [value.item() if isinstance(value, np.generic) else value for value in classes.tolist()]
    is_known = kind in "UTO" and all(isinstance(value, _WORDS) for value in values)
    return _document(kind, values) if is_known else None


def _document(dtype: str, values: list[Any]) -> str:
    return json.dumps({"dtype": dtype, "values": values})


def classes_of(booster: Booster) -> np.ndarray | None:
    """Return the classes stored in a booster, or None. Raises ModelError if the attribute is damaged."""
    text = booster.attr(ATTRIBUTE)
    if text is None:
        return None
    try:
        classes = _parsed(json.loads(text))
        if not np.array_equal(np.unique(classes), classes):
            raise ValueError("not ascending")
    except (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError) as error:
        raise _damaged(f"is {text[:80]!r}") from error
    return classes


def few_numbers(labels: np.ndarray, n_jobs: int | None = None) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the distinct labels, ascending, and the code of each label among them.

    None for labels that are not a vector of whole numbers, have more than 256 distinct ones, or have one for less than
    every second row; NumPy and scikit-learn decide on those.
    """
    dtype = labels.dtype
    if labels.ndim != 1 or dtype.kind not in "biuf" or dtype.itemsize > _MAX_BYTES or not dtype.isnative:
        return None
    found, codes = find_classes(labels, _MANY_CLASSES, n_jobs or 0)
    if len(found) == 0 or 2 * len(found) > len(labels) or (found != np.floor(found)).any():
        return None
    return found.astype(dtype), codes


def codes_of(y: Any, classes: np.ndarray) -> np.ndarray:
    """Return the index of each label in the classes. Raises ValueError for a label that is none of them."""
    labels = np.asarray(y)
    codes: np.ndarray = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    unknown = classes[codes] != labels
    if unknown.any():
        raise ValueError(f"the label {labels[unknown].tolist()[0]!r} is not among the classes {classes.tolist()}.")
    return codes


def require_number(classes: np.ndarray, n_classes: int) -> None:
    """Raise ModelError unless the numbers of classes agree. A model of one class has the outputs of two classes."""
    if len(classes) != n_classes and (len(classes), n_classes) != (1, 2):
        raise _damaged(f"names {len(classes)} classes, but the model has {n_classes}")


def _damaged(what: str) -> ModelError:
    return ModelError(
        f"the model's attribute {ATTRIBUTE} {what}; delete it, as by Booster.set_attr({ATTRIBUTE}=None), to call the "
        "classes 0, 1, ..."
    )


def _parsed(document: dict[str, Any]) -> np.ndarray:
    dtype, values = document["dtype"], document["values"]
    if not isinstance(dtype, str) or not isinstance(values, list):
        raise ValueError(dtype)
    if not all(isinstance(value, str if dtype in ("U", "T", "S") else _WORDS) for value in values):
        raise ValueError(values)
    if dtype == "S":
        values = [value.encode("latin-1") for value in values]
    if dtype == "T":
        return np.array(values, dtype=np.dtypes.StringDType())
    if dtype in _ANY_LENGTH:
        return np.array(values, dtype=_ANY_LENGTH[dtype])
    of_numbers = np.dtype(dtype)
    if of_numbers.kind not in "biufMm" or of_numbers.itemsize > _MAX_BYTES:
        raise ValueError(dtype)
    return np.array(values, dtype=np.int64 if of_numbers.kind in "Mm" else np.object_).astype(of_numbers)
