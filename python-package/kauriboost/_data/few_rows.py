"""Prediction for frames with few rows, where columns and names cost more time than values.

Taking a pandas column out of its frame costs more than predicting a row with a hundred trees. So the numbers of a small
frame become one array at once, and only the category names that the rows use are passed on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._binding.arrays import interface
from .._binding.layouts import COLUMNAR, DENSE
from .categories import is_categorical, named_codes
from .columns import TYPE_OF_KIND, frame_names
from .rows import Rows, rows_of

_MOST_CELLS = 4096  # above this the copy costs more than taking single columns
_EXACT = 2.0**53  # integers up to this are exact in float64


def rows_to_predict(data: Any) -> Rows:
    """Return what `rows_of` returns, by row, but faster for a small frame. For prediction only, not training."""
    return few_rows(data) or rows_of(data, by_row=True)


def few_rows(data: Any) -> Rows | None:
    """Return the rows of a small pandas frame; None for other data or columns that must be converted one by one.

    Such columns are neither NumPy numbers nor categories, or hold numbers that are not finite as float32.
    """
    is_frame = type(data).__module__.split(".")[0] == "pandas" and data.ndim == 2
    if not is_frame or not 0 < data.shape[0] * data.shape[1] <= _MOST_CELLS:
        return None
    dtypes = list(data.dtypes)
    types = ["c" if is_categorical(dtype) else _type_of_numbers(dtype) for dtype in dtypes]
    if "" in types:
        return None
    table = _numbers(data, dtypes, types)
    if table is None:
        return None
    layout, document, alive = (DENSE, interface(table), [table])
    if "c" in types:
        layout, (document, alive) = COLUMNAR, _columns(data, types, table)
    n_rows, n_cols = data.shape
    return Rows(layout, [document], n_rows, n_cols, frame_names(data.columns.tolist()), types, alive)


def _type_of_numbers(dtype: Any) -> str:
    return TYPE_OF_KIND.get(dtype.kind, "") if isinstance(dtype, np.dtype) else ""


def _numbers(frame: Any, dtypes: list[Any], types: list[str]) -> np.ndarray | None:
    """Return the columns without categories as one array; None if a value would change."""
    numbers = [column for column, kind in enumerate(types) if kind != "c"]
    table: np.ndarray = (frame if len(numbers) == len(types) else frame.take(numbers, axis=1)).to_numpy()
    if any(dtypes[column] != table.dtype for column in numbers):
        table = table.astype(np.float64)
        if (np.abs(table) > _EXACT).any():  # an integer may have been rounded, and is rounded again to float32
            return None
    with np.errstate(over="ignore"):
        is_finite = not np.isinf(table.astype(np.float32)).any()
    return table if is_finite else None


def _columns(frame: Any, types: list[str], numbers: np.ndarray) -> tuple[bytes, list[Any]]:
    """Return all columns as JSON, the numeric ones taken from `numbers`, and the arrays that the JSON points into."""
    documents: list[bytes] = []
    alive: list[Any] = [numbers]
    place = 0
    for column, kind in enumerate(types):
        if kind == "c":
            values = frame.iloc[:, column].array
            document, arrays = _used_categories(values.codes, values.categories)
            alive += arrays
        else:
            document = _column_of(numbers, place)
            place += 1
        documents.append(document)
    return b"[" + b",".join(documents) + b"]", alive


def _column_of(table: np.ndarray, column: int) -> bytes:
    """Return the array interface of a column of a table, without making a view of it."""
    step, to_next = table.strides
    address = table.__array_interface__["data"][0] + column * to_next
    place = f'"data":[{address},true],"shape":[{len(table)}],"strides":[{step}]'
    return f'{{{place},"typestr":"{table.dtype.str}","version":3}}'.encode()


def _used_categories(codes: np.ndarray, categories: Any) -> tuple[bytes, list[np.ndarray]]:
    """Return a column with the names that its rows use; one name, to show the type, if no row has a category."""
    used = np.unique(codes[codes >= 0]).astype(np.int64)
    places = np.where(codes < 0, -1, np.searchsorted(used, codes))
    if not len(used):
        used = np.arange(min(1, len(categories)))
    return named_codes(places, categories[used], used)
