"""Parameters of the estimators: additional booster parameters, functions, seeds, rounds."""

from __future__ import annotations

import functools
import pickle
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
import xgboost
from kauriboost.sklearn import KauriClassifier, KauriRanker, KauriRegressor, KauriRFClassifier, KauriRFRegressor
from sklearn.base import clone
from sklearn.metrics import log_loss, mean_absolute_error, mean_squared_error
from sklearn.model_selection import GridSearchCV

XGBOOSTS: dict[str, Any] = {"learning_rate": 0.3, "reg_lambda": 1, "colsample_bynode": 1}  # its defaults
Table = tuple[np.ndarray, np.ndarray]
SMALL = {"n_estimators": 5, "max_depth": 3}


def test_every_parameter_of_the_library_is_taken(regression: Table) -> None:
    X, y = regression
    model = KauriRegressor(objective="reg:quantileerror", quantile_alpha=0.9, **XGBOOSTS, **SMALL).fit(X, y)
    params = {"objective": "reg:quantileerror", "quantile_alpha": 0.9, "max_depth": 3}
    booster = kb.train(params, kb.DMatrix(X, label=y), 5, verbose_eval=False)
    np.testing.assert_array_equal(model.predict(X), booster.predict(kb.DMatrix(X)))
    assert (y < model.predict(X)).mean() > 0.7
    known = {parameter["name"]: None for parameter in kb.parameters()}
    KauriRegressor(**{**known, "n_estimators": 1}).fit(X, y)


@pytest.mark.parametrize(
    ("objective", "more"),
    [
        ("reg:tweedie", {"tweedie_variance_power": 1.2}),
        ("reg:pseudohubererror", {"huber_slope": 0.5}),
        ("reg:expectileerror", {"expectile_alpha": 0.8}),
    ],
)
def test_objectives_with_parameters(regression: Table, objective: str, more: dict[str, float]) -> None:
    X, y = regression[0], np.abs(regression[1])
    predictions = (
        [KauriRegressor(objective=objective, **SMALL, **given).fit(X, y).predict(X) for given in (more, {})]
        if objective != "reg:expectileerror"
        else [
            KauriRegressor(objective=objective, **SMALL, expectile_alpha=alpha).fit(X, y).predict(X)
            for alpha in (more["expectile_alpha"], 0.3)
        ]
    )
    assert np.abs(predictions[0] - predictions[1]).max() > 1e-3


def test_they_are_seen_set_and_cloned(regression: Table) -> None:
    model = KauriRegressor(quantile_alpha=0.9, max_depth=2)
    assert model.get_params()["quantile_alpha"] == 0.9
    assert "quantile_alpha=0.9" in repr(model)
    assert clone(model).get_params() == model.get_params()
    np.testing.assert_equal(pickle.loads(pickle.dumps(model)).get_params(), model.get_params())  # NaN equals NaN
    model.set_params(quantile_alpha=0.5, tweedie_variance_power=1.1, max_depth=4)
    assert (model.kwargs, model.max_depth) == ({"quantile_alpha": 0.5, "tweedie_variance_power": 1.1}, 4)
    ranker = KauriRanker(sketch="gk")
    assert clone(ranker).get_params()["sketch"] == "gk"
    search = GridSearchCV(
        KauriRegressor(objective="reg:quantileerror", **SMALL, quantile_alpha=0.5),
        {"quantile_alpha": [0.05, 0.5]},
        cv=2,
        scoring="neg_mean_absolute_error",
    ).fit(*regression)
    assert search.best_params_ == {"quantile_alpha": 0.5}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("max_dept", "KauriRegressor has no parameter 'max_dept'; did you mean 'max_depth'"),
        ("zzz", r"KauriRegressor: unknown parameter 'zzz' \(value '3'\)\."),
        ("gpu_id", "KauriRegressor: unknown parameter 'gpu_id' .*; say device=cuda"),
        ("num_boost_round", "KauriRegressor: unknown parameter 'num_boost_round' .* n_estimators of an estimator"),
        ("use_label_encoder", "KauriRegressor: unknown parameter 'use_label_encoder' .* leave it out"),
    ],
)
def test_names_of_no_parameter(regression: Table, name: str, message: str) -> None:
    for model in (KauriRegressor(**{name: 3}), KauriRegressor().set_params(**{name: 3})):
        with pytest.raises(kb.ParameterError, match=message):
            model.fit(*regression)


def test_what_the_booster_gets() -> None:
    model = KauriRFRegressor(n_estimators=7, random_state=3, missing=0.0, sketch="gk", eval_metric=["mae", log_loss])
    given = {
        "learning_rate": 1.0,
        "subsample": 0.8,
        "colsample_bynode": 0.8,
        "reg_lambda": 1e-5,
        "num_parallel_tree": 7,
        "random_state": 3,
        "sketch": "gk",
        "eval_metric": ["mae"],
    }
    assert model.get_booster_params() == model.get_xgb_params() == given
    assert model.get_num_boosting_rounds() == 1
    assert KauriRegressor(n_estimators=None).get_num_boosting_rounds() == 200
    assert KauriRFClassifier(n_estimators=None).get_booster_params()["num_parallel_tree"] == 100


def test_rounds_and_seeds(regression: Table) -> None:
    X, y = regression
    assert KauriRegressor(n_estimators=None).fit(X, y).get_booster().num_boosted_rounds() == 200
    first, second, third = (
        KauriRegressor(subsample=0.5, random_state=np.random.default_rng(seed), **SMALL).fit(X, y).predict(X)
        for seed in (3, 3, 4)
    )
    np.testing.assert_array_equal(first, second)
    assert (first != third).any()


def test_intercepts_of_trees(regression: Table, multiclass: Table) -> None:
    ours, theirs = (model(**SMALL).fit(*regression) for model in (KauriRegressor, xgboost.XGBRegressor))
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-5)
    assert KauriClassifier(**SMALL).fit(*multiclass).intercept_.shape == (3,)
    assert KauriRegressor(base_score=2.5, **SMALL).fit(*regression).intercept_.tolist() == [2.5]


# ---- functions ----


def squared(y_true: np.ndarray, y_pred: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return y_pred - y_true, np.ones_like(y_true)


def weighted(
    y_true: np.ndarray, y_pred: np.ndarray, sample_weight: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    weight = np.ones_like(y_true) if sample_weight is None else sample_weight
    return (y_pred - y_true) * weight, weight


def softprob(y_true: np.ndarray, y_pred: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    shares = np.exp(y_pred) / np.exp(y_pred).sum(axis=1, keepdims=True)
    return shares - np.eye(3)[y_true.astype(int)], 2 * shares * (1 - shares)


def test_objective_of_my_own(regression: Table, multiclass: Table) -> None:
    X, y = regression
    how = {"base_score": 0.5, **SMALL}
    own, built_in = (KauriRegressor(objective=objective, **how).fit(X, y) for objective in (squared, None))
    np.testing.assert_allclose(own.predict(X), built_in.predict(X), rtol=1e-4, atol=1e-5)
    assert clone(own).get_params()["objective"] is squared
    weights = np.linspace(0.1, 3, len(y))
    own, built_in = (
        KauriRegressor(objective=objective, **how).fit(X, y, sample_weight=weights) for objective in (weighted, None)
    )
    np.testing.assert_allclose(own.predict(X), built_in.predict(X), rtol=1e-4, atol=1e-5)
    with pytest.raises(ValueError, match=r"squared\(\) does not take sample_weight"):
        KauriRegressor(objective=squared).fit(X, y, sample_weight=weights)
    X, y = multiclass
    assert KauriClassifier(objective=softprob, **XGBOOSTS, **SMALL).fit(X, y).score(X, y) > 0.9


def test_metrics_of_scikit_learn(regression: Table, binary: Table) -> None:
    X, y = regression
    model = KauriRegressor(eval_metric=["mae", mean_absolute_error, mean_squared_error], **SMALL)
    weights = np.linspace(0.1, 3, 200)
    model.fit(X[:300], y[:300], eval_set=[(X[300:], y[300:])], sample_weight_eval_set=[weights])
    results = model.evals_result()["validation_0"]
    assert list(results) == ["mae", "mean_absolute_error", "mean_squared_error"]
    np.testing.assert_allclose(results["mean_absolute_error"], results["mae"], rtol=1e-5)
    last = mean_squared_error(y[300:], model.predict(X[300:]), sample_weight=weights)
    assert results["mean_squared_error"][-1] == pytest.approx(last, rel=1e-6)
    X, y = binary
    how = {"eval_metric": log_loss, "tree_method": "exact", **XGBOOSTS, **SMALL}
    theirs, ours = xgboost.XGBClassifier(**how), KauriClassifier(early_stopping_rounds=3, **how)
    theirs.fit(X[:400], y[:400], eval_set=[(X[400:], y[400:])], verbose=False)
    ours.fit(X[:400], y[:400], eval_set=[(X[400:], y[400:])])
    assert list(ours.evals_result()["validation_0"]) == list(theirs.evals_result()["validation_0"])
    np.testing.assert_allclose(
        ours.evals_result()["validation_0"]["log_loss"], theirs.evals_result()["validation_0"]["log_loss"], rtol=1e-4
    )
    assert ours.best_score == min(ours.evals_result()["validation_0"]["log_loss"])


def test_metrics_without_a_name(regression: Table) -> None:
    X, y = regression
    model = KauriRegressor(eval_metric=functools.partial(mean_absolute_error, multioutput="uniform_average"), **SMALL)
    model.fit(X, y, eval_set=[(X, y)])
    assert list(model.evals_result()["validation_0"]) == ["rmse", "mean_absolute_error"]


def test_metrics_of_queries() -> None:
    rng = np.random.default_rng(0)
    X, y, qid = rng.normal(size=(40, 3)), rng.integers(0, 3, 40), np.repeat(np.arange(9), [1, 5, 5, 5, 5, 5, 5, 5, 4])
    sizes = []

    def best_first(y_true: np.ndarray, y_score: np.ndarray) -> float:
        sizes.append(len(y_true))
        return float(y_true[y_score.argmax()])

    model = KauriRanker(eval_metric=best_first, n_estimators=1).fit(X, y, qid=qid, eval_set=[(X, y)], eval_qid=[qid])
    assert sizes == [5, 5, 5, 5, 5, 5, 5, 4]
    scores = model.predict(X)
    expected = np.mean([1.0] + [y[qid == q][scores[qid == q].argmax()] for q in range(1, 9)])
    assert model.evals_result()["validation_0"]["best_first"] == [expected]
    assert model.score(X, y, qid=qid) == expected
    with pytest.raises(ValueError, match="no function for objective"):
        KauriRanker(objective=squared).fit(X, y, qid=qid)


def test_functions_are_no_parameters(regression: Table) -> None:
    data = kb.DMatrix(regression[0], label=regression[1])
    with pytest.raises(kb.ParameterError, match=r"objective is the function 'squared'; pass it to train\(\) as obj="):
        kb.train({"objective": squared}, data, 1)
    with pytest.raises(kb.ParameterError, match=r"eval_metric is the function 'log_loss'; .* custom_metric="):
        kb.train({"eval_metric": ["mae", log_loss]}, data, 1)
    with pytest.raises(kb.ParameterError, match="max_depth is the function 'squared'; pass a value"):
        kb.Booster({"max_depth": squared})
