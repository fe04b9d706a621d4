"""Columns without any value are missing, whatever their type; whole numbers with gaps are categories."""

from __future__ import annotations

from pathlib import Path
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
    "pandas null": pd.DataFrame({"town": pd.array([None, None], dtype=pd.ArrowDtype(pa.null())), "x": [0.5, 2]}),
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
    with pytest.raises(kb.DataError, match=r"pd\.NA.*NaN"):
        kb.DMatrix(np.array([[1.0, pd.NA]], dtype=object))


class Batches(kb.DataIter):
    def __init__(self, parts: list[Any], **kwargs: Any) -> None:
        self._parts, self._next = parts, 0
        super().__init__(**kwargs)

    def next(self, input_data: Any) -> bool:
        if self._next == len(self._parts):
            return False
        rows = self._parts[self._next]
        input_data(data=rows, label=np.arange(len(rows), dtype=np.float32))
        self._next += 1
        return True

    def reset(self) -> None:
        self._next = 0


N_ROWS = 60
X = np.random.default_rng(1).normal(size=N_ROWS)
CODES = pa.array([None] * N_ROWS, pa.int32())
EMPTY = {
    "pandas": pd.DataFrame({"x": X, "g": pd.Categorical([None] * N_ROWS)}),
    "pandas with levels": pd.DataFrame({"x": X, "g": pd.Categorical([None] * N_ROWS, categories=["a", "b"])}),
    "arrow": pa.table({"x": X, "g": pa.DictionaryArray.from_arrays(CODES, pa.array([], pa.string()))}),
    "arrow null": pa.table({"x": X, "g": pa.nulls(N_ROWS)}),
    "polars": pl.DataFrame({"x": X, "g": pl.Series([None] * N_ROWS, dtype=pl.Enum([]))}),
    "first": pd.DataFrame({"g": pd.Categorical([None] * N_ROWS), "x": X}),
    "alone": pd.DataFrame({"g": pd.Categorical([None] * N_ROWS)}),
}


def prefix_of(folder: Path) -> dict[str, str]:
    return {"cache_prefix": str(folder / "pages")}


MATRICES = {
    "QuantileDMatrix": lambda rows, _: kb.QuantileDMatrix(rows, label=np.arange(N_ROWS)),
    "QuantileDMatrix of batches": lambda rows, _: kb.QuantileDMatrix(Batches([rows, rows])),
    "DMatrix of batches": lambda rows, folder: kb.DMatrix(Batches([rows, rows], **prefix_of(folder))),
    "ExtMemQuantileDMatrix": lambda rows, folder: kb.ExtMemQuantileDMatrix(Batches([rows, rows], **prefix_of(folder))),
}


@pytest.mark.parametrize("kind", MATRICES)
@pytest.mark.parametrize("name", EMPTY)
def test_bins_of_a_category_column_without_a_value(name: str, kind: str, tmp_path: Path) -> None:
    rows = EMPTY[name]
    booster = kb.train({}, MATRICES[kind](rows, tmp_path), 2)
    n_times = 1 if kind == "QuantileDMatrix" else 2
    plain = kb.train({}, kb.DMatrix(pd.DataFrame({"x": np.tile(X, n_times)}), np.tile(np.arange(N_ROWS), n_times)), 2)
    margins = booster.predict(kb.DMatrix(rows))
    if name != "alone":
        np.testing.assert_allclose(margins, plain.predict(kb.DMatrix(pd.DataFrame({"x": X}))), rtol=0.2, atol=1)
        assert set(booster.get_score()) == {"x"}
    assert margins.shape == (N_ROWS,)


TOWNS = pa.array(np.random.default_rng(2).choice(["a", "b"], N_ROWS)).dictionary_encode()
VALUES = {"numbers": pa.array(np.random.default_rng(3).normal(size=N_ROWS)), "categories": TOWNS}
WITHOUT = {
    "null": pa.table({"x": X, "g": pa.nulls(N_ROWS)}),
    "dictionary": EMPTY["arrow"],
    "pandas categories": EMPTY["pandas"],
}
ITERATED = {
    "QuantileDMatrix": lambda parts, _: kb.QuantileDMatrix(Batches(parts)),
    "DMatrix": lambda parts, folder: kb.DMatrix(Batches(parts, **prefix_of(folder))),
    "ExtMemQuantileDMatrix": lambda parts, folder: kb.ExtMemQuantileDMatrix(Batches(parts, **prefix_of(folder))),
}


@pytest.mark.parametrize("kind", ITERATED)
@pytest.mark.parametrize("without", WITHOUT)
@pytest.mark.parametrize("value", VALUES)
def test_batches_of_which_some_have_no_value(value: str, without: str, kind: str, tmp_path: Path) -> None:
    full = pa.table({"x": X, "g": VALUES[value]})
    whole = kb.DMatrix(full)
    predictions = []
    for parts in ([WITHOUT[without], full], [full, WITHOUT[without]], [WITHOUT["null"], full, WITHOUT[without]]):
        data = ITERATED[kind](parts, tmp_path)
        assert (data.feature_types, data.get_categories()) == (whole.feature_types, whole.get_categories())
        assert data.num_nonmissing() == (len(parts) + 1) * N_ROWS
        predictions.append(kb.train({"min_child_weight": 0}, data, 3).predict(whole))
    np.testing.assert_allclose(predictions[0], predictions[1], rtol=1e-5)


def test_batches_without_a_value_at_all() -> None:
    for parts in ([WITHOUT["null"], WITHOUT["dictionary"]], [WITHOUT["dictionary"], WITHOUT["null"]]):
        data = kb.QuantileDMatrix(Batches(parts))
        assert data.feature_types == ["float", "c"]
        assert kb.train({}, data, 1).num_boosted_rounds() == 1


def test_batches_whose_values_differ_in_type_are_refused() -> None:
    parts = [pa.table({"x": X, "g": column}) for column in VALUES.values()]
    for order in (parts, parts[::-1], [WITHOUT["null"], *parts]):
        with pytest.raises(kb.DataError, match=r"Inconsistent feature types|Invalid categorical value"):
            kb.QuantileDMatrix(Batches(order))


def test_rows_in_the_bins_of_others_take_their_types() -> None:
    full = kb.QuantileDMatrix(pa.table({"x": X, "g": TOWNS}), label=X)
    booster = kb.train({"min_child_weight": 0}, full, 2)
    typed = pd.DataFrame({"x": X, "g": pd.Categorical([None] * N_ROWS, categories=["a", "b"])})
    for rows in WITHOUT.values():
        binned = kb.QuantileDMatrix(rows, ref=full)
        np.testing.assert_array_equal(booster.predict(binned), booster.predict(kb.DMatrix(typed)))
        np.testing.assert_array_equal(
            booster.predict(kb.QuantileDMatrix(Batches([rows, rows]), ref=full))[:N_ROWS], booster.predict(binned)
        )
