"""Margins and logarithms of probabilities of classifiers."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score

SMALL: dict[str, Any] = {"n_estimators": 6, "max_depth": 3, "n_jobs": 1}
X = np.random.default_rng(1).normal(size=(240, 4)).astype(np.float32)
CODES = np.digitize(X[:, 0] + X[:, 1], [-0.6, 0.6])
NAMES = np.array(["low", "mid", "high"])[CODES]
TABLE = np.column_stack([CODES > 0, CODES > 1]).astype(int)


@pytest.mark.parametrize("objective", [None, "binary:logistic", "binary:logitraw", "reg:logistic"])
def test_two_classes_have_the_log_odds_of_the_second(objective: str | None) -> None:
    model = kb.KauriClassifier(objective=objective, **SMALL).fit(X, NAMES == "high")
    margins = model.decision_function(X)
    assert margins.shape == (240,)
    np.testing.assert_array_equal(margins, model.predict(X, output_margin=True))
    np.testing.assert_allclose(expit(margins), model.predict_proba(X)[:, 1], rtol=1e-5)
    np.testing.assert_array_equal(margins > 0, model.predict(X))
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X), rtol=1e-5)


@pytest.mark.parametrize("objective", ["multi:softprob", "multi:softmax"])
def test_several_classes_have_a_column_each(objective: str) -> None:
    model = kb.KauriClassifier(objective=objective, **SMALL).fit(X, NAMES)
    margins = model.decision_function(X)
    assert margins.shape == (240, 3)
    np.testing.assert_array_equal(model.classes_[margins.argmax(axis=1)], model.predict(X))
    np.testing.assert_allclose(softmax(margins, axis=1), model.predict_proba(X), rtol=1e-5)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X), rtol=1e-5)
    two = kb.KauriClassifier(objective=objective, **SMALL).fit(X, CODES > 0)
    assert two.decision_function(X).shape == (240,)
    np.testing.assert_allclose(expit(two.decision_function(X)), two.predict_proba(X)[:, 1], rtol=1e-5)
    np.testing.assert_array_equal(two.decision_function(X) > 0, two.predict(X))


def test_labels_have_a_column_each() -> None:
    model = kb.KauriClassifier(**SMALL).fit(X, TABLE)
    margins = model.decision_function(X)
    np.testing.assert_array_equal(margins > 0, model.predict(X) == 1)
    np.testing.assert_allclose(expit(margins), model.predict_proba(X), rtol=1e-5)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X), rtol=1e-5)


def test_hinge_has_probabilities_0_and_1() -> None:
    model = kb.KauriClassifier(objective="binary:hinge", **SMALL).fit(X, CODES > 0)
    np.testing.assert_array_equal(model.decision_function(X) > 0, model.predict(X))
    with np.errstate(all="raise"):
        logs = model.predict_log_proba(X)
    np.testing.assert_array_equal(np.exp(logs), model.predict_proba(X))


def test_logarithms_of_tiny_probabilities_are_finite() -> None:
    model = kb.KauriClassifier(n_estimators=400, learning_rate=1, reg_lambda=0, min_child_weight=0, n_jobs=1)
    model.fit(X, X[:, 0] > 0)
    logs = model.predict_log_proba(X, base_margin=np.full(240, 200.0))
    assert (model.predict_proba(X, base_margin=np.full(240, 200.0))[:, 0] == 0).any()
    assert np.isfinite(logs).all()
    assert logs.min() < -100


def test_rounds_and_early_stopping_are_those_of_predict() -> None:
    model = kb.KauriClassifier(early_stopping_rounds=3, n_estimators=60, n_jobs=1, learning_rate=0.5).fit(X, CODES > 0)
    best = (0, model.best_iteration + 1)
    np.testing.assert_array_equal(model.decision_function(X), model.decision_function(X, iteration_range=best))
    few = model.predict_log_proba(X, iteration_range=(0, 2))
    np.testing.assert_allclose(np.exp(few), model.predict_proba(X, iteration_range=(0, 2)), rtol=1e-5)


def test_tools_of_scikit_learn_find_them() -> None:
    model = kb.KauriClassifier(**SMALL).fit(X, CODES > 0)
    assert roc_auc_score(CODES > 0, model.decision_function(X)) > 0.9
    calibrated = CalibratedClassifierCV(kb.KauriClassifier(**SMALL), cv=2).fit(X, CODES > 0)
    assert calibrated.predict_proba(X).shape == (240, 2)


def test_they_need_a_fit() -> None:
    for method in ("decision_function", "predict_log_proba"):
        with pytest.raises(NotFittedError):
            getattr(kb.KauriClassifier(), method)(X)
