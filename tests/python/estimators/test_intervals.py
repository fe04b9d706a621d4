"""Calibrated quantiles: shifts by the definition, coverage, files, and invalidation of the calibration."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pytest

pytest.importorskip("sklearn")
SMALL: dict[str, Any] = {"n_estimators": 25, "max_depth": 3, "learning_rate": 0.3}
PARAMS: dict[str, Any] = {"quantile_alpha": [0.1, 0.5, 0.8], "max_depth": 3, "eta": 0.3}


def make_rows(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)).astype(np.float32)
    return X, (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=n) * (0.3 + np.abs(X[:, 2]))).astype(np.float32)


def plain(X: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None) -> kb.Booster:
    params = {"objective": "reg:quantileerror", **PARAMS}
    return kb.train(params, kb.DMatrix(X, label=y, weight=weight), 15, verbose_eval=False)


def shift_by_definition(level: float, residuals: np.ndarray) -> float:
    """Return the k-th smallest residual: k = ceil(q (n + 1)) above the median, floor below it."""
    ordered, n = np.sort(residuals), len(residuals)
    if level == 0.5:
        return float(np.median(ordered))
    k = math.ceil(level * (n + 1)) if level > 0.5 else math.floor(level * (n + 1) + 1e-9)
    return float(ordered[k - 1])


@pytest.mark.parametrize("n_calibration", [9, 50, 301])
def test_shifts_of_calibration_rows(n_calibration: int) -> None:
    X, y = make_rows(300, 0)
    other = make_rows(n_calibration, 1)
    booster = kb.train_quantiles(PARAMS, kb.DMatrix(X, label=y), 15, calibration=kb.DMatrix(*other))
    margins = plain(X, y).predict(kb.DMatrix(other[0]), output_margin=True)
    expected = [shift_by_definition(q, other[1] - margins[:, k]) for k, q in enumerate(PARAMS["quantile_alpha"])]
    kept = json.loads(booster.attr("kauri_calibration") or "")
    np.testing.assert_allclose(kept["shifts"], expected, atol=1e-5)
    assert (kept["quantiles"], kept["rows"], kept["rounds"]) == ([0.1, 0.5, 0.8], n_calibration, 15)
    calibrated = booster.predict(kb.DMatrix(other[0]), output_margin=True)
    np.testing.assert_allclose(calibrated, margins + expected, atol=1e-5)
    # includes the row that determines the shift
    assert (other[1] <= calibrated[:, 2]).sum() >= math.ceil(0.8 * (n_calibration + 1))
    assert (other[1] >= calibrated[:, 0]).sum() >= math.ceil(0.9 * (n_calibration + 1) - 1e-9)


def test_shifts_of_folds() -> None:
    X, y = make_rows(200, 2)
    rows = [(np.arange(100, 200), np.arange(100)), (np.arange(100), np.arange(100, 200))]
    booster = kb.train_quantiles(PARAMS, kb.DMatrix(X, label=y), 15, folds=rows)
    residuals = np.empty((200, 3))
    for learnt, held in rows:
        margins = plain(X[learnt], y[learnt]).predict(kb.DMatrix(X[held]), output_margin=True)
        residuals[held] = y[held, None] - margins
    expected = [shift_by_definition(q, residuals[:, k]) for k, q in enumerate(PARAMS["quantile_alpha"])]
    np.testing.assert_allclose(json.loads(booster.attr("kauri_calibration") or "")["shifts"], expected, atol=1e-5)


def test_a_weight_of_two_is_a_row_twice() -> None:
    X, y = make_rows(120, 3)
    other = make_rows(40, 4)
    weights = 1 + np.arange(40) % 2
    twice = np.repeat(np.arange(40), weights)
    data = kb.DMatrix(X, label=y)
    weighted = kb.DMatrix(*other, weight=weights)
    repeated = kb.DMatrix(other[0][twice], label=other[1][twice])
    shifts = [
        json.loads(kb.train_quantiles(PARAMS, data, 5, calibration=rows).attr("kauri_calibration") or "")["shifts"]
        for rows in (weighted, repeated)
    ]
    assert shifts[0][1] == shifts[1][1]  # the other rows add rows of the mean weight to 40 and to 60 rows


def test_labels_that_are_all_alike_are_within() -> None:
    X = np.ones((200, 1), np.float32)
    y = np.repeat([0.1, 12345.678], 100).astype(np.float32)
    model = kb.KauriRegressor(n_estimators=3).fit_intervals(X, y)
    ends = model.predict_interval(X)
    assert ((ends[:, 0] <= y) & (y <= ends[:, 1])).all()


@pytest.mark.parametrize("how", [{}, {"nfold": 3}, {"calibration_set": make_rows(600, 6)}])
def test_coverage(how: dict[str, Any]) -> None:
    """Plain quantiles of an overfitted model cover far fewer labels."""
    X, y = make_rows(600, 5)
    new, labels = make_rows(20000, 7)
    flexible = {"n_estimators": 60, "max_depth": 6, "learning_rate": 0.3}
    model = kb.KauriRegressor(**flexible).fit_intervals(X, y, coverage=0.8, **how)
    ends = model.predict_interval(new)
    below, above = (labels < ends[:, 0]).mean(), (labels > ends[:, 1]).mean()
    assert below == pytest.approx(0.1, abs=0.035)
    assert above == pytest.approx(0.1, abs=0.035)
    quantiles = kb.KauriRegressor(objective="reg:quantileerror", quantile_alpha=[0.1, 0.9], **flexible).fit(X, y)
    loose = quantiles.predict(new)
    assert ((loose[:, 0] <= labels) & (labels <= loose[:, 1])).mean() < 0.72


def test_files_and_predictions(tmp_path: Path) -> None:
    X, y = make_rows(300, 8)
    model = kb.KauriRegressor(**SMALL).fit_intervals(X, y, coverage=0.9)
    ends, middle = model.predict_interval(X), model.predict(X)
    assert (ends.shape, middle.shape) == ((300, 2), (300,))
    assert (ends[:, 0] <= middle).all()
    assert (middle <= ends[:, 1]).all()
    assert model.score(X, y) > 0.5
    model.save_model(tmp_path / "model.ubj")
    loaded = kb.KauriRegressor()
    loaded.load_model(tmp_path / "model.ubj")
    np.testing.assert_array_equal(loaded.predict_interval(X), ends)
    np.testing.assert_array_equal(loaded.predict(X), middle)
    raw = kb.Booster(model_file=tmp_path / "model.ubj").predict(kb.DMatrix(X))
    np.testing.assert_array_equal(raw, np.column_stack([ends[:, 0], middle, ends[:, 1]]))
    again = kb.KauriRegressor(**SMALL).fit_intervals(X, y, coverage=0.9)
    assert again.get_booster().save_raw() == model.get_booster().save_raw()
    other_folds = kb.KauriRegressor(random_state=1, **SMALL).fit_intervals(X, y, coverage=0.9)
    assert (other_folds.predict_interval(X) != ends).any()


def test_xgboost_predicts_the_same(tmp_path: Path) -> None:
    xgboost = pytest.importorskip("xgboost")
    X, y = make_rows(200, 9)
    booster = kb.train_quantiles(PARAMS, kb.DMatrix(X, label=y), 8)
    booster.save_model(tmp_path / "model.json")
    peer = xgboost.Booster(model_file=tmp_path / "model.json").predict(xgboost.DMatrix(X), output_margin=True)
    np.testing.assert_allclose(booster.predict(kb.DMatrix(X), output_margin=True), peer, rtol=1e-5, atol=1e-5)


def test_what_ends_a_calibration() -> None:
    X, y = make_rows(200, 10)
    model = kb.KauriRegressor(**SMALL).fit_intervals(X, y)
    longer = kb.KauriRegressor(objective="reg:quantileerror", quantile_alpha=[0.05, 0.5, 0.95], n_estimators=2)
    longer.fit(X, y, xgb_model=model)
    with pytest.raises(ValueError, match="calibrated for 25 rounds, the model has 27; call"):
        longer.predict_interval(X)
    with pytest.raises(ValueError, match="base_margin would replace the intercepts"):
        model.predict(X, base_margin=np.zeros((200, 3)))
    ends = model.predict_interval(X)
    for wrong in ({"coverage": 1.0}, {"nfold": 1}, {"coverage": 0.999}):
        with pytest.raises(ValueError):
            model.fit_intervals(X, y, **wrong)
    np.testing.assert_array_equal(model.predict_interval(X), ends)
    assert model.fit(X, y).predict(X).shape == (200,)
    with pytest.raises(ValueError, match="the model has no intervals; call fit_intervals"):
        model.predict_interval(X)


@pytest.mark.parametrize(
    ("choice", "how", "message"),
    [
        ({}, {"coverage": 0.0}, "coverage is 0.0; expected a share"),
        ({}, {"coverage": 0.999}, "the quantile 0.0005 needs 1999 calibration rows, got 200"),
        ({"objective": "reg:squarederror"}, {}, "objective is 'reg:squarederror'; quantiles are trained with"),
        ({"objective": lambda y, margins: (margins - y, margins * 0 + 1)}, {}, "objective is a function"),
        ({"booster": "gblinear"}, {}, "booster is 'gblinear', which learns intercepts"),
        ({"early_stopping_rounds": 2}, {}, "early_stopping_rounds does not go with fit_intervals"),
        ({"callbacks": [kb.callback.EvaluationMonitor()]}, {}, "callbacks does not go with fit_intervals"),
        ({"quantile_alpha": 0.5}, {}, "quantile_alpha follows from coverage"),
        ({}, {"calibration_set": make_rows(50, 1), "sample_weight": np.ones(200)}, "are both given"),
    ],
)
def test_refusals_of_estimators(choice: dict[str, Any], how: dict[str, Any], message: str) -> None:
    X, y = make_rows(200, 11)
    with pytest.raises(ValueError, match=message):
        kb.KauriRegressor(**choice).fit_intervals(X, y, **how)


def test_refusals() -> None:
    X, y = make_rows(100, 12)
    data = kb.DMatrix(X, label=y)
    with pytest.raises(kb.ParameterError, match="quantile_alpha is not given"):
        kb.train_quantiles({}, data, 2)
    with pytest.raises(kb.DataError, match=r"labels of the shape \(100, 2\) for 100 rows"):
        kb.train_quantiles(PARAMS, kb.DMatrix(X, label=np.column_stack([y, y])), 2)
    with pytest.raises(kb.DataError, match="calibration has labels of the shape"):
        kb.train_quantiles(PARAMS, data, 2, calibration=kb.DMatrix(X))
    with pytest.raises(kb.DataError, match="dtrain has base margins"):
        kb.train_quantiles(PARAMS, kb.DMatrix(X, label=y, base_margin=y), 2)


def test_refusal_on_a_cluster() -> None:
    pytest.importorskip("distributed")
    from kauriboost.dask import DaskKauriRegressor, DaskKauriRFRegressor

    X, y = make_rows(50, 13)
    for estimator in (DaskKauriRegressor(), DaskKauriRFRegressor()):
        with pytest.raises(ValueError, match=r"needs the rows in one process; use kauriboost\.KauriRegressor"):
            estimator.fit_intervals(X, y)


def test_forests_have_intervals() -> None:
    X, y = make_rows(400, 14)
    new, labels = make_rows(5000, 15)
    ends = kb.KauriRFRegressor(n_estimators=30, max_depth=4).fit_intervals(X, y, coverage=0.8).predict_interval(new)
    assert ((ends[:, 0] <= labels) & (labels <= ends[:, 1])).mean() == pytest.approx(0.8, abs=0.05)
