"""Tables that keep one array per column: pandas frames, and tables with the Arrow PyCapsule interface."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .._binding.arrays import interface
from .._binding.errors import DataError
from .._binding.matrix_calls import ArrowArray, ArrowStream, ArrowTable
from . import device
from .categories import categorical_column, is_categorical, named_codes
from .naming import shown_words
from .numbers import as_numeric, collected, is_lazy
from .texts import (
    holds_text,
    is_arrow_dictionary,
    kind_of_objects,
    text_codes,
    text_columns_of_table,
    texts_are_categories,
)

_CURE_OF_TEXTS = "make texts categories with .astype('category'), encode them as numbers, or drop them"
TYPE_OF_KIND = {"i": "int", "u": "int", "f": "float", "b": "i"}


def is_arrow(data: Any) -> bool:
    """Return whether `data` exports its columns through the Arrow PyCapsule interface (polars, pyarrow)."""
    return is_lazy(data) or hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__")


def is_arrow_table(data: Any) -> bool:
    """Return whether to read the features of `data` through Arrow. pandas frames have a faster path."""
    return is_arrow(data) and not hasattr(data, "iloc")


def arrow_table(data: Any) -> ArrowTable:
    """Return the capsules of an Arrow table, or of what a lazy frame computes.

    Raises
    ------
    DataError
        Columns of text, where XGBoost's rules hold (`install_as_xgboost`).
    """
    data = collected(data)
    if not texts_are_categories() and (texts := text_columns_of_table(data)):
        raise DataError(f"columns that are not numbers: {shown_words(texts)} (text); {_CURE_OF_TEXTS}.")
    if hasattr(data, "__arrow_c_stream__"):
        return ArrowStream(data.__arrow_c_stream__())
    return ArrowArray(*data.__arrow_c_array__())


def _column_values(column: Any) -> np.ndarray | None:
    """Return the values of a pandas column as an array, or None if they are not numbers."""
    dtype = column.dtype
    values: np.ndarray | None = None
    if isinstance(dtype, np.dtype) and dtype.kind in "biuf":
        values = column.to_numpy()
    elif getattr(dtype, "kind", "O") in "biuf" and hasattr(column, "to_numpy"):  # nullable integers, floats, booleans
        values = column.to_numpy(dtype=np.float64, na_value=math.nan)
    elif str(dtype) == "null[pyarrow]" or kind_of_objects(column) == "empty":  # every value is missing
        values = np.full(len(column), math.nan)
    return values


def _interface(column: Any, name: str) -> tuple[bytes, str, list[np.ndarray]] | None:
    """Return a pandas column as JSON, its type, and the arrays that the JSON points into.

    Returns None unless it holds numbers, categories or texts.
    """
    if is_categorical(column.dtype):
        document, arrays = categorical_column(column)
        return document, "c", arrays
    if is_arrow_dictionary(column.dtype) or holds_text(column):
        document, arrays = named_codes(*text_codes(column), is_text=not is_arrow_dictionary(column.dtype))
        return document, "c", arrays
    values = _column_values(column)
    if values is None:
        return None
    array = as_numeric(values, name)
    # a column without values has the kind "O"
    return interface(array), TYPE_OF_KIND.get(getattr(column.dtype, "kind", "f"), "float"), [array]


def frame_names(labels: Iterable[Any]) -> list[str]:
    """Return the column names of a frame with these labels; the levels of a label are joined by blanks."""
    return [" ".join(map(str, label)) if isinstance(label, tuple) else str(label) for label in labels]


def frame_columns(frame: Any) -> tuple[bytes, list[str], list[np.ndarray]]:
    """Return a pandas frame's columns as JSON, their types, and the arrays that the JSON points into.

    Raises
    ------
    DataError
        If any column holds neither numbers nor categories nor text; the message names all such columns.
    """
    read = [_interface(frame.iloc[:, i], "data") for i in range(frame.shape[1])]
    _require_numbers(frame, [column is not None for column in read])
    columns = [column for column in read if column is not None]
    arrays = [array for _, _, column_arrays in columns for array in column_arrays]
    return b"[" + b",".join(text for text, _, _ in columns) + b"]", [kind for _, kind, _ in columns], arrays


def _require_numbers(frame: Any, are_numbers: Sequence[bool]) -> None:
    """Raise DataError with the names of the columns that are not numbers."""
    bad = [i for i, is_number in enumerate(are_numbers) if not is_number]
    if bad:
        names, dtypes = frame_names(frame.columns), list(frame.dtypes)
        shown = shown_words([f"{names[i]} ({dtypes[i]})" for i in bad])
        cures = dict.fromkeys(_cure(frame.iloc[:, i]) for i in bad)
        raise DataError(f"columns that are not numbers: {shown}; {'; '.join(cures)}.")


def _cure(column: Any) -> str:
    """Return advice for a column of a frame that holds neither numbers nor categories."""
    kind = getattr(column.dtype, "kind", "O")
    is_looked_at = kind not in "mM" and type(column).__module__.split(".")[0] == "pandas"
    values = column.dropna().tolist() if is_looked_at else []
    if kind == "M" or (values and all(isinstance(value, datetime.date) for value in values)):
        return "take parts of dates as numbers, such as .dt.year and .dt.dayofweek of pd.to_datetime(column)"
    if kind == "m" or (values and all(isinstance(value, datetime.timedelta) for value in values)):
        return "take .dt.total_seconds() of durations"
    if values and all(map(_reads_as_number, values)):
        return "make objects and texts that are numbers such with .astype(float)"
    if kind_of_objects(column).startswith("mixed"):
        return "give columns of objects texts alone, as .astype(str) makes them, or numbers alone"
    return _CURE_OF_TEXTS


def _reads_as_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def device_frame_columns(frame: Any) -> tuple[bytes, list[str], list[Any]]:
    """Return the same for a frame with columns in the memory of a CUDA device, where no column is categorical."""
    columns = [frame.iloc[:, i] for i in range(frame.shape[1])]
    kinds = [getattr(column.dtype, "kind", "f") for column in columns]
    _require_numbers(frame, [kind in TYPE_OF_KIND for kind in kinds])
    types = [TYPE_OF_KIND[kind] for kind in kinds]
    return b"[" + b",".join(map(device.interface, columns)) + b"]", types, columns


def text_names(table: Any) -> list[str] | None:
    """Return the column names of a frame; None for arrays, or if any name is not a string."""
    if is_lazy(table):
        table = table.head(0).collect()
    columns = getattr(table, "column_names", None)  # for a pyarrow table, whose `columns` are the data
    names = list(getattr(table, "columns", []) if columns is None else columns)
    return names if names and all(isinstance(name, str) for name in names) else None


def split_column(frame: Any, name: str) -> tuple[Any, Any]:
    """Return a frame without a column, and the column, which is None if the frame lacks it."""
    if name not in (text_names(frame) or []):
        return frame, None
    frame = collected(frame)
    return (frame.drop(columns=[name]) if hasattr(frame, "iloc") else frame.drop([name])), frame[name]
