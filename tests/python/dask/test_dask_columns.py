"""Columns of collections are compared with the model's, like columns of tables in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dask.dataframe as dd
import kauriboost as kb
import numpy as np
import pandas as pd
import pytest
from kauriboost import dask as kd
from problems import features, spread, target

X = features(300)
FRAME = pd.DataFrame(X, columns=list("abcdef"))
REFUSED = {
    "swapped": (FRAME[list("bacdef")], "in another order: 'b' stands where the model has 'a'"),
    "missing": (FRAME[list("acdef")], "Lacking: 'b'. Give"),
    "foreign": (FRAME.assign(zip=1.0), "Unknown: 'zip'. Give"),
}


def collection(table: pd.DataFrame) -> Any:
    return dd.from_pandas(table, npartitions=2)


def matrix(client: Any, table: pd.DataFrame) -> kd.DaskDMatrix:
    labels = dd.from_pandas(pd.Series(target(X)), npartitions=2)
    return kd.DaskDMatrix(client, collection(table), labels)


DOORS: dict[str, Callable[..., Any]] = {
    "predict": lambda client, model, table: kd.predict(client, model, collection(table)).compute(),
    "predict a matrix": lambda client, model, table: kd.predict(client, model, matrix(client, table)).compute(),
    "contributions": lambda client, model, table: kd.predict(
        client, model, collection(table), pred_contribs=True
    ).compute(),
    "inplace_predict": lambda client, model, table: kd.inplace_predict(client, model, collection(table)).compute(),
    "train on": lambda client, model, table: kd.train(client, {}, matrix(client, table), 1, xgb_model=model),
    "evals": lambda client, _, table: kd.train(
        client, {}, matrix(client, FRAME), 1, evals=[(matrix(client, table), "test")]
    ),
}


@pytest.fixture(scope="module")
def booster() -> kb.Booster:
    return kb.train({"max_depth": 3}, kb.DMatrix(FRAME, label=target(X)), 2, verbose_eval=False)


@pytest.mark.parametrize("door", DOORS)
def test_the_table_of_cases(client: Any, booster: kb.Booster, door: str) -> None:
    DOORS[door](client, booster, FRAME)
    for table, message in REFUSED.values():
        with pytest.raises(kb.DataError) as refused:
            DOORS[door](client, booster, table)
        assert message in str(refused.value)


@pytest.mark.parametrize("width", [5, 7])
def test_blocks_without_names_are_counted(client: Any, width: int) -> None:
    model = kb.train({"max_depth": 3}, kb.DMatrix(X, label=target(X)), 2, verbose_eval=False)
    blocks = spread(pd.concat([FRAME, FRAME], axis=1).to_numpy()[:, :width], (200, 100))
    for predict in (kd.predict, kd.inplace_predict):
        with pytest.raises(kb.DataError, match=f"have {width} features, the model 6"):
            predict(client, model, blocks).compute()


def test_columns_of_another_kind_are_refused(client: Any) -> None:
    towns = FRAME.assign(town=pd.Categorical(["s", "t"] * (len(FRAME) // 2)))
    model = kb.train({"max_depth": 3}, kb.DMatrix(towns, label=target(X)), 2, verbose_eval=False)
    numbers = collection(towns.assign(town=1.0))
    for predict in (kd.predict, kd.inplace_predict):
        with pytest.raises(kb.DataError, match="holds categories in the model, but numbers"):
            predict(client, model, numbers).compute()
    with pytest.raises(kb.DataError, match="holds categories in the model, but numbers"):
        kd.train(client, {}, matrix(client, towns.assign(town=1.0)), 1, xgb_model=model)


EMPTY = pd.Categorical([None] * len(FRAME))
TOWNS = pd.Categorical(["s", "t"] * (len(FRAME) // 2))


@pytest.mark.parametrize("kind", [kd.DaskDMatrix, kd.DaskQuantileDMatrix])
@pytest.mark.parametrize("halves", [(EMPTY, EMPTY), (EMPTY, TOWNS), (TOWNS, EMPTY)], ids=["all", "first", "last"])
def test_a_category_column_of_which_partitions_have_no_value(client: Any, halves: Any, kind: Any) -> None:
    labels = pd.Series(target(X))
    parts = [FRAME.assign(g=half) for half in halves]
    table = dd.from_map(lambda part: part, parts, meta=parts[0].iloc[:0])
    data = kind(client, table, dd.concat([dd.from_pandas(labels, npartitions=1)] * 2))
    booster = kd.train(client, {"max_depth": 3}, data, 2)["booster"]
    assert booster.num_boosted_rounds() == 2
    assert len(kd.predict(client, booster, table).compute()) == 2 * len(FRAME)


def test_a_column_of_nothing_but_none_has_no_values(client: Any) -> None:
    frame = FRAME.assign(g=pd.Series([None] * len(FRAME), dtype=object))
    booster = kd.train(client, {}, matrix(client, frame), 1)["booster"]
    alone = kb.train({}, kb.DMatrix(frame, label=target(X)), 1, verbose_eval=False)
    assert np.array_equal(kd.predict(client, booster, collection(frame)).compute(), alone.predict(kb.DMatrix(frame)))


WORDS = [str(np.array(["b", "Ä", "a b", ""])[i * 7 % 4]) for i in range(len(FRAME))]


def with_words(kind: str) -> pd.DataFrame:
    words = [None if i % 9 == 2 else word for i, word in enumerate(WORDS)]
    return FRAME.assign(word=pd.Categorical(words) if kind == "categories" else words)


@pytest.mark.parametrize("kind", [kd.DaskDMatrix, kd.DaskQuantileDMatrix])
def test_text_gives_the_model_of_one_process(client: Any, kind: Any) -> None:
    """The first partitions lack some of the texts."""
    frame = with_words("text")
    labels = pd.Series(target(X) + np.array([len(word) for word in WORDS]))
    bounds = [0, 1, 3, len(frame) // 2, len(frame)]
    blocks = [frame.iloc[begin:end] for begin, end in zip(bounds, bounds[1:])]
    table = dd.from_map(lambda block: block, blocks, meta=frame.iloc[:0])
    of_labels = dd.from_map(lambda block: labels.loc[block.index], blocks, meta=labels.iloc[:0])
    booster = kd.train(client, {"max_depth": 3}, kind(client, table, of_labels), 3)["booster"]
    alone = kb.train({"max_depth": 3}, kb.DMatrix(frame, label=labels), 3, verbose_eval=False)
    declared = kb.train({"max_depth": 3}, kb.DMatrix(with_words("categories"), label=labels), 3, verbose_eval=False)
    assert booster.save_raw() == alone.save_raw() == declared.save_raw()
    for found in (kd.predict(client, booster, table), kd.predict(client, booster, kind(client, table))):
        assert np.array_equal(found.compute(), alone.predict(kb.DMatrix(frame)))
    assert np.array_equal(kd.inplace_predict(client, booster, table).compute(), alone.inplace_predict(frame))


@pytest.mark.parametrize("values", ["identifiers", "numbers"])
def test_text_that_is_no_category(client: Any, values: str) -> None:
    texts = [f"id{i}" if values == "identifiers" else str(i % 3) for i in range(len(FRAME))]
    frame = FRAME.assign(word=texts)
    with pytest.raises(kb.DataError) as alone:
        kb.train({}, kb.DMatrix(frame, label=target(X)), 1)
    with pytest.raises(kb.DataError) as spread_out:
        kd.train(client, {}, matrix(client, frame), 1)
    assert str(spread_out.value).split(";")[0] == str(alone.value).split(";")[0]
