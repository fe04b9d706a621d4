"""Features in memory, in the form that the library's calls take."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._binding.arrays import interface
from .._binding.errors import DataError
from .._binding.layouts import COLUMNAR, CSC, CSR, CUDA_ARRAY, CUDA_COLUMNAR, DENSE, Layout
from . import device
from .columns import device_frame_columns, frame_columns, frame_names
from .numbers import as_numeric

ArrayLike = Any


@dataclass
class Rows:
    """Features in the form that the calls of their layout take."""

    layout: Layout
    arguments: list[Any]
    n_rows: int
    n_cols: int
    names: list[str] | None = None
    types: list[str] | None = None
    # owners of the memory that the addresses in `arguments` point into
    keep_alive: list[Any] = field(default_factory=list)


def _require_table(shape: Sequence[int]) -> None:
    if len(shape) != 2:
        raise DataError(
            f"data has {len(shape)} dimensions, expected a table [n_rows, n_cols]. Reshape your data, e.g. "
            "data.reshape(-1, 1) for a single feature."
        )


def _dense_rows(values: ArrayLike) -> Rows:
    if values is None:
        raise DataError("data is None; pass rows of features: an array, a sparse matrix or a frame.")
    array = as_numeric(values, "data")
    _require_table(array.shape)
    n_rows, n_cols = array.shape
    return Rows(DENSE, [interface(array)], n_rows, n_cols, keep_alive=[array])


def _device_rows(values: Any) -> Rows:
    members = device.interface_members(values)
    _require_table(members["shape"])
    n_rows, n_cols = members["shape"]
    return Rows(CUDA_ARRAY, [json.dumps(members).encode()], n_rows, n_cols, keep_alive=[values])


def _sparse_rows(matrix: Any, by_row: bool) -> Rows:
    if by_row or matrix.format not in ("csr", "csc"):
        matrix = matrix.tocsr()
    arrays = [as_numeric(part, "data") for part in (matrix.indptr, matrix.indices, matrix.data)]
    n_rows, n_cols = matrix.shape
    layout, width = (CSR, n_cols) if matrix.format == "csr" else (CSC, n_rows)
    return Rows(layout, [*map(interface, arrays), width], int(n_rows), int(n_cols), keep_alive=arrays)


def _frame_rows(frame: Any) -> Rows:
    if frame.shape[1] == 0:  # the number of rows would come from the columns
        return _dense_rows(np.empty(frame.shape))
    on_device = device.is_device_array(frame.iloc[:, 0])
    read = device_frame_columns if on_device else frame_columns
    document, types, columns = read(frame)
    n_rows, n_cols = frame.shape
    return Rows(
        CUDA_COLUMNAR if on_device else COLUMNAR, [document], n_rows, n_cols, frame_names(frame.columns), types, columns
    )


def rows_of(data: Any, by_row: bool = False) -> Rows:
    """Return the features of a NumPy array, SciPy sparse matrix, pandas frame, or data that convert to an array.

    Data in the memory of a CUDA device (CuPy array, PyTorch tensor, a frame of such columns) stay there. With `by_row`
    sparse columns are converted to sparse rows, because only a whole matrix can be made from columns.

    Raises
    ------
    DataError
        For another number of dimensions than two, or values that are not numbers.
    """
    if device.is_device_array(data):
        return _device_rows(data)
    if hasattr(data, "format") and hasattr(data, "tocsr"):
        return _sparse_rows(data, by_row)
    if hasattr(data, "iloc"):
        return _frame_rows(data.to_frame() if data.ndim == 1 else data)
    return _dense_rows(data)


def by_row(values: Any, n_rows: int) -> Any:
    """Return gradients as ``[n_rows]`` or ``[n_rows, n_outputs]``; the latter may be passed as a flat array."""
    if not device.is_device_array(values):
        values = np.asanyarray(values)
    flat = getattr(values, "ndim", None) == 1 and n_rows > 0 and len(values) > n_rows and len(values) % n_rows == 0
    return values.reshape(n_rows, -1) if flat else values


def row_numbers(rows: ArrayLike, n_rows: int) -> np.ndarray:
    """Return row numbers as int32, given as integers or as a mask ``[n_rows]``.

    Raises
    ------
    DataError
        For anything but integers and masks, and for rows that do not exist.
    """
    numbers = np.asarray(rows)
    if numbers.ndim != 1:
        raise DataError(f"rindex has {numbers.ndim} dimensions; pass a list of row numbers, or a mask.")
    if numbers.dtype == np.bool_:
        if len(numbers) != n_rows:
            raise DataError(f"the mask has {len(numbers)} entries, the data {n_rows} rows; pass one for each row.")
        numbers = np.flatnonzero(numbers)
    elif len(numbers) > 0 and numbers.dtype.kind not in "iu":
        raise DataError(f"rindex has the dtype {numbers.dtype}; row numbers are integers, a mask is of booleans.")
    bad = (numbers < 0) | (numbers >= n_rows)
    if bad.any():
        raise DataError(f"there is no row {numbers[bad][0]}; the data have {n_rows} rows, from 0.")
    return np.ascontiguousarray(numbers, dtype=np.int32)
