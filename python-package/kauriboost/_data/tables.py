"""Conversion of the rows of a matrix to dense columns, and of such columns to a matrix."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._binding import arrays
from .._binding.calls import call_handle
from .._binding.errors import DataError
from .._binding.library import LIB
from .._binding.matrix_calls import rows_as_csr
from .._binding.model_calls import call_categories
from .._binding.signatures import Handle
from .._binding.text import config
from .device import interface_members, is_device_array
from .matrix import DMatrix

_FLOAT_FIELDS = ("label", "weight", "base_margin", "label_lower_bound", "label_upper_bound")


def columns_of(matrix: DMatrix, features: list[int]) -> np.ndarray:
    """Return the chosen columns, NaN for missing values; libsvm text may lack the last columns."""
    n_rows = matrix.num_row()
    indptr, indices, values = rows_as_csr(matrix.handle, n_rows, matrix.num_nonmissing())
    column_of = np.full(max(matrix.num_col(), *features, 0) + 1, -1)
    column_of[features] = np.arange(len(features))
    columns = column_of[indices]
    chosen = columns >= 0
    table = np.full((n_rows, len(features)), np.nan, dtype=np.float32)
    counts: np.ndarray = np.diff(indptr.astype(np.int64))
    table[np.repeat(np.arange(n_rows), counts)[chosen], columns[chosen]] = values[chosen]
    return table


def weights_of_rows(matrix: DMatrix) -> np.ndarray | None:
    """Return the weight of each row in float64: its query's weight if there are queries; None without weights.

    Raises DataError for another number of weights.
    """
    given = matrix.get_weight().astype(np.float64)
    if len(given) == 0:
        return None
    sizes = matrix.get_group()
    if 0 < len(sizes) == len(given):
        return np.repeat(given, sizes)
    if len(sizes) > 0 or len(given) != matrix.num_row():
        what = f"{len(sizes)} queries" if len(sizes) > 0 else f"{matrix.num_row()} rows"
        raise DataError(f"there are {len(given)} weights for {what}; give one for each.")
    return given


def all_columns(matrix: DMatrix, rows: Any, n_cols: int) -> list[Any]:
    """Return the columns of a matrix made from `rows`; if `rows` are on a device, views of them."""
    if is_device_array(rows) and len(rows.shape) == 2:
        return [rows[:, feature] for feature in range(n_cols)]
    return list(columns_of(matrix, list(range(n_cols))).T)


def matrix_like(matrix: DMatrix, columns: Sequence[Any], *, with_info: bool = True) -> DMatrix:
    """Return a matrix of these columns with all other fields of `matrix`, including category names.

    Without info, only names and types are kept, and the columns may have any number of rows.

    The columns are either all in host memory or all in the memory of a device. Device columns have no category names.
    """

    def create(categories: str | None) -> Handle:
        settings = config(missing=math.nan, nthread=0)
        if is_device_array(columns[0]):
            members = [interface_members(column) for column in columns]
            return call_handle(LIB.XGDMatrixCreateFromCudaColumnar, json.dumps(members).encode(), settings)
        names = [None] * len(columns) if categories is None else json.loads(categories)
        members = [arrays.interface_members(column) for column in columns]
        parts = [column if of_column is None else [of_column, column] for column, of_column in zip(members, names)]
        return call_handle(LIB.XGDMatrixCreateFromColumnar, json.dumps(parts).encode(), settings)

    result = DMatrix.__new__(DMatrix)
    result.handle = call_categories(LIB.XGDMatrixGetCategoriesExportToArrow, matrix.handle, create)
    info = {name: matrix.get_float_info(name) for name in _FLOAT_FIELDS} if with_info else {}
    if with_info:
        info["group"] = matrix.get_group()
    info = {name: values for name, values in info.items() if len(values)}
    result.set_info(feature_names=matrix.feature_names, feature_types=matrix.feature_types, **info)
    return result
