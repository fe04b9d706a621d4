"""Frames of pandas, polars and Arrow: columns, names, types, and labels given as columns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import xgboost as xgb
from scenarios.support.data import regression, rows, rows_with_gaps, score
from scenarios.support.models import SMALL
from scenarios.support.scenario import EQUAL, caught, close, scenario

NAMES = ["length", "width", "weight", "age", "a column"]


def _frame(n: int = 300) -> pd.DataFrame:
    return pd.DataFrame(rows_with_gaps(n), columns=NAMES)


def _seen(data: xgb.DMatrix) -> dict[str, object]:
    cells = data.get_data()
    return {
        "names": data.feature_names,
        "types": data.feature_types,
        "cells": cells.toarray(),
        "stored": cells.indptr,
        "labels": data.get_label(),
    }


@scenario(EQUAL)
def pandas_frames() -> object:
    return _seen(xgb.DMatrix(_frame(30), pd.Series(np.arange(30))))


@scenario(EQUAL)
def pandas_columns_of_many_types() -> object:
    frame = pd.DataFrame(
        {k: np.arange(10).astype(k) for k in ("int8", "int16", "int64", "uint8", "float32", "float64")}
    )
    frame["yes"] = frame["int8"] > 4
    return _seen(xgb.DMatrix(frame))


@scenario(EQUAL)
def pandas_columns_that_know_missing_values() -> object:
    frame = pd.DataFrame(
        {
            "whole": pd.array([1, None, 3], dtype="Int32"),
            "real": pd.array([0.5, None, 2.5], dtype="Float64"),
            "yes": pd.array([True, None, False], dtype="boolean"),
        }
    )
    return _seen(xgb.DMatrix(frame))


@scenario(EQUAL)
def pandas_columns_of_arrow() -> object:
    frame = pd.DataFrame({"whole": [1, None, 3], "real": [0.5, None, 2.5]})
    return _seen(xgb.DMatrix(frame.astype({"whole": "int32[pyarrow]", "real": "float64[pyarrow]"})))


@scenario(EQUAL)
def pandas_sparse_columns() -> object:
    frame = pd.DataFrame({"a": pd.arrays.SparseArray([0, 0, 1.5]), "b": pd.arrays.SparseArray([0, 2.0, 0])})
    return _seen(xgb.DMatrix(frame))


@scenario(EQUAL)
def pandas_names_that_are_numbers() -> object:
    return _seen(xgb.DMatrix(pd.DataFrame(rows(5))))


@scenario(EQUAL)
def pandas_names_of_two_levels() -> object:
    columns = pd.MultiIndex.from_product([["x"], list("abcde")])
    return _seen(xgb.DMatrix(pd.DataFrame(rows(5), columns=columns)))


@scenario(EQUAL)
def pandas_texts() -> object:
    return caught("DataFrame.dtypes|must be int", lambda: xgb.DMatrix(pd.DataFrame({"a": ["x", "y"]})))


@scenario(EQUAL)
def pandas_labels_in_a_frame() -> object:
    labels = pd.DataFrame({"one": np.arange(30.0), "two": -np.arange(30.0)})
    return xgb.DMatrix(_frame(30), labels).get_label()


@scenario(EQUAL)
def pandas_weights_and_margins() -> object:
    data = xgb.DMatrix(_frame(30), weight=pd.Series(np.arange(30.0)), base_margin=pd.Series(np.ones(30)))
    return [data.get_weight(), data.get_base_margin()]


@scenario(close())
def pandas_training_and_predicting() -> object:
    frame = _frame()
    data = xgb.DMatrix(frame, score(frame.to_numpy()))
    booster = xgb.train(SMALL, data, 5)
    return [booster.feature_names, booster.predict(data), booster.inplace_predict(frame)]


@scenario(EQUAL)
def other_names_than_in_training() -> object:
    frame = _frame()
    booster = xgb.train(SMALL, xgb.DMatrix(frame, score(frame.to_numpy())), 2)
    other = xgb.DMatrix(frame.rename(columns={"age": "years"}))
    return caught("feature_names mismatch", lambda: booster.predict(other))


@scenario(EQUAL)
def columns_in_another_order() -> object:
    frame = _frame()
    booster = xgb.train(SMALL, xgb.DMatrix(frame, score(frame.to_numpy())), 2)
    return caught("feature_names mismatch", lambda: booster.inplace_predict(frame[NAMES[::-1]]))


@scenario(EQUAL)
def names_twice() -> object:
    return caught("unique", lambda: xgb.DMatrix(rows(5), feature_names=["a", "a", "b", "c", "d"]))


@scenario(EQUAL)
def names_with_brackets() -> object:
    return caught(r"\[, \] or <", lambda: xgb.DMatrix(rows(5), feature_names=["a[", "b", "c", "d", "e"]))


@scenario(EQUAL)
def too_few_names() -> object:
    return caught("feature names must have the same length", lambda: xgb.DMatrix(rows(5), feature_names=["a"]))


@scenario(EQUAL)
def names_set_and_taken_away() -> object:
    data = xgb.DMatrix(rows(5))
    data.feature_names, data.feature_types = NAMES, ["float", "int", "q", "i", "float"]
    first = [data.feature_names, data.feature_types]
    data.feature_names = data.feature_types = None
    return [first, data.feature_names, data.feature_types]


@scenario(EQUAL)
def arrow_tables() -> object:
    table = pa.table(
        {"a": pa.array([1, None, 3], pa.int32()), "b": [0.5, 1.5, None], "c": pa.array([1, 2, 3], pa.uint8())}
    )
    return _seen(xgb.DMatrix(table, pa.array([1.0, 2.0, 3.0]).to_numpy()))


@scenario(close())
def arrow_training_and_predicting() -> object:
    table = pa.Table.from_pandas(_frame().fillna(0.0))
    labels = score(table.to_pandas().to_numpy())
    booster = xgb.train(SMALL, xgb.DMatrix(table, labels), 5)
    return [booster.predict(xgb.DMatrix(table)), booster.inplace_predict(table)]


@scenario(EQUAL)
def arrow_tables_of_several_chunks() -> object:
    table = pa.Table.from_pandas(_frame(30))
    return _seen(xgb.DMatrix(pa.concat_tables([table.slice(0, 7), table.slice(7, 20), table.slice(27)])))


@scenario(EQUAL)
def polars_frames() -> object:
    import polars as pl

    frame = pl.DataFrame({"a": [1, None, 3], "b": [0.5, 1.5, None], "yes": [True, False, True]})
    return _seen(xgb.DMatrix(frame, pl.Series([1.0, 2.0, 3.0])))


@scenario(close())
def polars_training_and_predicting() -> object:
    import polars as pl

    features, labels = regression()
    frame = pl.DataFrame({name: features[:, i] for i, name in enumerate(NAMES)})
    booster = xgb.train(SMALL, xgb.DMatrix(frame, labels), 5)
    return [booster.predict(xgb.DMatrix(frame)), booster.inplace_predict(frame)]


@scenario(close())
def polars_of_an_estimator() -> object:
    import polars as pl

    features, labels = regression()
    frame = pl.DataFrame({name: features[:, i] for i, name in enumerate(NAMES)})
    model = xgb.XGBRegressor(n_estimators=5, max_depth=3).fit(frame, pl.Series(labels))
    return [model.predict(frame), list(model.feature_names_in_)]


@scenario(EQUAL)
def polars_lazy_frames() -> object:
    import polars as pl

    return _seen(xgb.DMatrix(pl.LazyFrame({"a": [1.0, 2.0], "b": [0.5, 1.5]})))
