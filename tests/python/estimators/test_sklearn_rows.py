"""Row arguments of the estimators: evaluation sets, base margins, names of columns, queries in a column."""

from __future__ import annotations

import warnings
from pathlib import Path

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest
import xgboost
from kauriboost.sklearn import KauriClassifier, KauriRanker, KauriRegressor

Table = tuple[np.ndarray, np.ndarray]
SMALL = {"n_estimators": 4, "max_depth": 3}


@pytest.fixture(scope="module")
def frame(regression: Table) -> pd.DataFrame:
    return pd.DataFrame(regression[0], columns=list("abcde"))


# ---- evaluation sets ----


@pytest.mark.parametrize("argument", ["sample_weight_eval_set", "base_margin_eval_set"])
def test_no_evaluation_set_is_dropped(regression: Table, argument: str) -> None:
    X, y = regression
    for model in (KauriRegressor(**SMALL), KauriClassifier(**SMALL)):
        with pytest.raises(ValueError, match=f"eval_set has 2 pairs and {argument} 1 entries"):
            model.fit(X, y > 0, eval_set=[(X, y > 0), (X, y > 0)], **{argument: [np.ones(len(y))]})
        with pytest.raises(ValueError, match=f"eval_set has 0 pairs and {argument} 1 entries"):
            model.fit(X, y > 0, **{argument: [np.ones(len(y))]})
    with pytest.raises(ValueError, match="eval_set has 1 pairs and eval_qid 2 entries"):
        KauriRanker().fit(X, y > 0, group=[500], eval_set=[(X, y > 0)], eval_qid=[[0] * 500] * 2)
    with pytest.raises(ValueError, match=r"list of \(X, y\) pairs"):
        KauriRegressor().fit(X, y, eval_set=(X, y))


def test_weights_and_margins_of_evaluation_sets(regression: Table) -> None:
    X, y = regression
    margins, weights = np.linspace(-1, 1, 500), np.linspace(0, 2, 500)
    model = KauriRegressor(eval_metric="mae", **SMALL)
    by_set = {"sample_weight_eval_set": np.stack([weights, weights]), "base_margin_eval_set": [None, margins]}
    model.fit(X, y, eval_set=[(X, y), (X, y)], **by_set)
    results = model.evals_result()
    expected = [np.average(np.abs(model.predict(X, base_margin=m) - y), weights=weights) for m in (None, margins)]
    assert [results[f"validation_{i}"]["mae"][-1] for i in (0, 1)] == pytest.approx(expected, rel=1e-5)


# ---- arguments of fit and predict ----


def test_base_margins(binary: Table) -> None:
    X, y = binary
    margins = np.linspace(-1, 1, len(y))
    model = KauriClassifier(**SMALL).fit(X, y, base_margin=margins)
    expected = model.get_booster().predict(kb.DMatrix(X, base_margin=margins))
    np.testing.assert_array_equal(model.predict_proba(X, base_margin=margins)[:, 1], expected)
    np.testing.assert_array_equal(model.predict(X, base_margin=margins), expected > 0.5)
    np.testing.assert_allclose(
        model.predict(X, base_margin=margins, output_margin=True),
        np.log(expected / (1 - expected)),
        rtol=1e-3,
        atol=1e-5,
    )


def test_feature_weights(regression: Table) -> None:
    X, y = regression
    weights = [0, 0, 1, 1, 1]
    given = KauriRegressor(colsample_bynode=0.5, **SMALL).fit(X, y, feature_weights=weights)
    told = KauriRegressor(colsample_bynode=0.5, feature_weights=weights, **SMALL).fit(X, y)
    assert given.feature_importances_[:2].tolist() == [0, 0]
    np.testing.assert_array_equal(given.predict(X), told.predict(X))
    with pytest.raises(ValueError, match="leave one of them out"):
        told.fit(X, y, feature_weights=weights)


def test_masked_targets(regression: Table) -> None:
    X, y = regression
    masked = np.ma.masked_array(y, mask=y > 1)
    for model in (KauriRegressor(), KauriClassifier()):
        with pytest.raises(ValueError, match="y has masked elements"):
            model.fit(X, masked)
    with pytest.raises(ValueError, match="y has masked elements"):
        KauriRegressor(**SMALL).fit(X, y, eval_set=[(X, masked)])


# ---- names ----


def test_arrays_after_frames(regression: Table, frame: pd.DataFrame) -> None:
    X, y = regression
    model = KauriRegressor(**SMALL).fit(frame, y)
    with pytest.warns(UserWarning, match="X does not have valid feature names, but KauriRegressor was fitted with"):
        predictions = model.predict(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(model.predict(frame), predictions)
        np.testing.assert_array_equal(model.predict(X, validate_features=False), predictions)
        np.testing.assert_array_equal(
            model.predict(frame.set_axis(list("vwxyz"), axis=1), validate_features=False), predictions
        )
    with pytest.raises(kb.DataError, match="unknown"):
        model.predict(frame.set_axis(list("vwxyz"), axis=1))
    with pytest.raises(ValueError, match="X has 4 features"):
        model.predict(X[:, :4])
    with pytest.warns(UserWarning, match="valid feature names"):
        model.fit(frame, y, eval_set=[(X, y)])


def test_names_are_those_of_the_last_fit(regression: Table, frame: pd.DataFrame, tmp_path: Path) -> None:
    X, y = regression
    model = KauriRegressor(**SMALL).fit(frame, y)
    assert model.feature_names_in_.tolist() == list("abcde")
    model.save_model(tmp_path / "named.json")
    for unnamed in (X, frame.set_axis(range(5), axis=1)):
        assert not hasattr(model.fit(frame, y).fit(unnamed, y), "feature_names_in_")
    model.save_model(tmp_path / "unnamed.json")
    model.load_model(tmp_path / "named.json")
    assert model.feature_names_in_.tolist() == list("abcde")
    KauriRegressor.fit(model, X, y)
    model.load_model(tmp_path / "unnamed.json")
    polars = pytest.importorskip("polars")
    assert model.fit(polars.DataFrame(X, schema=list("vwxyz")), y).feature_names_in_.tolist() == list("vwxyz")
    arrow = pytest.importorskip("pyarrow").table({name: X[:, i] for i, name in enumerate("klmno")})
    assert model.fit(arrow, y).feature_names_in_.tolist() == list("klmno")


def test_the_configuration_is_read_once(regression: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = regression
    model = KauriRegressor(early_stopping_rounds=2, **SMALL).fit(X, y, eval_set=[(X, y)])
    monkeypatch.setattr(kb.Booster, "save_config", lambda _: pytest.fail("predict reads the configuration"))
    assert model.predict(X[:1]).shape == (1,)


# ---- queries ----


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_queries_in_a_column(library: str) -> None:
    rng = np.random.default_rng(0)
    X, y, qid = rng.normal(size=(60, 3)), rng.integers(0, 4, 60), np.repeat(np.arange(6), 10)
    columns = {"a": X[:, 0], "qid": qid, "b": X[:, 1], "c": X[:, 2]}
    make = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}[library]
    table = getattr(pytest.importorskip(library), make)(columns)
    model = KauriRanker(**SMALL).fit(table, y, eval_set=[(table, y)])
    plain = KauriRanker(**SMALL).fit(X, y, qid=qid, eval_set=[(X, y)], eval_qid=[qid])
    assert model.n_features_in_ == 3
    assert model.feature_names_in_.tolist() == list("abc")
    assert model.evals_result() == plain.evals_result()
    np.testing.assert_array_equal(model.predict(table), plain.predict(X))
    np.testing.assert_array_equal(model.apply(table), plain.apply(X))
    assert model.score(table, y) == plain.score(X, y, qid=qid)
    for twice in ({"qid": qid}, {"group": [10] * 6}):
        with pytest.raises(ValueError, match="they are there 2 times"):
            model.fit(table, y, **twice)
    if library == "pandas":
        theirs = xgboost.XGBRanker(tree_method="exact", **SMALL).fit(table, y)
        assert model.score(table, y) == pytest.approx(theirs.score(table, y), abs=0.1)
        shuffled = table.sample(frac=1, random_state=1)
        np.testing.assert_array_equal(model.predict(shuffled), model.predict(table)[shuffled.index])
