"""Rows with values on thresholds take the same branches as in the original library, and levels are compared by name."""

from __future__ import annotations

from pathlib import Path

import kauriboost as kb
import lightgbm as lgb
import numpy as np
import pandas as pd
import pytest
from kauriboost.forests import from_lightgbm, from_sklearn, thresholds_of_doubles
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor


def test_thresholds_divide_doubles() -> None:
    generator = np.random.default_rng(1)
    limits = np.concatenate([generator.normal(size=500), generator.normal(size=500).round(2), [0.0, 0.1, -0.3, 1e9]])
    for rows in (limits, np.nextafter(limits.astype("f").astype("f8"), -np.inf), limits - 1e-3):
        sides = rows.astype("f")[:, None] < thresholds_of_doubles(limits)
        right = rows[:, None] <= limits
        same_float = rows.astype("f")[:, None] == limits.astype("f")
        np.testing.assert_array_equal(sides[~same_float], right[~same_float])
        assert np.all(sides[right])


@pytest.mark.parametrize("decimals", [0, 1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("gaps", [False, True])
def test_rows_on_thresholds(decimals: int, gaps: bool) -> None:
    generator = np.random.default_rng(decimals)
    rows = (generator.normal(size=(2000, 4)) * 3).round(decimals)
    if gaps:
        rows[::5, 1] = np.nan
    label = rows[:, 0] + np.nan_to_num(rows[:, 1]) ** 2
    old, new = rows[:500], rows
    regressor = HistGradientBoostingRegressor(max_iter=15).fit(old, label[:500])
    classifier = HistGradientBoostingClassifier(max_iter=8).fit(old, label[:500] > 5)
    np.testing.assert_allclose(from_sklearn(regressor).predict(kb.DMatrix(new)), regressor.predict(new), atol=1e-4)
    expected = classifier.predict_proba(new)[:, 1]
    np.testing.assert_allclose(from_sklearn(classifier).predict(kb.DMatrix(new)), expected, atol=1e-4)
    for settings in ({}, {"use_missing": False}, {"objective": "multiclass", "num_class": 3}):
        labels = np.digitize(label, [1, 8]) if "num_class" in settings else label
        parameters = {"verbose": -1, "num_threads": 1, "min_data_in_leaf": 5, "seed": 1, **settings}
        learnt = lgb.train(parameters, lgb.Dataset(old, labels[:500]), 15)
        np.testing.assert_allclose(from_lightgbm(learnt).predict(kb.DMatrix(new)), learnt.predict(new), atol=1e-4)


def frame(seed: int, turned: bool) -> pd.DataFrame:
    generator = np.random.default_rng(seed)

    def levels(values: list[object]) -> list[object]:
        return values[::-1] if turned else values

    return pd.DataFrame(
        {
            "town": pd.Categorical(generator.choice(list("abcd"), 900), categories=levels(list("abcd"))),
            "size": pd.Categorical(generator.choice(list("sml"), 900), categories=levels(list("sml")), ordered=True),
            "code": pd.Categorical(generator.integers(3, 6, 900), categories=levels([3, 4, 5])),
            "x": generator.normal(size=900).round(2),
        }
    )


def target(rows: pd.DataFrame) -> pd.Series:
    town = rows.town.map({"a": 0, "b": 3, "c": 1, "d": 7}).astype(float)
    size = rows["size"].map({"s": 0, "m": 5, "l": 1}).astype(float)
    return town + size + rows.code.astype(float) ** 2 + rows.x


@pytest.mark.parametrize(
    "columns", [["town", "x"], ["town", "code", "x"], ["town", "size", "code", "x"], ["size", "x"]]
)
def test_names_of_lightgbm(columns: list[str], tmp_path: Path) -> None:
    rows = frame(0, False)
    settings = {"verbose": -1, "num_threads": 1, "min_data_per_group": 1, "cat_smooth": 0}
    learnt = lgb.train(settings, lgb.Dataset(rows[columns], target(rows)), 30)
    learnt.save_model(tmp_path / "model.txt")
    for model in (from_lightgbm(learnt), from_lightgbm(tmp_path / "model.txt")):
        assert model.feature_names == columns
        for other in (rows[columns], frame(1, True)[columns]):
            expected = learnt.predict(other)
            np.testing.assert_allclose(model.predict(kb.DMatrix(other)), expected, atol=1e-4)
            np.testing.assert_allclose(model.inplace_predict(other), expected, atol=1e-4)
        again = kb.Booster(model_file=model.save_raw("json"))
        np.testing.assert_allclose(again.predict(kb.DMatrix(frame(1, True)[columns])), expected, atol=1e-4)


def test_an_unseen_level_is_judged_by_name() -> None:
    rows = frame(0, False)[["town", "x"]]
    model = from_lightgbm(lgb.train({"verbose": -1}, lgb.Dataset(rows, target(frame(0, False))), 3))
    unseen = pd.DataFrame({"town": pd.Categorical(["elsewhere"]), "x": [0.5]})
    with pytest.raises(kb.DataError, match="'elsewhere'"):
        model.predict(kb.DMatrix(unseen))


def test_lists_of_nobody_are_refused() -> None:
    rows = frame(0, False)[["size", "x"]].assign(whole=lambda f: np.arange(len(f)) % 3)
    learnt = lgb.train({"verbose": -1}, lgb.Dataset(rows, target(frame(0, False))), 3)
    with pytest.raises(kb.ModelError, match="does not say which columns"):
        from_lightgbm(learnt)


@pytest.mark.parametrize("chosen", ["from_dtype", ["town", "code"]], ids=str)
def test_names_of_histogram_boosting(chosen: object) -> None:
    columns = ["town", "code", "x"]
    rows = frame(0, False)
    learnt = HistGradientBoostingRegressor(max_iter=20, categorical_features=chosen).fit(rows[columns], target(rows))
    model = from_sklearn(learnt)
    for other in (rows[columns], frame(1, True)[columns]):
        np.testing.assert_allclose(model.predict(kb.DMatrix(other)), learnt.predict(other), atol=1e-4)
