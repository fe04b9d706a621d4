"""Predictions and explanations of collections are the same as for the rows in memory."""

from __future__ import annotations

from typing import Any

import dask.array as da
import dask.dataframe as dd
import kauriboost as kb
import numpy as np
import pandas as pd
import pytest
from kauriboost import dask as kd
from problems import RAGGED, features, spread, target

X = features()
KINDS: list[dict[str, Any]] = [
    {},
    {"output_margin": True},
    {"pred_leaf": True},
    {"pred_contribs": True},
    {"pred_contribs": True, "approx_contribs": True},
    {"pred_interactions": True},
    {"iteration_range": (1, 3)},
    {"strict_shape": True},
]


def frame_of(X: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(X, columns=list("abcdef"), index=np.arange(len(X)) * 2)


@pytest.fixture(scope="module")
def booster() -> kb.Booster:
    return kb.train({"max_depth": 3}, kb.DMatrix(X, label=target(X)), 5)


@pytest.fixture(scope="module")
def named() -> kb.Booster:
    return kb.train({"max_depth": 3}, kb.DMatrix(frame_of(X), label=target(X)), 5)


@pytest.mark.parametrize("how", KINDS, ids=str)
def test_arrays(client: Any, booster: kb.Booster, how: dict[str, Any]) -> None:
    expected = booster.predict(kb.DMatrix(X), **how)
    blocks = spread(X, RAGGED)
    lazy = kd.predict(client, booster, blocks, **how)
    assert isinstance(lazy, da.Array)
    assert lazy.shape == expected.shape
    assert lazy.dtype == expected.dtype
    np.testing.assert_array_equal(lazy.compute(), expected)


def test_matrices(client: Any, booster: kb.Booster) -> None:
    margin = np.linspace(-1, 1, len(X), dtype=np.float32)
    data = kd.DaskDMatrix(client, spread(X, RAGGED), base_margin=spread(margin, RAGGED))
    for how in ({}, {"pred_contribs": True}):
        expected = booster.predict(kb.DMatrix(X, base_margin=margin), **how)
        lazy = kd.predict(client, {"booster": booster, "history": {}}, data, **how)
        assert lazy.chunks[0] == RAGGED
        np.testing.assert_array_equal(lazy.compute(), expected)


def test_frames(client: Any, named: kb.Booster) -> None:
    frame = frame_of(X)
    collection = dd.from_pandas(frame, npartitions=4)
    series = kd.predict(client, named, collection)
    assert series.divisions == collection.divisions
    expected = pd.Series(named.predict(kb.DMatrix(frame)), index=frame.index)
    pd.testing.assert_series_equal(series.compute(), expected)
    values = kd.predict(client, named, collection, pred_contribs=True).compute()
    assert list(values.index) == list(frame.index)
    np.testing.assert_array_equal(values.to_numpy(), named.predict(kb.DMatrix(frame), pred_contribs=True))
    interactions = kd.predict(client, named, collection, pred_interactions=True)
    np.testing.assert_array_equal(interactions.compute(), named.predict(kb.DMatrix(frame), pred_interactions=True))


def test_in_place(client: Any, booster: kb.Booster, named: kb.Booster) -> None:
    margin = np.linspace(-1, 1, len(X), dtype=np.float32)
    expected = booster.inplace_predict(X, base_margin=margin, predict_type="margin")
    lazy = kd.inplace_predict(
        client, booster, spread(X, RAGGED), base_margin=spread(margin, RAGGED), predict_type="margin"
    )
    np.testing.assert_array_equal(lazy.compute(), expected)
    series = kd.inplace_predict(client, named, dd.from_pandas(frame_of(X), npartitions=2))
    np.testing.assert_array_equal(series.compute().to_numpy(), named.inplace_predict(frame_of(X)))


def test_a_future_of_a_model(client: Any, booster: kb.Booster) -> None:
    future = client.scatter(booster)
    np.testing.assert_array_equal(
        kd.predict(client, future, spread(X, RAGGED)).compute(), booster.predict(kb.DMatrix(X))
    )


def test_arguments_of_other_kinds(client: Any, booster: kb.Booster) -> None:
    with pytest.raises(TypeError, match="expected a DaskDMatrix, a Dask array or a Dask data frame, got ndarray"):
        kd.predict(client, booster, X)
    with pytest.raises(TypeError, match=r"expected a Booster, or what train\(\) returns; got str"):
        kd.predict(client, "model.json", spread(X, RAGGED))
    with pytest.raises(kb.DataError, match="inplace_predict takes a Dask array or frame"):
        kd.inplace_predict(client, booster, kd.DaskDMatrix(client, spread(X, RAGGED)))
    with pytest.raises(TypeError, match="data is a ndarray, not a Dask array or data frame"):
        kd.DaskDMatrix(client, X)
    with pytest.raises(kb.DataError, match="data has 6, label has 4; repartition them alike"):
        kd.DaskDMatrix(client, spread(X, RAGGED), spread(target(X), (750,) * 4))
    with pytest.raises(kb.DataError, match=r"a partition has 1500 rows of data and .* of label; partition both alike"):
        kd.DaskDMatrix(client, spread(X, (1500, 1500)), spread(target(X), (1499, 1501)))


@pytest.mark.parametrize("grade", ["u", "zz"])
def test_a_new_category_is_judged_by_its_column(client: Any, grade: str) -> None:
    """Trees split on the number alone; one row of the third partition has another category than training."""
    x = np.arange(40, dtype=np.float32)
    trained = pd.DataFrame({"x": x, "grade": pd.Categorical(["u", "v"] * 20)})
    booster = kb.train({"max_depth": 2, "interaction_constraints": "[[0]]"}, kb.DMatrix(trained, label=x), 2)
    rows = trained.assign(grade=pd.Categorical([*trained["grade"][:-1], grade], ["u", "v", "zz"]))
    lazy = kd.predict(client, booster, dd.from_pandas(rows, npartitions=3))
    if grade == "zz":
        with pytest.raises(kb.DataError, match=r"column 1 .*has the category 'zz'"):
            lazy.compute()
    else:
        np.testing.assert_array_equal(lazy.compute(), booster.predict(kb.DMatrix(rows)))
