"""Estimators that hold out rows for early stopping, and class weights."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from kauriboost.sklearn import KauriClassifier, KauriRanker, KauriRegressor, KauriRFClassifier
from sklearn.base import clone
from sklearn.utils.class_weight import compute_sample_weight

SMALL: dict[str, Any] = {"n_estimators": 40, "max_depth": 3, "learning_rate": 0.5, "n_jobs": 1}


def make_rows(n: int = 400, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    return X, X[:, 0] + rng.normal(size=n)


def raw(model: Any) -> bytes:
    return bytes(model.get_booster().save_raw("ubj"))


def test_held_out_rows_stop_the_training() -> None:
    X, y = make_rows()
    model = KauriRegressor(early_stopping_rounds=2, validation_fraction=0.25, random_state=3, **SMALL).fit(X, y)
    assert model.best_iteration < SMALL["n_estimators"] - 3
    assert list(model.evals_result()) == ["validation_0"]
    held = np.sort(kb.shuffle(400, 3, 100))
    kept = np.setdiff1d(np.arange(400), held)
    by_hand = KauriRegressor(early_stopping_rounds=2, random_state=3, **SMALL)
    by_hand.fit(X[kept], y[kept], eval_set=[(X[held], y[held])])
    assert raw(model) == raw(by_hand)


def test_each_class_has_its_share() -> None:
    X, y = make_rows(1000)
    names = np.where(y > 1.5, "rare", np.where(y > 0, "some", "most"))
    model = KauriClassifier(early_stopping_rounds=2, validation_fraction=0.1, **SMALL)
    model.fit(X, names, sample_weight=np.ones(1000))
    held = [np.flatnonzero(names == name) for name in np.unique(names)]
    held_rows = np.sort(np.concatenate([rows[kb.shuffle(len(rows), 0, round(0.1 * len(rows)))] for rows in held]))
    kept = np.setdiff1d(np.arange(1000), held_rows)
    by_hand = KauriClassifier(early_stopping_rounds=2, **SMALL)
    by_hand.fit(
        X[kept],
        names[kept],
        sample_weight=np.ones(len(kept)),
        eval_set=[(X[held_rows], names[held_rows])],
        sample_weight_eval_set=[np.ones(len(held_rows))],
    )
    assert raw(model) == raw(by_hand)


def test_queries_stay_together() -> None:
    X, y = make_rows(300)
    relevance = np.clip(np.round(y + 1), 0, 3)
    qid = np.repeat(np.arange(30), 10)
    model = KauriRanker(early_stopping_rounds=3, validation_fraction=0.2, **SMALL).fit(X, relevance, qid=qid)
    held = np.isin(qid, kb.shuffle(30, 0, 6))
    by_hand = KauriRanker(early_stopping_rounds=3, **SMALL)
    by_hand.fit(X[~held], relevance[~held], qid=qid[~held], eval_set=[(X[held], relevance[held])], eval_qid=[qid[held]])
    assert raw(model) == raw(by_hand)


def test_it_needs_early_stopping_and_no_eval_set() -> None:
    X, y = make_rows()
    plain = KauriRegressor(**SMALL).fit(X, y)
    assert raw(KauriRegressor(validation_fraction=0.5, **SMALL).fit(X, y)) == raw(plain)
    given = KauriRegressor(early_stopping_rounds=3, validation_fraction=0.5, **SMALL).fit(X, y, eval_set=[(X, y)])
    assert raw(given) == raw(KauriRegressor(early_stopping_rounds=3, **SMALL).fit(X, y, eval_set=[(X, y)]))


@pytest.mark.parametrize("fraction", [0, 1, -0.1, 1.5, float("nan")])
def test_a_share_is_above_0_and_below_1(fraction: float) -> None:
    X, y = make_rows(50)
    model = KauriRegressor(early_stopping_rounds=3, validation_fraction=fraction, **SMALL)
    with pytest.raises(ValueError, match="validation_fraction is"):
        model.fit(X, y)
    with pytest.raises(ValueError, match="holds out none"):
        model.set_params(validation_fraction=0.001).fit(X, y)
    assert model.set_params(validation_fraction=0.2).fit(X, y).n_features_in_ == 5


@pytest.mark.parametrize("class_weight", ["balanced", {"b": 5.0}, {"a": 0.5, "b": 2.0}])
@pytest.mark.parametrize("estimator", [KauriClassifier, KauriRFClassifier])
def test_classes_weigh_what_they_are_told_to(class_weight: Any, estimator: Any) -> None:
    X, y = make_rows()
    names = np.where(y > 1, "b", "a")
    weights = np.random.default_rng(1).uniform(0.5, 2, 400)
    by_hand = compute_sample_weight(class_weight, names)
    model = estimator(class_weight=class_weight, n_estimators=5, n_jobs=1)
    assert raw(model.fit(X, names)) == raw(estimator(n_estimators=5, n_jobs=1).fit(X, names, sample_weight=by_hand))
    both = estimator(n_estimators=5, n_jobs=1).fit(X, names, sample_weight=by_hand * weights)
    assert raw(model.fit(X, names, sample_weight=weights)) == raw(both)
    assert clone(model).get_params()["class_weight"] == class_weight
    assert "class_weight" not in model.get_booster_params()


def test_what_class_weight_cannot_mean() -> None:
    X, y = make_rows()
    with pytest.raises(ValueError, match="table of labels"):
        KauriClassifier(class_weight="balanced", **SMALL).fit(X, np.column_stack([y > 0, y > 1]))
    with pytest.raises(ValueError, match="balanced"):
        KauriClassifier(class_weight="even", **SMALL).fit(X, y > 0)
    with pytest.raises(kb.ParameterError, match="class_weight"):
        KauriRegressor(class_weight="balanced", **SMALL).fit(X, y)
