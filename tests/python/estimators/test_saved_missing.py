"""A model file of an estimator gives the same predictions for the same table, whatever happens in between."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pytest

RNG = np.random.default_rng(5)
X = RNG.normal(size=(240, 3))
Y = X[:, 0] + (X[:, 1] > 0)
X[::3, 0] = -999
SHIFTED = np.where(RNG.random(X.shape) < 0.2, np.nan, X)
GROUPS = np.repeat(np.arange(24), 10)

ESTIMATORS: dict[str, tuple[Any, dict[str, Any]]] = {
    "regressor": (kb.KauriRegressor(n_estimators=8, missing=-999), {}),
    "regressor of targets": (kb.KauriRegressor(n_estimators=4, missing=-999), {"y": np.column_stack([Y, -Y])}),
    "classifier": (kb.KauriClassifier(n_estimators=8, missing=-999), {"y": np.where(Y > 0.5, "yes", "no")}),
    "classifier of three": (kb.KauriClassifier(n_estimators=4, missing=-999), {"y": np.digitize(Y, [0, 1]) + 5}),
    "classifier of labels": (kb.KauriClassifier(n_estimators=4, missing=-999), {"y": np.column_stack([Y > 0, Y > 1])}),
    "ranker": (kb.KauriRanker(n_estimators=8, missing=-999), {"y": np.digitize(Y, [0, 1]), "qid": GROUPS}),
    "forest": (kb.KauriRFRegressor(n_estimators=8, missing=-999), {}),
    "forest of classes": (kb.KauriRFClassifier(n_estimators=8, missing=-999), {"y": Y > 0.5}),
    "preset": (kb.KauriRegressor(preset="best", rounds_budget=12, missing=-999), {}),
    "stopping": (
        kb.KauriRegressor(n_estimators=50, early_stopping_rounds=2, missing=-999, validation_fraction=0.3),
        {"y": RNG.normal(size=240)},
    ),
    "adaboost": (
        kb.KauriClassifier(n_estimators=8, booster="adaboost", objective="binary:logitraw", missing=-999),
        {"y": Y > 0.5},
    ),
    "hinge": (kb.KauriClassifier(n_estimators=8, objective="binary:hinge", missing=-999), {"y": Y > 0.5}),
    "own objective": (
        kb.KauriRegressor(n_estimators=8, objective=lambda y, p: (p - y, np.ones_like(y)), missing=-999),
        {},
    ),
    "categories": (kb.KauriRegressor(n_estimators=8, feature_types=["q", "c", "q"], missing=-999), {"codes": True}),
    "dart": (kb.KauriRegressor(n_estimators=8, booster="dart", rate_drop=0.5, missing=-999), {}),
    "linear": (kb.KauriRegressor(n_estimators=8, booster="gblinear", missing=-999), {}),
}


def rows(codes: bool) -> np.ndarray:
    table = X.copy()
    if codes:
        table[:, 1] = np.where(X[:, 1] > 0.7, -999, np.floor(3 * np.abs(X[:, 1])))
    return table


def answers(estimator: Any, table: np.ndarray) -> list[np.ndarray]:
    methods = [name for name in ("predict", "predict_proba") if hasattr(estimator, name)]
    return [getattr(estimator, name)(table) for name in methods]


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("ending", ["json", "ubj"])
def test_files_predict_what_the_estimator_does(name: str, ending: str, tmp_path: Path) -> None:
    estimator, how = ESTIMATORS[name]
    how = dict(how)
    table = rows(how.pop("codes", False))
    estimator.fit(table, how.pop("y", Y), **how)
    path = tmp_path / f"model.{ending}"
    estimator.save_model(path)
    again = type(estimator)()
    again.load_model(path)
    assert again.missing == -999
    expected = answers(estimator, table)
    for other in (again, pickle.loads(pickle.dumps(again))):
        for seen, wanted in zip(answers(other, table), expected, strict=True):
            np.testing.assert_array_equal(seen, wanted)
    few = [a[:3] for a in expected]
    for seen, wanted in zip(answers(again, table[:3]), few, strict=True):
        np.testing.assert_array_equal(seen, wanted)


def test_intervals_know_what_is_missing(tmp_path: Path) -> None:
    estimator = kb.KauriRegressor(n_estimators=8, missing=-999).fit_intervals(X, Y, coverage=0.5)
    estimator.save_model(tmp_path / "model.json")
    again = kb.KauriRegressor()
    again.load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(again.predict_interval(X), estimator.predict_interval(X))


def test_nan_alone_needs_no_attribute() -> None:
    for missing in (None, np.nan):
        booster = kb.KauriRegressor(n_estimators=2, missing=missing).fit(X, Y).get_booster()
        assert booster.attr("kauri_missing") is None


def test_contradictions_are_refused() -> None:
    content = bytes(kb.KauriRegressor(n_estimators=2, missing=-999).fit(X, Y).get_booster().save_raw())
    other = kb.KauriRegressor(missing=-1)
    with pytest.raises(ValueError, match="trained with missing=-999, and the estimator has missing=-1"):
        other.load_model(content)
    assert other.missing == -1
    same = kb.KauriRegressor(missing=-999)
    same.load_model(content)
    with pytest.raises(ValueError, match="trained with missing=-999, and the estimator has missing=nan"):
        kb.KauriRegressor(n_estimators=2).fit(X, Y, xgb_model=content)
    on = kb.KauriRegressor(n_estimators=2, missing=-999).fit(X, Y, xgb_model=content)
    assert on.get_booster().num_boosted_rounds() == 4


def test_a_value_may_be_given_for_files_that_know_none() -> None:
    content = bytes(kb.train({"max_depth": 2}, kb.DMatrix(X, Y, missing=-999), 4, verbose_eval=False).save_raw())
    estimator = kb.KauriRegressor(missing=-999)
    estimator.load_model(content)
    expected = kb.Booster(model_file=content).predict(kb.DMatrix(X, missing=-999))
    np.testing.assert_array_equal(estimator.predict(X), expected)


def test_checkpoints_know_it(tmp_path: Path) -> None:
    saves = kb.callback.TrainingCheckPoint(tmp_path, interval=1)
    kb.KauriRegressor(n_estimators=2, missing=-999, callbacks=[saves]).fit(X, Y)
    assert kb.Booster(model_file=tmp_path / "model_1.ubj").attr("kauri_missing") == "-999.0"


def test_a_damaged_attribute_is_named() -> None:
    booster = kb.KauriRegressor(n_estimators=2, missing=-999).fit(X, Y).get_booster()
    booster.set_attr(kauri_missing="none")
    with pytest.raises(kb.ModelError, match="kauri_missing is 'none', which is no number"):
        kb.KauriRegressor().load_model(booster.save_raw())


def test_overruled_parameters_are_said() -> None:
    content = bytes(kb.KauriClassifier(n_estimators=2).fit(X, Y > 0).get_booster().save_raw())
    estimator = kb.KauriClassifier(objective="binary:hinge")
    with pytest.warns(UserWarning, match="objective='binary:hinge' is the estimator's, and the loaded model has"):
        estimator.load_model(content)
    assert json.loads(estimator.get_booster().save_config())["learner"]["objective"]["name"] == "binary:logistic"
