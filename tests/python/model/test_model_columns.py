"""The columns of a model: the same table of cases at every entry point of the Python package."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

RNG = np.random.default_rng(3)
NAMES = ["ash", "birch", "cedar"]
X = RNG.normal(size=(60, 3)).astype(np.float32)
Y = (X[:, 0] > X[:, 1]).astype(np.float32)
FRAME = pd.DataFrame(X, columns=NAMES)
PARAMS = {"objective": "binary:logistic", "max_depth": 3, "nthread": 1}
Cells = dict[str, tuple[pd.DataFrame, str]]
Door = Callable[[kb.Booster, pd.DataFrame], Any]

# A table and the expected message.
REFUSED: Cells = {
    "swapped": (FRAME[["birch", "ash", "cedar"]], "in another order: 'birch' stands where the model has 'ash'"),
    "missing": (FRAME[["ash", "cedar"]], "Lacking: 'birch'. Give"),
    "foreign": (FRAME.assign(zip=1.0), "Unknown: 'zip'. Give"),
    "renamed": (FRAME.rename(columns={"cedar": "zip"}), "Lacking: 'cedar'; unknown: 'zip'. Give"),
}


def train(data: kb.DMatrix, rounds: int = 3, **more: Any) -> kb.Booster:
    return kb.train(PARAMS, data, rounds, verbose_eval=False, **more)


def matrix(table: Any) -> kb.DMatrix:
    return kb.DMatrix(table, label=Y)


def quantile(table: Any) -> kb.QuantileDMatrix:
    return kb.QuantileDMatrix(table, label=Y)


class Batches(kb.DataIter):
    """Two batches of a table."""

    def __init__(self, table: Any, **settings: Any) -> None:
        self.table = table
        self.at = 0
        super().__init__(**settings)

    def reset(self) -> None:
        self.at = 0

    def next(self, input_data: Callable[..., Any]) -> bool:
        if self.at == 2:
            return False
        rows = slice(30 * self.at, 30 * self.at + 30)
        table = self.table.iloc[rows] if hasattr(self.table, "iloc") else self.table[rows]
        input_data(data=table, label=Y[rows])
        self.at += 1
        return True


def refit(booster: kb.Booster, data: kb.DMatrix) -> Any:
    return kb.train({**PARAMS, "process_type": "update", "updater": "refresh"}, data, 1, xgb_model=booster)


def rows_for(booster: kb.Booster) -> Any:
    """Return rows that fit a model of frames or of arrays."""
    return X if booster.feature_names is None else FRAME


def sampled(booster: kb.Booster, table: Any) -> Any:
    return kb.explain(booster, table, background=rows_for(booster), output="value", n_orders=2)


DOORS: dict[str, Door] = {
    "update": lambda booster, table: booster.update(matrix(table), 3),
    "update on bins": lambda booster, table: booster.update(quantile(table), 3),
    "update on batches": lambda booster, table: booster.update(kb.QuantileDMatrix(Batches(table)), 3),
    "update from disk": lambda booster, table: booster.update(kb.ExtMemQuantileDMatrix(Batches(table)), 3),
    "boost": lambda booster, table: booster.boost(matrix(table), 3, Y - 0.5, np.ones(60)),
    "own objective": lambda booster, table: booster.update(matrix(table), 3, lambda m, _: (m, np.ones_like(m))),
    "xgb_model": lambda booster, table: train(matrix(table), 1, xgb_model=booster),
    "process_type=update": lambda booster, table: refit(booster, matrix(table)),
    "eval": lambda booster, table: booster.eval(matrix(table)),
    "evals": lambda booster, table: train(
        matrix(rows_for(booster)), 1, xgb_model=booster, evals=[(matrix(table), "test")]
    ),
    "predict": lambda booster, table: booster.predict(matrix(table)),
    "predict bins": lambda booster, table: booster.predict(quantile(table)),
    "predict batches": lambda booster, table: booster.predict(kb.DMatrix(Batches(table))),
    "margins of training": lambda booster, table: booster.predict(matrix(table), training=True),
    "leaves": lambda booster, table: booster.predict(matrix(table), pred_leaf=True),
    "contributions": lambda booster, table: booster.predict(matrix(table), pred_contribs=True),
    "interactions": lambda booster, table: booster.predict(matrix(table), pred_interactions=True),
    "inplace_predict": lambda booster, table: booster.inplace_predict(table),
    "inplace_predict of polars": lambda booster, table: booster.inplace_predict(pl.DataFrame(table)),
    "predict polars": lambda booster, table: booster.predict(kb.DMatrix(pl.DataFrame(table))),
    "predict Arrow": lambda booster, table: booster.predict(kb.DMatrix(pa.table(table))),
    "explain": lambda booster, table: kb.explain(booster, table),
    "background": lambda booster, table: kb.explain(booster, rows_for(booster), background=table),
    "explain sampled": sampled,
    "global_importance": lambda booster, table: kb.global_importance(booster, table),
    "sparse_interactions": lambda booster, table: kb.sparse_interactions(booster, table),
    "partial_dependence": lambda booster, table: kb.partial_dependence(booster, table, 0),
    "permutation_importance": lambda booster, table: kb.permutation_importance(booster, table, Y, n_repeats=1),
    "count_rows": lambda booster, table: booster.count_rows(matrix(table)),
    "receipt": lambda booster, table: kb.add_receipt(booster, matrix(table)),
}


@pytest.fixture
def booster() -> kb.Booster:
    return train(matrix(FRAME))


@pytest.mark.parametrize("door", DOORS)
def test_the_same_columns_are_taken(booster: kb.Booster, door: str) -> None:
    DOORS[door](booster, FRAME)


@pytest.mark.parametrize("cell", REFUSED)
@pytest.mark.parametrize("door", DOORS)
def test_other_columns_are_refused_by_name(booster: kb.Booster, door: str, cell: str) -> None:
    table, message = REFUSED[cell]
    before = bytes(booster.save_raw("json"))
    with pytest.raises(kb.DataError) as refused:
        DOORS[door](booster, table)
    assert "feature_names mismatch: " in str(refused.value)
    assert message in str(refused.value)
    assert bytes(booster.save_raw("json")) == before


@pytest.mark.parametrize("width", [2, 4])
@pytest.mark.parametrize("door", [door for door in DOORS if "polars" not in door and "Arrow" not in door])
def test_columns_without_names_are_counted(door: str, width: int) -> None:
    """Test a model of arrays with arrays of another width."""
    booster = train(matrix(X))
    table = RNG.normal(size=(60, width)).astype(np.float32)
    with pytest.raises(kb.DataError, match=rf"have {width} features|has {width} features"):
        DOORS[door](booster, table)


def test_unnamed_rows_of_a_named_model(booster: kb.Booster) -> None:
    """Python refuses them unless the caller allows it; arrays predicted in place have no names."""
    for door in ("update", "boost", "eval", "predict", "count_rows"):
        with pytest.raises(
            kb.DataError, match="the data have no feature names, but the booster expects 'ash', 'birch'"
        ):
            DOORS[door](booster, X)
    expected = booster.predict(matrix(FRAME))
    np.testing.assert_array_equal(booster.predict(matrix(X), validate_features=False), expected)
    np.testing.assert_array_equal(booster.inplace_predict(X), expected)
    with pytest.raises(kb.DataError, match="have 2 features, the model 3; give all that it was trained on"):
        booster.inplace_predict(X[:, :2])


def test_validate_features_is_up_to_the_caller(booster: kb.Booster) -> None:
    lacking = FRAME.assign(cedar=np.nan)
    expected = booster.predict(matrix(lacking))
    narrow = FRAME[["ash", "birch"]].rename(columns={"ash": "zip"})
    for training in (False, True):
        values = booster.predict(matrix(narrow), validate_features=False, training=training)
        np.testing.assert_array_equal(values, expected)
    np.testing.assert_array_equal(booster.inplace_predict(narrow, validate_features=False), expected)
    with pytest.raises(kb.DataError, match="Number of columns: the data have 4 features, the model 3"):
        booster.predict(matrix(FRAME.assign(zip=1.0)), validate_features=False)


def test_libsvm_text_may_lack_its_last_columns(tmp_path: Path) -> None:
    """The format does not record columns beyond the last value."""
    text = "".join(f"{y} 0:{a} 1:{b} 2:{c}\n" for y, (a, b, c) in zip(Y, X))
    (tmp_path / "train.libsvm").write_text(text)
    (tmp_path / "narrow.libsvm").write_text("".join(f"{y} 0:{a} 1:{b}\n" for y, (a, b, _) in zip(Y, X)))
    (tmp_path / "wide.libsvm").write_text(text.replace("\n", " 5:1\n"))
    booster = train(kb.DMatrix(str(tmp_path / "train.libsvm")))
    expected = booster.predict(matrix(np.column_stack([X[:, :2], np.full(60, np.nan)])))
    narrow = kb.DMatrix(str(tmp_path / "narrow.libsvm"))
    narrow.save_binary(tmp_path / "narrow.kauri")
    cached = kb.DMatrix(f"{tmp_path / 'narrow.libsvm'}#{tmp_path / 'cache'}")
    for data in (narrow, narrow.slice(range(60)), kb.DMatrix(str(tmp_path / "narrow.kauri")), cached):
        assert data.num_col() == 2
        values = booster.predict(data)
        np.testing.assert_allclose(values, expected, atol=1e-6 if data is not cached else 1)
        assert booster.predict(data, pred_contribs=True).shape == (60, 4)
        booster.eval(data)
    assert np.isnan(kb.explain(booster, narrow).data[:, 2]).all()
    assert kb.partial_dependence(booster, narrow, 0).mean.shape == (40,)
    assert len(kb.permutation_importance(booster, narrow, n_repeats=1).values) == 3
    with pytest.raises(kb.DataError, match="have 2 features, the booster 3"):
        booster.update(narrow, 3)
    wide = kb.DMatrix(str(tmp_path / "wide.libsvm"))
    for use in (booster.predict, booster.eval):
        with pytest.raises(kb.DataError, match=r"Number of columns: .* 6 features, the model 3"):
            use(wide)
    with pytest.raises(kb.DataError, match="have 2 features, the model 3"):
        booster.predict(matrix(X[:, :2]))


def test_messages_stay_short() -> None:
    wide = pd.DataFrame(RNG.normal(size=(20, 400)), columns=[f"feature_number_{i}" for i in range(400)])
    booster = kb.train({}, kb.DMatrix(wide, label=wide.iloc[:, 0]), 1, verbose_eval=False)
    with pytest.raises(kb.DataError) as renamed:
        booster.predict(kb.DMatrix(wide.rename(columns={"feature_number_7": "foo"})))
    assert "Lacking: 'feature_number_7'; unknown: 'foo'." in str(renamed.value)
    assert len(str(renamed.value)) < 250
    with pytest.raises(kb.DataError) as all_others:
        booster.inplace_predict(wide.add_prefix("x"))
    text = str(all_others.value)
    assert text.count("and 390 more") == 2
    assert "'feature_number_9'" in text
    assert "'feature_number_10'" not in text
    with pytest.raises(kb.DataError, match="'feature_number_9' and 390 more"):
        booster.predict(kb.DMatrix(wide.to_numpy()))


# ---- state after failed calls ----


def refusals(data: kb.DMatrix, named: kb.DMatrix) -> dict[str, Callable[[kb.Booster], Any]]:
    other = kb.DMatrix(np.round(X), label=Y, feature_names=["a", "b", "c"], feature_types=["c", "c", "c"])
    bad = kb.DMatrix(FRAME, label=Y - 7)
    return {
        "short gradients": lambda booster: booster.boost(named, 3, np.zeros(59), np.ones(59)),
        "bad labels": lambda booster: booster.update(bad, 3),
        "other types": lambda booster: booster.update(other, 3),
        "an objective that fails": lambda booster: booster.update(named, 3, lambda *_: 1 / 0),
        "more columns": lambda booster: booster.update(kb.DMatrix(FRAME.assign(zip=1.0), label=Y), 3),
        "predictions": lambda booster: booster.predict(kb.DMatrix(FRAME.assign(zip=1.0))),
    }


@pytest.mark.parametrize("kind", list(refusals(matrix(X), matrix(FRAME))))
def test_a_refused_call_leaves_no_names(kind: str) -> None:
    data = matrix(X)
    booster = train(data)
    before = bytes(booster.save_raw("json"))
    predicted = booster.predict(data)
    with pytest.raises((kb.DataError, ZeroDivisionError)):
        refusals(data, matrix(FRAME))[kind](booster)
    assert booster.feature_names is None
    assert booster.feature_types is None
    assert bytes(booster.save_raw("json")) == before
    np.testing.assert_array_equal(booster.predict(data), predicted)
    booster.update(data, 3)


def test_types_of_refused_data_stay_out() -> None:
    named = kb.DMatrix(X, label=Y, feature_names=NAMES)
    booster = train(named)
    other = kb.DMatrix(np.round(X), label=Y, feature_names=["a", "b", "c"], feature_types=["c", "c", "c"])
    with pytest.raises(kb.DataError, match="feature_names mismatch"):
        booster.update(other, 3)
    assert booster.feature_types is None
    booster.update(named, 3)
    booster.get_dump()
    booster.trees_to_dataframe()


@pytest.mark.parametrize("how", ["update", "boost", "own objective"])
def test_a_model_without_names_takes_those_that_it_learns_from(how: str) -> None:
    booster = train(matrix(X))
    DOORS[how](booster, FRAME)
    assert booster.feature_names == NAMES
    assert booster.feature_types == ["float"] * 3
    with pytest.raises(kb.DataError, match="another order"):
        booster.update(matrix(FRAME[NAMES[::-1]]), 4)


# ---- names that are set ----


def test_names_of_a_booster_fit_its_columns(booster: kb.Booster) -> None:
    for field in ("feature_names", "feature_types"):
        with pytest.raises(kb.ParameterError, match=r"Incorrect number of feature .*: 1 for a booster of 3 features"):
            setattr(booster, field, ["q"])
    with pytest.raises(kb.DataError, match="'a' is given twice"):
        booster.feature_names = ["a", "a", "b"]
    assert booster.feature_names == NAMES
    booster.feature_names = ["a", "b", "c"]
    booster.feature_names = None
    assert booster.feature_names is None


def test_names_that_come_before_the_columns() -> None:
    booster = kb.Booster(PARAMS)
    booster.feature_names = ["a"]
    with pytest.raises(kb.DataError, match="Incorrect number of feature names: the booster was given 1"):
        booster._update_again(matrix(X), 0, None)
    booster.feature_names = NAMES
    booster.update(matrix(FRAME), 0)
    with pytest.raises(kb.DataError, match="another order"):
        booster.update(matrix(FRAME[NAMES[::-1]]), 1)


def test_announced_data_agree() -> None:
    with pytest.raises(kb.DataError, match="another order"):
        train(matrix(FRAME), evals=[(matrix(FRAME[NAMES[::-1]]), "test")])
    with pytest.raises(kb.DataError, match="another order"):
        kb.Booster(PARAMS, [matrix(FRAME), matrix(FRAME[NAMES[::-1]])])


def test_cuts_are_of_the_same_columns() -> None:
    with pytest.raises(kb.DataError, match="the features of `ref` in another order"):
        kb.QuantileDMatrix(FRAME[NAMES[::-1]], label=Y, ref=quantile(FRAME))


# ---- estimators ----


ESTIMATORS: dict[str, Callable[[Any, pd.DataFrame], Any]] = {
    "predict": lambda model, table: model.predict(table),
    "predict many": lambda model, table: model.predict(pd.concat([table] * 40)),
    "predict_proba": lambda model, table: model.predict_proba(table),
    "apply": lambda model, table: model.apply(table),
    "score": lambda model, table: model.score(table, Y),
    "staged_predict": lambda model, table: list(model.staged_predict(table)),
    "predict polars": lambda model, table: model.predict(pl.DataFrame(table)),
    "explain": lambda model, table: kb.explain(model, table),
    "refit": lambda model, table: model.refit(table, Y),
    "fit on": lambda model, table: kb.KauriClassifier(n_estimators=1).fit(table, Y, xgb_model=model),
    "eval_set": lambda _, table: kb.KauriClassifier(n_estimators=1).fit(FRAME, Y, eval_set=[(table, Y)]),
}


@pytest.mark.parametrize("cell", REFUSED)
@pytest.mark.parametrize("door", ESTIMATORS)
def test_estimators_name_what_differs(door: str, cell: str) -> None:
    model = kb.KauriClassifier(n_estimators=3).fit(FRAME, Y)
    ESTIMATORS[door](model, FRAME)
    table, message = REFUSED[cell]
    with pytest.raises(kb.DataError) as refused:
        ESTIMATORS[door](model, table)
    assert message in str(refused.value)
    hints = door.startswith(("predict", "apply", "score", "staged", "refit")) and cell == "swapped"
    assert ("X[model.feature_names_in_]" in str(refused.value)) == hints


def test_estimators_count_arrays() -> None:
    model = kb.KauriRegressor(n_estimators=3).fit(X, Y)
    for table in (X[:, :2], np.hstack([X, X])):
        with pytest.raises(ValueError, match=f"X has {table.shape[1]} features, but KauriRegressor is expecting 3"):
            model.predict(table)
