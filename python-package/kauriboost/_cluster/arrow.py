"""Arrow batches as arrays and frames of features, labels and so on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from .._binding.errors import DataError
from .blocks import Part

MOST_DENSE_BYTES = 1 << 30  # of the features of one batch


def features_of(batch: pa.RecordBatch, names: list[str] | None, is_sparse: bool) -> Any:
    """Return the features of a batch: a float32 array, a frame if they have columns of their own, or a SciPy matrix.

    Parameters
    ----------
    batch
        Columns as `columns.selected` names them.
    names
        The names of the features, if each has a column.
    is_sparse
        Whether the values that sparse vectors leave out are missing. Otherwise they are 0.
    """
    if names is not None:
        return _frame(batch, names)
    column = batch.column("features")
    if column.null_count > 0:
        raise DataError("a row has no features (null); leave such rows out.")
    if pa.types.is_struct(column.type):
        return _sparse(column) if is_sparse else _dense(column)
    return _table(column, "features")


def _frame(batch: pa.RecordBatch, names: list[str]) -> Any:
    import pandas as pd

    columns = [batch.column(f"feature{i}") for i in range(len(names))]
    return pd.DataFrame({name: _values(column) for name, column in zip(names, columns)}, copy=False)


def _values(column: pa.Array) -> Any:
    import pandas as pd

    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        coded, kind = column.dictionary_encode(), object
    elif pa.types.is_dictionary(column.type):
        coded, kind = column, None
    else:
        return _floats(column)
    codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return pd.Categorical.from_codes(codes, pd.Index(coded.dictionary.to_pylist(), dtype=kind))


def _floats(column: pa.Array) -> np.ndarray:
    """Return numbers, with NaN for nulls."""
    values: np.ndarray = column.to_numpy(zero_copy_only=False)
    return values


def _table(column: pa.ListArray, name: str) -> np.ndarray:
    """Return arrays of one length as a table."""
    lengths = np.unique(column.value_lengths().fill_null(-1).to_numpy(zero_copy_only=False))
    if len(lengths) > 1:
        raise DataError(f"the arrays of {name} have {lengths[lengths >= 0].tolist()} numbers; all need the same.")
    return _floats(column.flatten()).reshape(len(column), lengths[0] if len(lengths) else 0)


def _parts_of(column: pa.StructArray) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
    """Return the width of vectors, and of all their values the numbers per row, the columns and the values.

    Spark's dense vectors have neither size nor indices.
    """
    sizes, indices, values = column.field("size"), column.field("indices"), column.field("values")
    if values.null_count > 0:
        raise DataError("a row has no features (null); leave such rows out.")
    counts = values.value_lengths().to_numpy(zero_copy_only=False).astype(np.int64)
    is_dense = sizes.is_null().to_numpy(zero_copy_only=False)
    widths = np.unique(np.where(is_dense, counts, sizes.fill_null(0).to_numpy(zero_copy_only=False)))
    if len(widths) > 1:
        raise DataError(f"the vectors of features have {widths.tolist()} numbers; all need the same.")
    width = int(widths[0]) if len(widths) else 0
    dense_columns = np.tile(np.arange(width, dtype=np.int32), int(is_dense.sum()))
    if is_dense.all():
        return width, counts, dense_columns, _floats(values.flatten())
    columns = np.empty(int(counts.sum()), dtype=np.int32)
    of_dense = np.repeat(is_dense, counts)
    columns[of_dense] = dense_columns
    columns[~of_dense] = indices.flatten().to_numpy(zero_copy_only=False)
    return width, counts, columns, _floats(values.flatten())


def _dense(column: pa.StructArray) -> np.ndarray:
    width, counts, columns, values = _parts_of(column)
    if len(values) == len(column) * width:
        return values.reshape(len(column), width)
    if len(column) * width * 4 > MOST_DENSE_BYTES:
        raise DataError(
            f"sparse vectors of {width} features take {len(column) * width * 4 >> 20} MiB a batch as rows of numbers; "
            "set missing=0.0 and enable_sparse_data_optim=True, so that values that are not there are missing."
        )
    table = np.zeros((len(column), width), dtype=np.float32)
    table[np.repeat(np.arange(len(column)), counts), columns] = values
    return table


def _sparse(column: pa.StructArray) -> Any:
    from scipy import sparse

    width, counts, columns, values = _parts_of(column)
    starts = np.concatenate([[0], np.cumsum(counts)])
    return sparse.csr_matrix((values, columns, starts), shape=(len(column), width))


def part_of(batch: pa.RecordBatch, names: list[str] | None, is_sparse: bool) -> Part:
    """Return a batch as features under ``data``, and whatever else it has."""
    part: Part = {"data": features_of(batch, names, is_sparse)}
    for name in ("label", "weight", "base_margin"):
        if name in batch.schema.names:
            column = batch.column(name)
            if column.null_count > 0:
                raise DataError(f"a row has no {name} (null); leave such rows out.")
            part[name] = _table(column, name) if pa.types.is_list(column.type) else _floats(column)
    return part
