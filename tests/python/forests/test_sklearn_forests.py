"""Conversion of scikit-learn models: their predictions, and explanations equal to shap's."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import numpy as np
import pytest
import shap
from kauriboost.forests import from_sklearn
from sklearn import ensemble, tree
from sklearn.linear_model import LinearRegression

N = 1500
GENERATOR = np.random.default_rng(4)
WHOLE = GENERATOR.normal(size=(N, 6)).astype(np.float32)
WHOLE[:, 5] = GENERATOR.integers(0, 20, N)
HOLES = WHOLE.copy()
HOLES[::7, 1] = np.nan
TARGET = WHOLE[:, 0] * 2 + np.where(np.isnan(HOLES[:, 1]), 1, WHOLE[:, 1]) ** 2 + np.sin(WHOLE[:, 5]) * 2
TWO = np.greater(TARGET, TARGET.mean()).astype(int)
THREE = np.digitize(TARGET, np.quantile(TARGET, [0.3, 0.6]))
TOLERANCE = 2e-6  # for float32 sums


def ours(booster: kb.Booster, rows: np.ndarray, **options: Any) -> np.ndarray:
    matrix = kb.DMatrix(rows, feature_names=booster.feature_names, feature_types=booster.feature_types)
    return np.asarray(booster.predict(matrix, **options))


def expect_same(model: Any, rows: np.ndarray, expected: np.ndarray) -> kb.Booster:
    """Check the predictions of the model, also after saving and loading, and after loading by XGBoost's rules."""
    booster = from_sklearn(model)
    got = ours(booster, rows)
    assert got.shape == np.squeeze(expected).shape
    np.testing.assert_allclose(got, np.squeeze(expected), rtol=TOLERANCE, atol=TOLERANCE * np.abs(expected).max())
    for kind in ("json", "ubj"):
        again = kb.Booster(model_file=booster.save_raw(kind))
        np.testing.assert_array_equal(ours(again, rows), got)
    return booster


@pytest.mark.parametrize(
    "model",
    [
        ensemble.RandomForestRegressor(15, random_state=0),
        ensemble.ExtraTreesRegressor(15, random_state=0),
        tree.DecisionTreeRegressor(random_state=0),
        tree.ExtraTreeRegressor(random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_means(model: Any) -> None:
    for labels in (TARGET, np.column_stack([TARGET, -TARGET, TARGET**2]), np.full(N, 7.0)):
        model.fit(HOLES, labels)
        expect_same(model, HOLES, model.predict(HOLES))


@pytest.mark.parametrize(
    "model",
    [
        ensemble.RandomForestClassifier(15, random_state=0, min_samples_leaf=5),
        ensemble.ExtraTreesClassifier(15, random_state=0, min_samples_leaf=5, class_weight="balanced"),
        tree.DecisionTreeClassifier(random_state=0, max_depth=5),
        tree.ExtraTreeClassifier(random_state=0, max_depth=5),
    ],
    ids=lambda model: type(model).__name__,
)
def test_shares_of_classes(model: Any) -> None:
    model.fit(HOLES, TWO)
    expect_same(model, HOLES, model.predict_proba(HOLES)[:, 1])
    model.fit(HOLES, THREE)
    expect_same(model, HOLES, model.predict_proba(HOLES))


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber", "quantile"])
@pytest.mark.parametrize("init", [None, "zero"])
def test_gradient_boosting(loss: str, init: str | None) -> None:
    model = ensemble.GradientBoostingRegressor(loss=loss, n_estimators=15, init=init, random_state=0).fit(WHOLE, TARGET)
    expect_same(model, WHOLE, model.predict(WHOLE))


@pytest.mark.parametrize("loss", ["log_loss", "exponential"])
def test_gradient_boosting_of_classes(loss: str) -> None:
    model = ensemble.GradientBoostingClassifier(loss=loss, n_estimators=15, random_state=0).fit(WHOLE, TWO)
    booster = expect_same(model, WHOLE, model.predict_proba(WHOLE)[:, 1])
    assert booster.num_boosted_rounds() == 15
    if loss == "log_loss":
        model.fit(WHOLE, THREE)
        booster = expect_same(model, WHOLE, model.predict_proba(WHOLE))
        assert booster.num_boosted_rounds() == 15


@pytest.mark.parametrize("categories", [None, [5], [1, 5]], ids=str)
def test_histogram_boosting(categories: list[int] | None) -> None:
    rows = HOLES.copy()
    rows[:, 1] = np.digitize(rows[:, 1], [-1, 0, 1]) * 3  # 0, 3, 6, 9: codes that differ from the trees'
    rows[::7, 1] = np.nan
    other = rows.copy()
    other[::3, 5] = 25  # an unseen category
    other[::5, 5] = np.nan
    settings = {"max_iter": 15, "categorical_features": categories, "random_state": 0}
    for loss, labels in (("squared_error", TARGET), ("poisson", TARGET - TARGET.min()), ("gamma", np.exp(TARGET / 9))):
        regressor = ensemble.HistGradientBoostingRegressor(loss=loss, **settings).fit(rows, labels)
        expect_same(regressor, rows, regressor.predict(rows))
        expect_same(regressor, other, regressor.predict(other))
    classifier = ensemble.HistGradientBoostingClassifier(**settings).fit(rows, TWO)
    expect_same(classifier, other, classifier.predict_proba(other)[:, 1])
    classifier.fit(rows, THREE)
    expect_same(classifier, other, classifier.predict_proba(other))


def test_histogram_boosting_with_missing_categories() -> None:
    rows = HOLES.copy()
    rows[::4, 5] = np.nan
    model = ensemble.HistGradientBoostingRegressor(max_iter=15, categorical_features=[5]).fit(rows, TARGET)
    expect_same(model, rows, model.predict(rows))
    unseen = rows.copy()
    unseen[::3, 5] = 31
    expect_same(model, unseen, model.predict(unseen))


def test_isolation_forest() -> None:
    model = ensemble.IsolationForest(n_estimators=20, max_samples=200, max_features=0.5, random_state=0).fit(WHOLE)
    harmonic = np.log(199) + np.euler_gamma
    mean_length = 2 * harmonic - 2 * 199 / 200
    lengths = -np.log2(-model.score_samples(WHOLE)) * mean_length
    np.testing.assert_allclose(ours(from_sklearn(model), WHOLE), lengths, rtol=1e-5)


def test_names_of_columns_come_along() -> None:
    import pandas as pd

    frame = pd.DataFrame(WHOLE, columns=list("abcdef"))
    model = ensemble.RandomForestRegressor(3, random_state=0).fit(frame, TARGET)
    booster = expect_same(model, WHOLE, model.predict(frame))
    assert booster.feature_names == list("abcdef")


@pytest.mark.parametrize(
    "model",
    [
        ensemble.RandomForestRegressor(10, max_depth=6, random_state=0),
        ensemble.RandomForestClassifier(10, max_depth=6, random_state=0),
        ensemble.GradientBoostingRegressor(n_estimators=10, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_explanations_are_those_of_shap(model: Any) -> None:
    is_classifier = hasattr(model, "predict_proba")
    model.fit(WHOLE, THREE if is_classifier else TARGET)
    rows = WHOLE[:50]
    expected = shap.TreeExplainer(model).shap_values(rows, check_additivity=False)
    expected = np.moveaxis(expected, -1, 1) if is_classifier else expected
    got = ours(from_sklearn(model), rows, pred_contribs=True)[..., :-1]
    assert got.shape == expected.shape
    np.testing.assert_allclose(got, expected, atol=1e-5 * np.abs(expected).max())


def test_what_is_not_read_is_said() -> None:
    fractions = np.array([[0.5], [1.5]] * 30)
    refused = [
        (LinearRegression().fit(WHOLE, TARGET), "is not a supported model; expected one of"),
        (ensemble.RandomForestRegressor(3), "is not fitted"),
        (ensemble.RandomForestClassifier(3).fit(WHOLE, np.column_stack([TWO, THREE])), "several label columns"),
        (ensemble.GradientBoostingRegressor(n_estimators=2, init=LinearRegression()).fit(WHOLE, TARGET), "LinearRegr"),
        (
            ensemble.HistGradientBoostingRegressor(categorical_features=[0]).fit(fractions, np.arange(60.0)),
            "categories such as 0.5",
        ),
    ]
    for model, message in refused:
        with pytest.raises(kb.ModelError, match=message):
            from_sklearn(model)


def test_xgboost_reads_them() -> None:
    xgboost = pytest.importorskip("xgboost")
    model = ensemble.GradientBoostingClassifier(n_estimators=10, random_state=0).fit(WHOLE, THREE)
    booster = xgboost.Booster(model_file=bytearray(from_sklearn(model).save_raw("ubj")))
    got = booster.predict(xgboost.DMatrix(WHOLE))
    np.testing.assert_allclose(got, model.predict_proba(WHOLE), atol=TOLERANCE)
