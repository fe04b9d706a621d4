"""Frames: pandas with its nullable and categorical columns, polars and pyarrow through the Arrow interface."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

COLUMNS = {"a": [1.5, None, 3.0], "b": [1, 2, None], "c": [True, False, None], "d": [4, 5, 6]}
EXPECTED = np.array([[1.5, 1, 1, 4], [np.nan, 2, 0, 5], [3, np.nan, np.nan, 6]])


def present(data: kb.DMatrix) -> tuple[list[float], list[int]]:
    csr = data.get_data()
    return csr.data.tolist(), csr.indptr.tolist()


def nullable_frame() -> pd.DataFrame:
    return pd.DataFrame({name: pd.array(values) for name, values in COLUMNS.items()}).convert_dtypes()


def polars_frame() -> Any:
    return pl.DataFrame(COLUMNS)


def arrow_table() -> Any:
    return pa.table(COLUMNS)


def arrow_chunks() -> Any:
    table = arrow_table()
    return pa.concat_tables([table.slice(0, 1), table.slice(1)])


def arrow_batch() -> Any:
    return pa.RecordBatch.from_pydict(COLUMNS)


class ArrayOnly:
    """Implements half of the interface."""

    def __init__(self, batch: Any) -> None:
        self.batch = batch

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return self.batch.__arrow_c_array__(requested_schema)


SOURCES = {
    "pandas, nullable": nullable_frame,
    "polars": polars_frame,
    "pyarrow table": arrow_table,
    "pyarrow chunks": arrow_chunks,
    "pyarrow batch": arrow_batch,
    "one array": lambda: ArrayOnly(arrow_batch()),
}


@pytest.mark.parametrize("make", SOURCES.values(), ids=SOURCES.keys())
def test_nulls_names_and_types(make: Any) -> None:
    data = kb.DMatrix(make(), label=[0, 1, 0])
    assert present(data) == present(kb.DMatrix(EXPECTED))
    assert data.feature_names == ["a", "b", "c", "d"]
    assert data.feature_types is not None
    assert data.feature_types[0] == "float"
    assert data.feature_types[3] == "int"
    assert kb.DMatrix(make(), missing=5).num_nonmissing() == 8
    assert kb.DMatrix(make(), feature_names=["w", "x", "y", "z"]).feature_names == ["w", "x", "y", "z"]


@pytest.mark.parametrize("make", SOURCES.values(), ids=SOURCES.keys())
def test_predictions_in_place(make: Any) -> None:
    booster = kb.train({"max_depth": 2, "min_child_weight": 0}, kb.DMatrix(make(), label=[0, 1, 5]), 3)
    expected = booster.predict(kb.DMatrix(make()))
    np.testing.assert_array_equal(booster.inplace_predict(make()), expected)


def test_batches_of_arrow() -> None:
    table = arrow_table()

    class Rows(kb.DataIter):
        def next(self, input_data: Any) -> bool:
            if self.at == 3:
                return False
            input_data(table.slice(self.at, 1), label=[self.at])
            self.at += 1
            return True

        def reset(self) -> None:
            self.at = 0

    data = kb.DMatrix(Rows())
    assert present(data) == present(kb.DMatrix(EXPECTED))
    assert data.feature_names == ["a", "b", "c", "d"]


def test_labels_from_columns() -> None:
    for label in (pa.array([1, 2, 3]), pa.chunked_array([[1, 2], [3]]), pl.Series([1, 2, 3]), pd.Series([1, 2, 3])):
        np.testing.assert_array_equal(kb.DMatrix(EXPECTED, label=label).get_label(), [1, 2, 3])
    for label in (pa.table({"y": [1, 2, 3], "z": [4, 5, 6]}), pl.DataFrame({"y": [1, 2, 3], "z": [4, 5, 6]})):
        np.testing.assert_array_equal(kb.DMatrix(EXPECTED, label=label).get_label(), [[1, 4], [2, 5], [3, 6]])
    with pytest.raises(kb.DataError, match="label of row 1 is nan"):
        kb.DMatrix(EXPECTED, label=pa.array([1, None, 3]))


def test_pandas_columns_that_are_not_numbers() -> None:
    frame = pd.DataFrame({"x": [1], "color": [b"red"], "when": [pd.Timestamp(0)]})
    with pytest.raises(kb.DataError, match=r"color \(.*when \(datetime64.*astype\('category'\)"):
        kb.DMatrix(frame)


def test_arrow_columns_that_are_not_numbers() -> None:
    for values, message in [
        (pa.array([b"red"]), "'color' holds values"),
        (pa.array([1.5]).dictionary_encode(), "'color' cannot be read: its categories have names of a floating point"),
        (pa.array([[1]]), "'color' holds nested"),
    ]:
        with pytest.raises(kb.DataError, match=message):
            kb.DMatrix(pa.table({"x": [1.0], "color": values}))
    with pytest.raises(kb.DataError, match="times"):
        kb.DMatrix(pl.DataFrame({"when": [pd.Timestamp(0).to_pydatetime()]}))
    with pytest.raises(kb.DataError, match="row 1, column 0 is inf"):
        kb.DMatrix(pl.DataFrame({"x": [1.0, np.inf]}))
    with pytest.raises(kb.DataError, match="not a table"):
        kb.DMatrix(pa.array([1.0, 2.0]))
