"""Conversion of user data to arrays of numbers."""

from __future__ import annotations

import datetime
import operator
from typing import Any

import numpy as np

from .._binding.errors import DataError, ParameterError

_NUMBERS = "biuf"
_TIMES = "are no numbers; turn them into some, of a unit of your choice, with NaN for NaT"
_TEXTS = "texts are no numbers; encode them as numbers, or make them a categorical column of a frame"
_TEXT_LABELS = "texts are no numbers; KauriClassifier takes them as they are, and pd.factorize(labels)[0] numbers them"
_COMPLEX = "Complex data not supported; pass real numbers"  # scikit-learn's checks expect this text

# Types that NumPy would convert to numbers, but that are rejected here. Frames reject such columns, too.
_REFUSED: dict[type, str] = {
    np.datetime64: f"dates {_TIMES}",
    datetime.date: f"dates {_TIMES}",
    np.timedelta64: f"durations {_TIMES}",
    datetime.timedelta: f"durations {_TIMES}",
    complex: _COMPLEX,
    np.complexfloating: _COMPLEX,
    str: _TEXTS,
    bytes: _TEXTS,
    np.void: "records are no numbers; pass each field as a column",
}


def is_lazy(data: Any) -> bool:
    """Return whether `data` is a lazy frame of polars, which computes its values when they are collected."""
    return hasattr(data, "collect_schema") and hasattr(data, "collect")


def collected(data: Any) -> Any:
    """Return the frame that a lazy frame computes, and anything else as it is."""
    return data.collect() if is_lazy(data) else data


def as_numeric(values: Any, what: str) -> np.ndarray:
    """Return `values` as an array that the library can read, without copying if possible.

    Masked elements, and None among objects, become NaN.

    Raises
    ------
    DataError
        If the values are not numbers: dates, durations, texts, records and complex numbers.
    """
    if hasattr(values, "num_row") and hasattr(values, "num_col"):
        raise DataError(
            f"{what} is a {type(values).__name__}, which only train() and Booster.predict() take; estimators, "
            "inplace_predict() and DMatrix() expect frames and arrays."
        )
    values = collected(values)
    array = np.asarray(_filled(values) if isinstance(values, np.ma.MaskedArray) else values)
    if array.dtype.kind not in _NUMBERS:
        _require_numbers(array, what)
    if array.dtype.kind not in _NUMBERS or array.dtype.itemsize > 8:
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise DataError(f"{what} has the dtype {array.dtype}; {_cure(values, array)}.") from error
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return array


def _cure(values: Any, array: np.ndarray) -> str:
    """Return advice for objects that are not numbers."""
    if hasattr(values, "tocsr"):
        return "it is a sparse matrix, where an array is needed; pass its toarray()"
    if hasattr(values, "collect"):
        return "it is a lazy frame, which has no values yet; pass what its collect() returns"
    if any(type(element).__name__ == "NAType" for element in array.flat):
        return "pd.NA is no number; put NaN in its place, or give it a nullable dtype such as Float64"
    return "convert it to numbers"


def _filled(values: np.ma.MaskedArray) -> np.ndarray:
    kind = values.dtype.kind
    if kind not in _NUMBERS + "O" or not np.ma.is_masked(values):
        return values.data
    return np.ma.asarray(values, None if kind in "fO" else np.float64).filled(np.nan)


def _require_numbers(array: np.ndarray, what: str) -> None:
    """Raise DataError for an array of a refused type, or of objects some of which have a refused type."""
    kinds = set(map(_kind_of, array.flat)) if array.dtype.kind == "O" else {array.dtype.type}
    for refused, problem in _REFUSED.items():
        if any(issubclass(kind, refused) for kind in kinds):
            cure = _TEXT_LABELS if what == "label" and problem == _TEXTS else problem
            raise DataError(f"{what} has the dtype {array.dtype}: {cure}.")


def _kind_of(element: Any) -> type:
    return element.dtype.type if isinstance(element, np.ndarray) else type(element)


def whole_number(value: Any, name: str) -> int:
    """Return a count passed as an argument as an integer; floats without a fraction are accepted.

    Raises
    ------
    ParameterError
        For anything else, and for numbers below 0.
    """
    is_whole_float = isinstance(value, (float, np.floating)) and float(value).is_integer()
    try:
        number = int(value) if is_whole_float else operator.index(value)
    except TypeError:
        raise ParameterError(f"{name} is {value!r}; expected a whole number.") from None
    if number < 0:
        raise ParameterError(f"{name} is {number}; expected 0 or more.")
    return number
