"""The estimators follow scikit-learn's conventions and equal train()."""

from __future__ import annotations

import pickle
from pathlib import Path

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest
from kauriboost.sklearn import KauriClassifier, KauriRegressor
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

Table = tuple[np.ndarray, np.ndarray]


def expected_failures(estimator: object) -> dict[str, str]:
    failures = {
        "check_dtype_object": "the message is ours",
        "check_regressor_multioutput": "predictions are float32, as of one target",
    }
    if isinstance(estimator, KauriClassifier):
        # Its 15 rows of 3 classes have root splits of equal gain; gradients of weighted and repeated rows round
        # differently.
        rounding = "splits of equal gain are told apart by the rounding of gradients"
        failures["check_sample_weight_equivalence_on_dense_data"] = rounding
        failures["check_sample_weight_equivalence_on_sparse_data"] = rounding
    return failures


@parametrize_with_checks(
    [KauriRegressor(n_estimators=20), KauriClassifier(n_estimators=20)], expected_failed_checks=expected_failures
)
def test_conventions(estimator: object, check: object) -> None:
    check(estimator)


def test_regressor_equals_train(regression: Table) -> None:
    X, y = regression
    weight = np.linspace(0.5, 2, len(y))
    params = {"max_depth": 3, "learning_rate": 0.2, "reg_lambda": 2.0, "colsample_bynode": 1.0}
    model = KauriRegressor(n_estimators=7, **params).fit(X, y, sample_weight=weight)
    booster = kb.train(params, kb.DMatrix(X, label=y, weight=weight), 7, verbose_eval=False)
    np.testing.assert_array_equal(model.predict(X), booster.predict(kb.DMatrix(X)))
    np.testing.assert_array_equal(model.apply(X), booster.predict(kb.DMatrix(X), pred_leaf=True))
    scores = booster.get_score(importance_type="gain")
    expected = np.array([scores.get(f"f{i}", 0) for i in range(5)])
    np.testing.assert_allclose(model.feature_importances_, expected / expected.sum(), rtol=1e-5)


def test_classes_may_be_words(binary: Table) -> None:
    X, y = binary
    words = np.where(y == 1, "yes", "no")
    model = KauriClassifier(n_estimators=8).fit(X, words)
    assert model.classes_.tolist() == ["no", "yes"]
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_array_equal(model.predict(X), np.where(probabilities[:, 1] > 0.5, "yes", "no"))
    assert model.score(X, words) > 0.9


def test_several_classes(multiclass: Table, tmp_path: Path) -> None:
    X, y = multiclass
    model = KauriClassifier(n_estimators=5).fit(X, y + 10)
    assert model.predict_proba(X).shape == (450, 3)
    assert set(model.predict(X)) == {10, 11, 12}
    model.save_model(tmp_path / "model.json")
    loaded = KauriClassifier()
    loaded.load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_early_stopping_decides_the_rounds(binary: Table) -> None:
    X, y = binary
    model = KauriClassifier(n_estimators=200, learning_rate=0.5, early_stopping_rounds=3, eval_metric="logloss")
    model.fit(X[:300], y[:300], eval_set=[(X[300:], y[300:])])
    assert model.get_booster().num_boosted_rounds() == model.best_iteration + 4
    logloss = model.evals_result()["validation_0"]["logloss"]
    assert model.best_score == min(logloss) == logloss[model.best_iteration]
    data = kb.DMatrix(X)
    expected = model.get_booster().predict(data, iteration_range=(0, model.best_iteration + 1))
    np.testing.assert_array_equal(model.predict_proba(X)[:, 1], expected)


def test_search_pipeline_clone_pickle(regression: Table) -> None:
    X, y = regression
    search = GridSearchCV(KauriRegressor(n_estimators=5), {"max_depth": [1, 3]}, cv=3).fit(X, y)
    assert search.best_params_ == {"max_depth": 3}
    assert cross_val_score(make_pipeline(StandardScaler(), KauriRegressor()), X, y, cv=3).min() > 0.8
    model = KauriRegressor(n_estimators=3, random_state=np.random.RandomState(4), subsample=0.5).fit(X, y)
    assert clone(model).get_params()["subsample"] == 0.5
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


def test_frames_bring_names(binary: Table) -> None:
    frame = pd.DataFrame(binary[0], columns=list("abcdef"))
    model = KauriClassifier(n_estimators=2).fit(frame, binary[1])
    assert model.feature_names_in_.tolist() == list("abcdef")
    with pytest.raises(kb.DataError, match="another order"):
        model.predict(frame[list("fedcba")])


def test_not_fitted() -> None:
    with pytest.raises(NotFittedError):
        KauriRegressor().predict(np.zeros((1, 1)))
