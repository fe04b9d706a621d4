"""The columns of a data frame that a training or a prediction reads, and their placement on workers.

The order of rows is by partition, and in a partition by position.

1. If the frame has as many partitions as there are workers, each worker reads a partition where it is.
2. Otherwise every row gets a tag that ascends in the order of rows, and the rows are dealt to the workers in blocks of
   consecutive tags. Each worker puts its own in the order of their tags.
3. The rows of a ranking go to the worker of their query, ordered by query before tag.

A frame is computed once for each attempt to train on it, and dealt once for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from pyspark.ml.linalg import VectorUDT
from pyspark.sql import functions as sql
from pyspark.sql.types import ArrayType, BooleanType, DataType, IntegralType, NumericType, StringType

from .._binding.errors import DataError
from .partitions import are_tasks, as_computed
from .rows import BITS_OF_POSITION, BLOCK_BITS


class Columns(NamedTuple):
    """Names of the columns of a frame that hold features and so on; None for those that are not used."""

    features: str | Sequence[str]
    label: str | None = None
    weight: str | None = None
    base_margin: str | None = None
    validation: str | None = None
    qid: str | None = None

    @property
    def names(self) -> list[str] | None:
        """The names of the features, if each has a column."""
        return None if isinstance(self.features, str) else list(self.features)


def selected(frame: Any, columns: Columns) -> list[Any]:
    """Return the columns to read, as ``features`` or ``feature0`` and so on, ``label``, ``weight`` and so on.

    Raises DataError for columns that are missing or of another type.
    """
    found = _features(frame, columns)
    for name in ("label", "weight", "base_margin"):
        column = getattr(columns, name)
        if column is not None:
            found.append(_numbers(frame, column, "double" if name == "label" else "float").alias(name))
    if columns.validation is not None:
        mark = _typed(frame, columns.validation, BooleanType, "boolean")
        found.append(sql.coalesce(mark, sql.lit(False)).alias("held"))
    if columns.qid is not None:
        found.append(_typed(frame, columns.qid, IntegralType, "integers").cast("long").alias("qid"))
    return found


def column_of(frame: Any, name: str) -> Any:
    """Return the column of this name, in which Spark would take a dot for a field of a structure."""
    return frame["`" + name.replace("`", "``") + "`"]


def _features(frame: Any, columns: Columns) -> list[Any]:
    if isinstance(columns.features, str):
        kind = _type_of(frame, columns.features)
        if isinstance(kind, VectorUDT):
            vector = sql.unwrap_udt(column_of(frame, columns.features))
            values = vector["values"].cast("array<float>").alias("values")
            return [
                sql.struct(vector["size"].alias("size"), vector["indices"].alias("indices"), values).alias("features")
            ]
        if not isinstance(kind, ArrayType):
            raise DataError(
                f"the column {columns.features!r} of features is of type {kind.simpleString()}; expected a vector or "
                "an array of numbers. Give a list of names for features with a column each."
            )
        return [_numbers(frame, columns.features, "float").alias("features")]
    if not columns.features:
        raise DataError("the list of feature columns is empty; name at least one.")
    twice = sorted({name for name in columns.features if columns.features.count(name) > 1})
    if twice:
        raise DataError(f"features_col has {', '.join(map(repr, twice))} more than once; name each column once.")
    return [_feature(frame, name).alias(f"feature{i}") for i, name in enumerate(columns.features)]


def _feature(frame: Any, name: str) -> Any:
    kind = _type_of(frame, name)
    if isinstance(kind, StringType):
        return column_of(frame, name)
    if not isinstance(kind, (NumericType, BooleanType)):
        raise DataError(
            f"the feature {name!r} is of type {kind.simpleString()}; a column of its own has numbers, booleans or "
            "texts."
        )
    return column_of(frame, name).cast("float")


def _numbers(frame: Any, name: str, to: str) -> Any:
    """Return a column of numbers, or of arrays or vectors of numbers, with numbers of this type."""
    kind = _type_of(frame, name)
    if isinstance(kind, VectorUDT):
        from pyspark.ml.functions import vector_to_array

        return vector_to_array(column_of(frame, name)).cast(f"array<{to}>")
    if isinstance(kind, ArrayType) and isinstance(kind.elementType, (NumericType, BooleanType)):
        return column_of(frame, name).cast(f"array<{to}>")
    if not isinstance(kind, (NumericType, BooleanType)):
        hint = " Make numbers of texts by StringIndexer." if isinstance(kind, StringType) else ""
        raise DataError(f"the column {name!r} is of type {kind.simpleString()}; expected numbers.{hint}")
    return column_of(frame, name).cast(to)


def _typed(frame: Any, name: str, wanted: type[DataType], what: str) -> Any:
    kind = _type_of(frame, name)
    if not isinstance(kind, wanted):
        raise DataError(f"the column {name!r} is of type {kind.simpleString()}; expected {what}.")
    return column_of(frame, name)


def _type_of(frame: Any, name: str) -> DataType:
    if name not in frame.columns:
        raise DataError(f"the frame has no column {name!r}; its columns are {', '.join(frame.columns)}.")
    kind: DataType = frame.schema[name].dataType
    return kind


def placed(frame: Any, columns: Columns, n_workers: int, must_deal: bool) -> Any:
    """Return the columns in a partition for each worker.

    Parameters
    ----------
    must_deal
        Whether the rows are dealt even if they are in as many partitions as there are workers.

    Returns
    -------
    Any
        A frame with one of these columns, or with none of them if each worker has a partition of the frame as it is:
        ``tag``, which is ascending in the order of rows, or ``key``, the query, by which the rows are sorted.
    """
    rows = as_computed(frame.select(*selected(frame, columns)))
    tag = sql.monotonically_increasing_id().alias("tag")
    if columns.qid is not None:
        tagged = rows.select("*", tag).withColumnRenamed("qid", "key")
        return tagged.repartition(n_workers, "key").sortWithinPartitions("key", "tag").drop("tag")
    if not must_deal and are_tasks(rows, n_workers):
        return rows
    of_partition = sql.shiftright("tag", BITS_OF_POSITION)  # so that partitions of one block each have several workers
    worker = ((sql.shiftright("tag", BLOCK_BITS) + of_partition) % n_workers).cast("int")
    return rows.select("*", tag).repartitionById(n_workers, worker)
