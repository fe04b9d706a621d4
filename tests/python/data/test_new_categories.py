"""A category unseen in training is treated according to its column, whether or not a tree splits on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from kauriboost.sklearn import KauriRegressor


def one_row(shade: Any, shades: list[Any], grade: Any = "u", grades: tuple[Any, ...] = ("u", "v")) -> pd.DataFrame:
    """Return a row with two categorical columns; trees split on `shade` only, and `grade` is the last column."""
    columns = {"shade": pd.Categorical([shade], shades), "x": [0.5], "grade": pd.Categorical([grade], grades)}
    return pd.DataFrame(columns)


@pytest.fixture(scope="module")
def shaded() -> tuple[kb.Booster, pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    shade, x = rng.integers(0, 3, 300), rng.normal(size=300)
    grade = pd.Categorical.from_codes(rng.integers(0, 2, 300), ["u", "v"])
    frame = pd.DataFrame({"shade": pd.Categorical.from_codes(shade, ["a", "b", "c"]), "x": x, "grade": grade})
    y = 3.0 * (shade == 0) + x
    params = {"max_depth": 2, "interaction_constraints": "[[0, 1]]", "max_cat_to_onehot": 1}
    booster = kb.train(params, kb.DMatrix(frame, y), 3)
    assert set(booster.get_score()) == {"shade", "x"}
    return booster, frame, y


NEW = {"split": one_row("zz", ["a", "b", "c", "zz"]), "unsplit": one_row("a", ["a"], "zz", ("u", "v", "zz"))}
COLUMN_OF = {"split": "column 0", "unsplit": "column 2"}
PREDICTIONS = {
    "value": lambda booster, rows: booster.predict(kb.DMatrix(rows)),
    "leaf": lambda booster, rows: booster.predict(kb.DMatrix(rows), pred_leaf=True),
    "contributions": lambda booster, rows: booster.predict(kb.DMatrix(rows), pred_contribs=True),
    "interactions": lambda booster, rows: booster.predict(kb.DMatrix(rows), pred_interactions=True),
    "in place": lambda booster, rows: booster.inplace_predict(rows),
    "polars": lambda booster, rows: booster.inplace_predict(pl.from_pandas(rows)),
    "arrow": lambda booster, rows: booster.predict(kb.DMatrix(pa.Table.from_pandas(rows, preserve_index=False))),
    "bins": lambda booster, rows: booster.predict(kb.QuantileDMatrix(rows)),
    "evaluation": lambda booster, rows: booster.eval(kb.DMatrix(rows, label=[1.0])),
    "explanation": lambda booster, rows: kb.explain(booster, rows),
}


@pytest.mark.parametrize("policy", ["xgboost", "error", "missing"])
@pytest.mark.parametrize("column", NEW)
@pytest.mark.parametrize("how", PREDICTIONS)
def test_a_new_category_is_judged_by_its_column(how: str, column: str, policy: str, shaded: Any) -> None:
    booster = shaded[0].copy()
    booster.set_param("unseen_category", policy)
    if policy == "missing":
        PREDICTIONS[how](booster, NEW[column])
        return
    with pytest.raises(kb.DataError, match=f"{COLUMN_OF[column]} .*has the category 'zz'"):
        PREDICTIONS[how](booster, NEW[column])


@pytest.mark.parametrize("how", PREDICTIONS)
def test_a_level_without_rows_is_no_new_category(how: str, shaded: Any) -> None:
    rows = one_row("a", ["a", "zz"], "u", ("zz", "u"))
    PREDICTIONS[how](shaded[0], rows)


def test_estimators_refuse_columns_of_another_kind() -> None:
    frame = pd.DataFrame({"x": np.arange(40.0), "grade": pd.Categorical(["u", "v"] * 20)})
    model = kb.KauriClassifier(n_estimators=2).fit(frame, frame["x"] > 20)
    for predict in (model.predict, model.predict_proba, model.apply):
        with pytest.raises(kb.DataError, match=r"\('grade'\) holds categories in the model, but numbers"):
            predict(frame.assign(grade=1.0))


@pytest.mark.parametrize("column", NEW)
def test_estimators_judge_a_new_category_by_its_column(column: str, shaded: Any) -> None:
    _, frame, y = shaded
    model = KauriRegressor(n_estimators=3, max_depth=2, interaction_constraints="[[0, 1]]").fit(frame, y)
    with pytest.raises(kb.DataError, match=f"{COLUMN_OF[column]} .*has the category 'zz'"):
        model.predict(NEW[column])


class Batches(kb.DataIter):
    """Two batches of a frame."""

    def __init__(self, frame: pd.DataFrame, qid: np.ndarray | None = None) -> None:
        self.frame, self.qid, self.at = frame, qid, 0
        super().__init__()

    def reset(self) -> None:
        self.at = 0

    def next(self, input_data: Callable[..., Any]) -> bool:
        half = len(self.frame) // 2
        rows = slice(half * self.at, half * (self.at + 1))
        self.at += 1
        if self.at == 3:
            return False
        input_data(
            data=self.frame.iloc[rows], label=np.arange(half) % 2, qid=None if self.qid is None else self.qid[rows]
        )
        return True


@pytest.mark.parametrize("make", [kb.DMatrix, kb.QuantileDMatrix, kb.ExtMemQuantileDMatrix])
def test_batches_judge_by_the_column(make: type[kb.DMatrix]) -> None:
    """Trees split on the number alone."""
    x = np.arange(40, dtype=np.float32)
    known = pd.DataFrame({"x": x, "grade": pd.Categorical(["u", "v"] * 20, ["u", "v", "zz"])})
    trained = known.assign(grade=known["grade"].cat.remove_unused_categories())
    booster = kb.train({"max_depth": 2, "interaction_constraints": "[[0]]"}, make(Batches(trained)), 2)
    booster.predict(make(Batches(known)))
    other = known.assign(grade=pd.Categorical(["u"] * 39 + ["zz"], ["u", "v", "zz"]))
    with pytest.raises(kb.DataError, match=r"column 1 .*has the category 'zz'"):
        booster.predict(make(Batches(other)))


@pytest.mark.parametrize("make", [kb.DMatrix, kb.QuantileDMatrix, kb.ExtMemQuantileDMatrix])
def test_batches_without_queries_are_not_ranked(make: type[kb.DMatrix]) -> None:
    frame = pd.DataFrame({"x": np.arange(40, dtype=np.float32)})
    kb.train({"objective": "rank:ndcg"}, make(Batches(frame, np.repeat([1, 2, 3, 4], 10))), 1)
    with pytest.raises(kb.DataError, match="no query groups"):
        kb.train({"objective": "rank:ndcg"}, make(Batches(frame)), 1)


def test_batches_with_other_numbers_of_categorical_columns() -> None:
    """Users of XGBoost's package match on these words."""

    class Changing(Batches):
        def next(self, input_data: Callable[..., Any]) -> bool:
            self.frame = frame if self.at == 0 else frame.assign(grade=1.0)
            return super().next(input_data)

    frame = pd.DataFrame({"x": np.arange(40.0), "grade": pd.Categorical(["u", "v"] * 20)})
    for make in (kb.DMatrix, kb.QuantileDMatrix, kb.ExtMemQuantileDMatrix):
        with pytest.raises(kb.DataError, match="Inconsistent number of categories between batches"):
            make(Changing(frame))


@pytest.mark.parametrize("make", [kb.DMatrix, kb.QuantileDMatrix, kb.ExtMemQuantileDMatrix])
def test_a_categorical_column_that_the_first_batch_alone_has(make: type[kb.DMatrix]) -> None:
    """Later passes have numbers everywhere, so that they agree with themselves."""

    class Changing(Batches):
        def next(self, input_data: Callable[..., Any]) -> bool:
            if self.at == 1:
                self.frame = self.frame.assign(grade=1.0)
            return super().next(input_data)

    frame = pd.DataFrame({"x": np.arange(40.0), "grade": pd.Categorical(["u", "v"] * 20)})
    with pytest.raises(kb.DataError, match="feature_type"):
        make(Changing(frame))


def test_evaluation_while_training_judges_by_the_column(shaded: Any) -> None:
    _, frame, y = shaded
    evals = [(kb.DMatrix(NEW["unsplit"], label=[1.0]), "new")]
    params = {"max_depth": 2, "interaction_constraints": "[[0, 1]]"}
    with pytest.raises(kb.DataError, match=r"column 2 .*has the category 'zz'"):
        kb.train(params, kb.DMatrix(frame, y), 2, evals=evals)


def test_a_column_without_a_value_in_training_knows_no_category(shaded: Any) -> None:
    _, frame, y = shaded
    empty = frame.assign(grade=pd.Categorical([None] * len(frame)))
    booster = kb.train({"max_depth": 2}, kb.DMatrix(empty, y), 2)
    booster.predict(kb.DMatrix(empty))
    with pytest.raises(kb.DataError, match=r"column 2 .*has the category 'u'"):
        booster.inplace_predict(one_row("a", ["a"]))
