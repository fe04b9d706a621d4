"""Columns without a value are missing, whatever their type; whole numbers with a gap are categories."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

GENERATOR = np.random.default_rng(0)
TOWN = GENERATOR.choice(["a", "b"], 200)
FRAME = pd.DataFrame({"town": pd.Categorical(TOWN), "x": GENERATOR.normal(size=200)})
TARGET = (TOWN == "a") + FRAME.x
ROWS = {
    "pandas": pd.DataFrame({"town": pd.Categorical([None, None]), "x": [0.5, 2]}),
    "polars": pl.DataFrame({"town": [None, None], "x": [0.5, 2]}),
    "pyarrow": pa.table({"town": [None, None], "x": [0.5, 2]}),
    "dictionary": pa.table({"town": pa.array([None, None]).dictionary_encode(), "x": [0.5, 2]}),
}


@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS)
def test_predictions(rows: Any) -> None:
    typed = pd.DataFrame({"town": pd.Categorical([None, None], categories=["a", "b"]), "x": [0.5, 2]})
    booster = kb.train({}, kb.DMatrix(FRAME, label=TARGET), 5, verbose_eval=False)
    expected = booster.predict(kb.DMatrix(typed))
    np.testing.assert_array_equal(booster.predict(kb.DMatrix(rows)), expected)
    np.testing.assert_array_equal(booster.inplace_predict(rows), expected)
    model = kb.KauriRegressor(n_estimators=5).fit(FRAME, TARGET)
    np.testing.assert_array_equal(model.predict(rows), model.predict(typed))
    contributions = booster.predict(kb.DMatrix(rows), pred_contribs=True)
    np.testing.assert_array_equal(contributions, booster.predict(kb.DMatrix(typed), pred_contribs=True))


def test_numbers_without_a_value() -> None:
    booster = kb.train({}, kb.DMatrix(FRAME, label=TARGET), 5, verbose_eval=False)
    rows = pl.DataFrame({"town": pl.Series(["a"], dtype=pl.Enum(["a", "b"])), "x": [None]})
    typed = rows.with_columns(pl.col("x").cast(pl.Float64))
    np.testing.assert_array_equal(booster.inplace_predict(rows), booster.inplace_predict(typed))


def test_a_value_of_the_other_kind_is_still_refused() -> None:
    booster = kb.train({}, kb.DMatrix(FRAME, label=TARGET), 5, verbose_eval=False)
    rows = pl.DataFrame({"town": [None, 1.0], "x": [0.5, 2]})
    with pytest.raises(kb.DataError, match="holds categories in the model"):
        booster.predict(kb.DMatrix(rows))


@pytest.mark.parametrize(
    ("kind", "rows"),
    [
        *((kb.DMatrix, rows) for rows in ROWS.values()),
        *((kb.QuantileDMatrix, ROWS[name]) for name in ("polars", "pyarrow")),
    ],
)
def test_training(kind: Any, rows: Any) -> None:
    data = kind(rows, label=[1.0, 2.0])
    assert data.num_row() == 2
    assert data.num_nonmissing() == 2
    booster = kb.train({"min_child_weight": 0}, data, 2, verbose_eval=False)
    assert booster.predict(data).shape == (2,)


@pytest.mark.parametrize("make", [lambda f: f, pa.Table.from_pandas], ids=["pandas", "pyarrow"])
def test_whole_numbers_with_a_gap(make: Any) -> None:
    store = pd.Series([1, 2, 7, None] * 30)
    assert store.dtype == np.float64
    label = store.map({1: 3.0, 2: 1.0, 7: 5.0}).fillna(0)
    data = kb.DMatrix(make(pd.DataFrame({"store": store.astype("category")})), label=label)
    booster = kb.train({"min_child_weight": 0}, data, 10, verbose_eval=False)
    whole = pd.DataFrame({"store": pd.Categorical([7, 1], categories=[7, 1])})
    by_code = pd.DataFrame({"store": pd.Categorical([7.0, 1.0], categories=[1.0, 2.0, 7.0])})
    np.testing.assert_array_equal(booster.inplace_predict(whole), booster.inplace_predict(by_code))
    with pytest.raises(kb.DataError, match="floating point dtype"):
        kb.DMatrix(make(pd.DataFrame({"store": pd.Categorical([1.5])})))


def test_objects_that_are_no_numbers_say_what_to_do() -> None:
    table = np.zeros((2, 1))
    with pytest.raises(kb.DataError, match=r"sparse matrix.*toarray"):
        kb.DMatrix(table, label=sp.csr_matrix([[1.0, 0], [0, 1]]))
    with pytest.raises(kb.DataError, match="collect"):
        kb.DMatrix(pl.LazyFrame({"a": [1.0]}))
    with pytest.raises(kb.DataError, match=r"pd\.NA.*NaN"):
        kb.DMatrix(np.array([[1.0, pd.NA]], dtype=object))
