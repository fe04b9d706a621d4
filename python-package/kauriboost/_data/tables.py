"""The rows of a matrix as a dense table, and such a table as a matrix."""

from __future__ import annotations

import json
import math

import numpy as np

from .._binding.arrays import interface_members
from .._binding.calls import call_handle
from .._binding.library import LIB
from .._binding.matrix_calls import rows_as_csr
from .._binding.model_calls import call_categories
from .._binding.signatures import Handle
from .._binding.text import config
from .matrix import DMatrix

_FLOAT_FIELDS = ("label", "weight", "base_margin", "label_lower_bound", "label_upper_bound")


def columns_of(matrix: DMatrix, features: list[int]) -> np.ndarray:
    """Return the chosen columns, NaN where missing."""
    n_rows = matrix.num_row()
    indptr, indices, values = rows_as_csr(matrix.handle, n_rows, matrix.num_nonmissing())
    column_of = np.full(matrix.num_col(), -1)
    column_of[features] = np.arange(len(features))
    columns = column_of[indices]
    chosen = columns >= 0
    table = np.full((n_rows, len(features)), np.nan, dtype=np.float32)
    counts: np.ndarray = np.diff(indptr.astype(np.int64))
    table[np.repeat(np.arange(n_rows), counts)[chosen], columns[chosen]] = values[chosen]
    return table


def matrix_like(matrix: DMatrix, table: np.ndarray) -> DMatrix:
    """Return a matrix of the table with everything else that `matrix` has, the names of categories among it."""

    def create(categories: str | None) -> Handle:
        columns = [interface_members(column) for column in table.T]
        names = [None] * len(columns) if categories is None else json.loads(categories)
        parts = [column if of_column is None else [of_column, column] for column, of_column in zip(columns, names)]
        settings = config(missing=math.nan, nthread=0)
        return call_handle(LIB.XGDMatrixCreateFromColumnar, json.dumps(parts).encode(), settings)

    result = DMatrix.__new__(DMatrix)
    result.handle = call_categories(LIB.XGDMatrixGetCategoriesExportToArrow, matrix.handle, create)
    info = {name: matrix.get_float_info(name) for name in _FLOAT_FIELDS}
    info["group"] = matrix.get_group()
    info = {name: values for name, values in info.items() if len(values)}
    result.set_info(feature_names=matrix.feature_names, feature_types=matrix.feature_types, **info)
    return result
