"""Blocks of Ray Data as features, labels and so on.

A block is a table of Arrow or pandas. Features have a column each, or are vectors in one column: tensors, lists of
numbers, or structures with the members ``size``, ``indices`` and ``values``, which are sparse vectors. Numbers become
float32, columns of text are categories, and dictionaries of Arrow are the categories of pandas.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Union

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from ray.data.block import BlockAccessor

from .._binding.errors import DataError
from .._cluster.arrow import features_of
from .._cluster.blocks import Part

TEXT, CATEGORY, NUMBER, NOTHING = "text", "category", "number", "nothing"  # kinds of columns
Names = Union[str, tuple[str, ...]]  # one column, of numbers or of vectors, or several ones


class Columns(NamedTuple):
    """Names of the columns of a dataset that hold features and so on; None for those that are not used.

    Without names of features, they are all other columns.
    """

    features: Names | None
    label: Names | None = None
    weight: str | None = None
    base_margin: Names | None = None
    qid: str | None = None

    def others(self) -> list[str]:
        """Return the names of all columns without features."""
        given = [self.label, self.weight, self.base_margin, self.qid]
        return [name for each in given if each is not None for name in as_names(each)]

    def all(self) -> list[str] | None:
        """Return the names of all columns; None if the names of the features are not known yet."""
        return None if self.features is None else list(dict.fromkeys([*as_names(self.features), *self.others()]))


def as_names(names: Names) -> list[str]:
    """Return one or several names as a list."""
    return [names] if isinstance(names, str) else list(names)


def given_names(names: Any, what: str) -> Names | None:
    """Return names as a user gives them. Raises DataError for others, and for a name that occurs twice."""
    if names is None or isinstance(names, str):
        return names
    found = tuple(names)
    if not found or not all(isinstance(name, str) for name in found):
        raise DataError(f"{what} is {names!r}; expected the name of a column, or a list of names.")
    twice = sorted({name for name in found if found.count(name) > 1})
    if twice:
        raise DataError(f"{what} has {', '.join(map(repr, twice))} more than once; name each column once.")
    return found


def as_table(block: Any) -> pa.Table:
    """Return a block as a table of Arrow, without a copy if it is one."""
    return BlockAccessor.for_block(block).to_arrow()


def feature_names(table: pa.Table, columns: Columns) -> list[str] | str:
    """Return the names of features with a column each, or the name of the column of vectors."""
    if columns.features is None:
        others = columns.others()
        _require(table, others)
        found = [name for name in table.column_names if name not in others]
        if not found:
            raise DataError(f"the dataset has no columns of features besides {', '.join(others)}.")
    else:
        found = as_names(columns.features)
    _require(table, found)
    vectors = [name for name in found if is_vector(table.schema.field(name).type)]
    if vectors and len(found) > 1:
        raise DataError(
            f"the column {vectors[0]!r} has vectors, and there are {len(found)} columns of features; give the vectors "
            "alone by feature_columns, or a column for each feature."
        )
    return vectors[0] if vectors else found


def is_vector(kind: pa.DataType) -> bool:
    """Return whether a column of this type has several numbers in a row."""
    return (
        isinstance(kind, pa.BaseExtensionType)
        or pa.types.is_struct(kind)
        or pa.types.is_list(kind)
        or pa.types.is_large_list(kind)
        or pa.types.is_fixed_size_list(kind)
    )


def _require(table: pa.Table, names: list[str]) -> None:
    for name in names:
        if name not in table.column_names:
            raise DataError(f"the dataset has no column {name!r}; its columns are {', '.join(table.column_names)}.")


def part_of_table(table: pa.Table, columns: Columns) -> tuple[Part, dict[str, str]]:
    """Return features under ``data``, and whatever else is named; and the kind of each column of features."""
    names = feature_names(table, columns)
    part: Part = {}
    kinds: dict[str, str] = {}
    if isinstance(names, str):
        part["data"] = _vectors(table, names)
    else:
        kinds, arrays = {}, {}
        for i, name in enumerate(names):
            kinds[name], arrays[f"feature{i}"] = _feature(table, name)
        part["data"] = features_of(pa.RecordBatch.from_pydict(arrays), names, False)
    for what in ("label", "weight", "base_margin"):
        given = getattr(columns, what)
        if given is not None:
            part[what] = _numbers(table, given, what)
    if columns.qid is not None:
        part["qid"] = _queries(table, columns.qid)
    return part, kinds


def _joined(table: pa.Table, name: str) -> pa.Array:
    """Return a column in one piece; without a copy if it is."""
    column = table.column(name)
    if pa.types.is_dictionary(column.type):
        column = column.unify_dictionaries()
    if column.num_chunks == 1:
        return column.chunk(0)
    joined = column.combine_chunks()
    return joined.chunk(0) if isinstance(joined, pa.ChunkedArray) else joined


def _feature(table: pa.Table, name: str) -> tuple[str, pa.Array]:
    """Return the kind of a column, and its values as texts, a dictionary or float32."""
    column = _joined(table, name)
    kind = column.type
    if pa.types.is_dictionary(kind):
        return CATEGORY, column
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or str(kind) == "string_view":
        return TEXT, column.cast(pa.large_string())
    if pa.types.is_null(kind):
        return NOTHING, pa.nulls(len(column), pa.float32())
    if is_number(kind):
        return NUMBER, column.cast(pa.float32(), safe=False)
    raise DataError(
        f"the feature {name!r} is of type {kind}; a column of its own has numbers, booleans, texts or categories."
    )


def is_number(kind: pa.DataType) -> bool:
    """Return whether a column of this type has numbers or booleans."""
    return bool(
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_decimal(kind)
    )


def _vectors(table: pa.Table, name: str) -> Any:
    column = table.column(name)
    if column.null_count > 0:
        raise DataError(f"a row has no vector in the column {name!r} (null); leave such rows out.")
    if isinstance(column.type, pa.BaseExtensionType):
        return _tensor(table, name)
    joined = _joined(table, name)
    if pa.types.is_struct(joined.type):
        members = {field.name for field in joined.type}
        if not {"size", "indices", "values"} <= members:
            raise DataError(
                f"the structures in the column {name!r} have the members {', '.join(sorted(members))}; sparse vectors "
                "have size, indices and values: kauriboost.ray.sparse_column makes them of a SciPy matrix."
            )
    else:
        joined = joined.cast(pa.list_(pa.float32()), safe=False)
    return features_of(pa.RecordBatch.from_arrays([joined], names=["features"]), None, True)


def _tensor(table: pa.Table, name: str) -> np.ndarray:
    values = BlockAccessor.for_block(table.select([name])).to_numpy(name)
    if values.dtype == object or values.ndim != 2:
        raise DataError(f"the tensors in the column {name!r} differ in shape or are no vectors; all need one length.")
    return np.ascontiguousarray(values, dtype=np.float32)


def _numbers(table: pa.Table, names: Names, what: str) -> np.ndarray:
    _require(table, as_names(names))
    if not isinstance(names, str):
        return np.column_stack([_numbers(table, name, what) for name in names])
    column = table.column(names)
    if column.null_count > 0:
        raise DataError(f"a row has no {what} (null) in the column {names!r}; leave such rows out.")
    if isinstance(column.type, pa.BaseExtensionType):
        return _tensor(table, names)
    joined = _joined(table, names)
    if is_vector(joined.type) and not pa.types.is_struct(joined.type):
        flat = pc.list_flatten(joined).to_numpy(zero_copy_only=False)
        if len(joined) == 0 or len(flat) % len(joined):
            raise DataError(f"the lists in the column {names!r} differ in length; all need the same.")
        return np.asarray(flat, dtype=np.float32).reshape(len(joined), -1)
    if not is_number(joined.type):
        hint = " Make numbers of texts first." if _kind_of_text(joined.type) == TEXT else ""
        raise DataError(f"the column {names!r} of the {what} is of type {joined.type}; expected numbers.{hint}")
    return np.asarray(joined.to_numpy(zero_copy_only=False), dtype=np.float64 if what == "label" else np.float32)


def _kind_of_text(kind: pa.DataType) -> str:
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or str(kind) == "string_view"
    return TEXT if is_text or pa.types.is_dictionary(kind) else NOTHING


def _queries(table: pa.Table, name: str) -> np.ndarray:
    _require(table, [name])
    column = _joined(table, name)
    if not pa.types.is_integer(column.type):
        raise DataError(f"the column {name!r} of queries is of type {column.type}; expected integers.")
    if column.null_count > 0:
        raise DataError(f"a row has no query (null) in the column {name!r}; leave such rows out.")
    return np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.int64)


def sparse_column(matrix: Any) -> pa.StructArray:
    """Return the rows of a SciPy matrix as a column of sparse vectors. Values that are not stored are missing.

    Parameters
    ----------
    matrix
        ``[n_rows, n_cols]``.

    Examples
    --------
    ::

        table = pyarrow.table({"features": kauriboost.ray.sparse_column(matrix), "label": labels})
        dataset = ray.data.from_arrow(table)
    """
    rows = matrix.tocsr()
    starts = pa.array(rows.indptr, pa.int32())
    indices = pa.ListArray.from_arrays(starts, pa.array(rows.indices, pa.int32()))
    values = pa.ListArray.from_arrays(starts, pa.array(rows.data, pa.float32()))
    sizes = pa.array(np.full(rows.shape[0], rows.shape[1], dtype=np.int32))
    return pa.StructArray.from_arrays([sizes, indices, values], names=["size", "indices", "values"])
