"""fit_best: many columns, texts, survival times and several targets."""

from __future__ import annotations

import logging
import pickle
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import KFold, TimeSeriesSplit

RNG = np.random.default_rng(12)
N = 300
ROWS = RNG.normal(size=(N, 4)).astype(np.float32)
TIMES = np.exp(ROWS[:, 0] + 0.3 * RNG.normal(size=N)).astype(np.float32)
END = np.exp(RNG.normal(size=N) + 1).astype(np.float32)  # of the observation
SEEN = np.minimum(TIMES, END)
BOUNDS: dict[str, Any] = {"label_lower_bound": SEEN, "label_upper_bound": np.where(TIMES <= END, SEEN, np.inf)}
FEW: dict[str, Any] = {"rounds_budget": 40, "nfold": 3}


def same_on_one_thread(found: kb.BestFit, X: Any, y: Any = None, **told: Any) -> bool:
    """Return whether one thread finds the same model."""
    told["params"] = {**told.get("params", {}), "nthread": 1}
    return kb.fit_best(X, y, **told).booster.save_raw() == found.booster.save_raw()


def concordance(risk: np.ndarray) -> float:
    """Return the share of comparable pairs in which the row with the earlier event has the higher risk."""
    earlier = (SEEN[:, None] < SEEN[None, :]) & (TIMES <= END)[:, None]
    return float((risk[:, None] > risk[None, :])[earlier].mean())


def test_more_columns_than_rows() -> None:
    rng = np.random.default_rng(2)
    wide = rng.normal(size=(150, 1000)).astype(np.float32)
    labels = wide[:, 7] + wide[:, 70] + 0.2 * rng.normal(size=150)
    for y, less in ((labels, labels.std()), (np.digitize(labels, [-0.7, 0.7]), np.log(3))):
        found = kb.fit_best(wide, y, rounds_budget=60, nfold=3)
        assert found.score < 0.95 * less
        gains = found.booster.get_score(importance_type="total_gain")
        assert set(sorted(gains, key=lambda name: gains[name])[-2:]) == {"f7", "f70"}
    assert same_on_one_thread(found, wide, y, rounds_budget=60, nfold=3)


@pytest.mark.parametrize("library", ["object", "string", "polars"])
def test_texts_are_categories(library: str) -> None:
    towns = np.array(["Bonn", "Kiel", "Mainz", "Ulm"])
    town = np.random.default_rng(1).integers(0, 4, size=N)
    labels = np.array([0.0, 3.0, -2.0, 1.0])[town] + 0.3 * ROWS[:, 1]

    def frame(rows: slice) -> Any:
        texts = towns[town[rows]].tolist()
        if library == "polars":
            return pl.DataFrame({"town": texts, "number": ROWS[rows, 0]})
        return pd.DataFrame({"town": pd.Series(texts, dtype=library), "number": ROWS[rows, 0]})

    found = kb.fit_best(frame(slice(None)), labels, **FEW)
    assert found.score < 0.8
    assert same_on_one_thread(found, frame(slice(None)), labels, **FEW)
    few = slice(5, 8)  # the frame has other categories, in another order
    np.testing.assert_array_equal(found.predict(frame(few)), found.predict(frame(slice(None)))[few])
    names = kb.fit_best(frame(slice(None)), towns[town], groups=np.arange(N) // 3, **FEW)
    assert (names.predict(frame(few)) == towns[town[few]]).all()


def test_survival_times_with_bounds(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "kauriboost"):
        found = kb.fit_best(ROWS, **BOUNDS, **FEW)
    assert "objective=survival:aft is taken" in caplog.text
    assert found.metric == "aft-nloglik"
    assert found.classes_ is None
    assert concordance(-found.predict(ROWS)) > 0.75
    caplog.clear()
    told: dict[str, Any] = {"params": {"objective": "survival:aft"}, **FEW}
    again = kb.fit_best(ROWS, **BOUNDS, **told)
    assert not caplog.records
    assert again.booster.save_raw() == found.booster.save_raw()
    assert kb.fit_best(kb.DMatrix(ROWS, **BOUNDS), **FEW).booster.save_raw() == found.booster.save_raw()
    assert same_on_one_thread(found, ROWS, **BOUNDS, **told)
    apart = kb.fit_best(ROWS, groups=np.arange(N) // 5, **BOUNDS, **told)
    assert concordance(-apart.predict(ROWS)) > 0.75


@pytest.mark.parametrize("splitter", [KFold(3), TimeSeriesSplit(3)])
def test_survival_times_and_a_splitter(splitter: Any) -> None:
    found = kb.fit_best(ROWS, folds=splitter, rounds_budget=20, **BOUNDS)
    again = kb.fit_best(ROWS, folds=list(splitter.split(ROWS)), rounds_budget=20, **BOUNDS)
    assert again.booster.save_raw() == found.booster.save_raw()


@pytest.mark.parametrize("is_matrix", [False, True])
def test_labels_and_bounds_need_an_objective(is_matrix: bool) -> None:
    labels = ROWS[:, 1] * 3
    given: dict[str, Any] = (
        {"X": kb.DMatrix(ROWS, labels, **BOUNDS)} if is_matrix else {"X": ROWS, "y": labels, **BOUNDS}
    )
    for params in ({}, {"eval_metric": "rmse"}):
        with pytest.raises(kb.ParameterError, match=r"both labels .* and bounds of times; pass one of them, or"):
            kb.fit_best(**given, params=params, **FEW)
    of_bounds = kb.fit_best(**given, params={"objective": "survival:aft"}, **FEW)
    assert of_bounds.predict(ROWS).tolist() == kb.fit_best(ROWS, **BOUNDS, **FEW).predict(ROWS).tolist()
    of_labels = kb.fit_best(**given, params={"objective": "reg:squarederror"}, **FEW)
    assert of_labels.predict(ROWS).tolist() == kb.fit_best(ROWS, labels, **FEW).predict(ROWS).tolist()


def test_survival_times_with_signs() -> None:
    told: dict[str, Any] = {"params": {"objective": "survival:cox"}, **FEW}
    labels = np.where(TIMES <= END, SEEN, -SEEN)
    found = kb.fit_best(ROWS, labels, **told)
    assert found.metric == "cox-nloglik"
    assert concordance(found.predict(ROWS)) > 0.75
    assert same_on_one_thread(found, ROWS, labels, **told)


@pytest.mark.parametrize("strategy", ["one_output_per_tree", "multi_output_tree"])
def test_several_targets(strategy: str) -> None:
    table = np.column_stack([ROWS[:, 0], ROWS[:, 1] * ROWS[:, 2]])
    told: dict[str, Any] = {"params": {"multi_strategy": strategy}, "rounds_budget": 160, "nfold": 3}
    found = kb.fit_best(ROWS, table, groups=np.arange(N) // 5, **told)
    assert found.score < 0.6
    assert found.predict(ROWS).shape == (N, 2)
    assert same_on_one_thread(found, ROWS, table, groups=np.arange(N) // 5, **told)
    labels = (table > 0).astype(int)
    told["params"]["objective"] = "binary:logistic"
    assert kb.fit_best(ROWS, labels, **told).score < 0.6


@pytest.mark.parametrize("has_classes", [False, True])
def test_the_value_for_missing_data_stays_with_the_model(has_classes: bool, tmp_path: Path) -> None:
    is_gap = np.random.default_rng(4).random(ROWS.shape) < 0.3
    coded, blank = np.where(is_gap, -999, ROWS), np.where(is_gap, np.nan, ROWS)
    y = np.where(is_gap[:, 0], 3 * ROWS[:, 1], ROWS[:, 0])
    labels = np.where(y > 0, "yes", "no") if has_classes else y
    found = kb.fit_best(coded, labels, missing=-999, **FEW)
    plain = kb.fit_best(blank, labels, **FEW)
    assert plain.booster.attr("kauri_missing") is None
    for each in (found, pickle.loads(pickle.dumps(found))):
        np.testing.assert_array_equal(each.predict(coded), plain.predict(blank))
        np.testing.assert_array_equal(each.predict(blank), plain.predict(blank))
        np.testing.assert_array_equal(each.predict(kb.DMatrix(coded, missing=-999)), plain.predict(blank))
    contributions = [kb.explain(model, rows).values for model, rows in ((found, coded), (plain, blank))]
    np.testing.assert_array_equal(*contributions)
    if has_classes:
        np.testing.assert_array_equal(found.predict_proba(coded), plain.predict_proba(blank))
    found.save_model(tmp_path / "model.json")
    loaded = kb.KauriClassifier() if has_classes else kb.KauriRegressor()
    loaded.load_model(tmp_path / "model.json")
    assert loaded.missing == -999
    np.testing.assert_array_equal(loaded.predict(coded), plain.predict(blank))
    found.booster.set_attr(kauri_missing=None)
    assert found.booster.save_raw() == plain.booster.save_raw()
