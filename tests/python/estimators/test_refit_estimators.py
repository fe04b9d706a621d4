"""refit of the estimators: the same as for their boosters, with the estimator's own treatment of rows."""

from __future__ import annotations

import pickle
from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.utils import compute_sample_weight

RNG = np.random.default_rng(4)
X = RNG.normal(size=(900, 4)).astype(np.float32)
Y = X[:, 0] * X[:, 1] + RNG.normal(scale=0.3, size=900)
OLD, NEW = slice(600), slice(600, None)
NAMES = np.array(["low", "mid", "top"])[np.digitize(Y, [-0.5, 0.5])]
WEIGHT = np.linspace(0.2, 2, 300)
QUERIES = np.repeat(np.arange(90), 10)


def expected(model: Any, data: kb.DMatrix, decay: float) -> kb.Booster:
    return kb.refit(model.get_booster(), data, decay_rate=decay)


@pytest.mark.parametrize("decay", [0.0, 0.7, 1.0])
def test_numbers(decay: float) -> None:
    model = kb.KauriRegressor(n_estimators=8, reg_lambda=3).fit(X[OLD], Y[OLD])
    booster, before = model.get_booster(), model.get_booster().save_raw()
    data = kb.DMatrix(X[NEW], label=Y[NEW] + 2, weight=WEIGHT, base_margin=Y[NEW])
    after = expected(model, data, decay)
    how = {"sample_weight": WEIGHT, "base_margin": Y[NEW]}
    assert model.refit(X[NEW], Y[NEW] + 2, decay_rate=decay, **how) is model
    assert model.get_booster().save_raw() == after.save_raw()
    assert booster.save_raw() == before
    loaded = kb.KauriRegressor(n_estimators=8, reg_lambda=3)
    loaded.load_model(before)
    loaded.refit(X[NEW], Y[NEW] + 2, decay_rate=decay, **how)
    assert loaded.get_booster().save_raw() == after.save_raw()
    assert model.evals_result() == {}


def test_targets() -> None:
    model = kb.KauriRegressor(n_estimators=4).fit(X[OLD], np.c_[Y, -Y][OLD])
    after = expected(model, kb.DMatrix(X[NEW], label=np.c_[Y, -Y][NEW]), 0.5)
    assert model.refit(X[NEW], np.c_[Y, -Y][NEW], decay_rate=0.5).get_booster().save_raw() == after.save_raw()


def test_names_of_features_and_classes() -> None:
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = kb.KauriClassifier(n_estimators=5, class_weight="balanced").fit(frame[OLD], NAMES[OLD])
    balanced = compute_sample_weight("balanced", NAMES[NEW]) * WEIGHT
    codes = np.searchsorted(["low", "mid", "top"], NAMES[NEW])
    after = expected(model, kb.DMatrix(frame[NEW], label=codes, weight=balanced), 0.9)
    model.refit(frame[NEW], NAMES[NEW], sample_weight=WEIGHT)
    assert model.get_booster().save_raw() == after.save_raw()
    assert list(model.classes_) == ["low", "mid", "top"]
    assert list(model.feature_names_in_) == list("abcd")
    assert set(pickle.loads(pickle.dumps(model)).predict(frame)) <= set(NAMES)
    one_class = NAMES[NEW] == "mid"  # the other classes keep their indices
    model.refit(frame[NEW][one_class], NAMES[NEW][one_class], decay_rate=0.0)
    assert model.predict_proba(frame).shape == (900, 3)
    with pytest.raises(ValueError, match="the label 'new' is not among the classes"):
        model.refit(frame[NEW], np.full(300, "new"))


def test_tables_of_labels() -> None:
    table = np.c_[Y > 0, Y > 1].astype(int)
    model = kb.KauriClassifier(n_estimators=4).fit(X[OLD], table[OLD])
    after = expected(model, kb.DMatrix(X[NEW], label=table[NEW]), 0.5)
    assert model.refit(X[NEW], table[NEW], decay_rate=0.5).get_booster().save_raw() == after.save_raw()


def test_queries() -> None:
    grades = np.digitize(Y, [-0.5, 0.5])
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = kb.KauriRanker(n_estimators=4).fit(frame[OLD], grades[OLD], qid=QUERIES[OLD])
    rows = frame[NEW]
    data = kb.DMatrix(rows, label=grades[NEW], qid=QUERIES[NEW], weight=np.arange(1, 31))
    after = expected(model, data, 0.5)
    column = rows.assign(qid=QUERIES[NEW])
    for given, how in ((rows, {"qid": QUERIES[NEW]}), (rows, {"group": np.full(30, 10)}), (column, {})):
        again = pickle.loads(pickle.dumps(model))
        again.refit(given, grades[NEW], decay_rate=0.5, sample_weight=np.arange(1, 31), **how)
        assert again.get_booster().save_raw() == after.save_raw()
    with pytest.raises(ValueError, match="needs the queries"):
        model.refit(rows, grades[NEW])


def test_the_best_round_stays() -> None:
    model = kb.KauriRegressor(n_estimators=200, early_stopping_rounds=3, learning_rate=0.8)
    model.fit(X[OLD], Y[OLD], eval_set=[(X[NEW], Y[NEW])])
    best = model.best_iteration
    assert best + 1 < model.get_booster().num_boosted_rounds()
    model.refit(X[NEW], Y[NEW], decay_rate=0.5)
    assert model.best_iteration == best
    np.testing.assert_array_equal(model.predict(X), model.predict(X, iteration_range=(0, best + 1)))
    with pytest.raises(AttributeError):
        _ = model.best_score


def test_intervals_end_and_begin_again() -> None:
    model = kb.KauriRegressor(n_estimators=4).fit_intervals(X[OLD], Y[OLD], nfold=3)
    model.refit(X[NEW], Y[NEW])
    assert model.predict(X).shape == (900,)
    with pytest.raises(ValueError, match="refitted after its intervals"):
        model.predict_interval(X)
    assert model.fit_intervals(X, Y, nfold=3).predict_interval(X).shape == (900, 2)


def test_refusals() -> None:
    for estimator in (kb.KauriRegressor(), kb.KauriClassifier(), kb.KauriRanker()):
        with pytest.raises(NotFittedError):
            estimator.refit(X, NAMES)
    model = kb.KauriRegressor(n_estimators=3).fit(X[OLD], Y[OLD])
    before = model.get_booster().save_raw()
    with pytest.raises(ValueError, match="expecting 4 features"):
        model.refit(X[NEW][:, :3], Y[NEW])
    with pytest.raises(ValueError, match="target y is None"):
        model.refit(X[NEW], None)
    with pytest.raises(kb.KauriError, match="refresh_decay"):
        model.refit(X[NEW], Y[NEW], decay_rate=2)
    with pytest.raises(kb.ParameterError, match="gblinear"):
        kb.KauriRegressor(n_estimators=3, booster="gblinear").fit(X, Y).refit(X, Y)

    def squared_error(y_true: np.ndarray, margins: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return margins - y_true, np.ones_like(margins)

    with pytest.raises(ValueError, match="objective is a function"):
        kb.KauriRegressor(n_estimators=3, objective=squared_error).fit(X, Y).refit(X, Y)
    assert model.get_booster().save_raw() == before
