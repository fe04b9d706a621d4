"""The boosters dart and gblinear and the random forests through the Python package."""

from __future__ import annotations

import pickle

import kauriboost as kb
import numpy as np
import pytest
import scipy.sparse
from kauriboost.sklearn import KauriClassifier, KauriRegressor, KauriRFClassifier, KauriRFRegressor
from sklearn.base import clone

Table = tuple[np.ndarray, np.ndarray]


def rmse(ours: np.ndarray, labels: np.ndarray) -> float:
    """Return the root of the mean square."""
    return float(np.sqrt(np.mean((ours - labels) ** 2)))


def test_dart_stops_early_and_predicts_with_its_rounds(regression: Table) -> None:
    X, y = regression
    train, held = kb.DMatrix(X[:350], label=y[:350]), kb.DMatrix(X[350:], label=y[350:])
    params = {"booster": "dart", "rate_drop": 0.2, "eta": 0.5, "seed": 1}
    log: dict = {}
    booster = kb.train(
        params, train, 60, evals=[(held, "held")], early_stopping_rounds=4, evals_result=log, verbose_eval=False
    )
    assert len(log["held"]["rmse"]) == booster.num_boosted_rounds()
    assert log["held"]["rmse"][-1] == pytest.approx(rmse(booster.predict(held), y[350:]), rel=1e-5)
    best = booster.predict(held, iteration_range=(0, booster.best_iteration + 1))
    np.testing.assert_array_equal(booster[: booster.best_iteration + 1].predict(held), best)


def test_an_objective_of_ones_own_sees_the_trees_that_dart_keeps(regression: Table) -> None:
    X, y = regression
    data = kb.DMatrix(X, label=y)
    params = {"booster": "dart", "rate_drop": 0.4, "one_drop": True, "base_score": 0.5, "max_depth": 3}
    own = kb.train(params, data, 8, obj=lambda margins, d: (margins - d.get_label(), np.ones_like(margins)))
    built_in = kb.train(params, data, 8)
    np.testing.assert_array_equal(own.predict(data), built_in.predict(data))


@pytest.mark.parametrize("drops", [{"rate_drop": 0.4}, {"one_drop": True}, {"skip_drop": 0.2, "rate_drop": 0.5}])
def test_parameters_that_drop_make_gbtree_dart(drops: dict[str, object], regression: Table) -> None:
    X, y = regression
    train, held = kb.DMatrix(X[:350], label=y[:350]), kb.DMatrix(X[350:], label=y[350:])
    dart = kb.train({"booster": "dart", **drops}, train, 8)
    for params in (drops, {"booster": "gbtree", **drops}):
        assert bytes(kb.train(params, train, 8).save_raw()) == bytes(dart.save_raw())
    assert bytes(kb.train({}, train, 8).save_raw()) != bytes(dart.save_raw())
    model = KauriRegressor(n_estimators=8, **drops).fit(X[:350], y[:350])
    np.testing.assert_array_equal(model.predict(X[:350]), dart.predict(train))
    stop = kb.callback.EarlyStopping(rounds=2, save_best=True)
    log: dict = {}
    stopped = kb.train(
        {"eta": 1.0, **drops}, train, 60, evals=[(held, "held")], callbacks=[stop], evals_result=log, verbose_eval=False
    )
    assert rmse(stopped.predict(held), y[350:]) == pytest.approx(min(log["held"]["rmse"]), rel=1e-5)
    again = pickle.loads(pickle.dumps(dart))
    np.testing.assert_array_equal(again.predict(held), dart.predict(held))


@pytest.mark.parametrize("estimator", [KauriRegressor(booster="dart", rate_drop=0.3, one_drop=True, n_estimators=6)])
def test_parameters_of_dart_reach_the_booster(estimator: KauriRegressor, regression: Table) -> None:
    X, y = regression
    model = clone(estimator).fit(X, y)
    params = {"booster": "dart", "rate_drop": 0.3, "one_drop": True}
    expected = kb.train(params, kb.DMatrix(X, label=y), 6).predict(kb.DMatrix(X))
    np.testing.assert_array_equal(model.predict(X), expected)


def test_a_linear_regressor_is_its_coefficients(regression: Table) -> None:
    X, y = regression
    model = KauriRegressor(booster="gblinear", n_estimators=30).fit(X, y)
    np.testing.assert_allclose(X @ model.coef_ + model.intercept_, model.predict(X), rtol=1e-4, atol=1e-5)
    design = np.column_stack([X, np.ones(len(X))])
    best = np.linalg.lstsq(design, y, rcond=None)[0]
    np.testing.assert_allclose(model.coef_, best[:-1], atol=1e-3)
    np.testing.assert_allclose(model.feature_importances_, model.coef_ / model.coef_.sum(), rtol=1e-5)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_a_linear_classifier_of_three_classes(multiclass: Table) -> None:
    X, y = multiclass
    model = KauriClassifier(booster="gblinear", n_estimators=20).fit(X, y)
    assert model.coef_.shape == (3, 4)
    margins = X @ model.coef_.T + model.intercept_
    np.testing.assert_allclose(margins, model.predict(X, output_margin=True), rtol=1e-4, atol=1e-4)
    assert model.score(X, y) > 0.8
    assert model.feature_importances_.shape == (4, 3)


def test_early_stopping_keeps_all_of_a_linear_model(regression: Table) -> None:
    X, y = regression
    model = KauriRegressor(booster="gblinear", n_estimators=200, early_stopping_rounds=3)
    model.fit(X[:300], y[:300], eval_set=[(X[300:], y[300:])])
    np.testing.assert_array_equal(model.predict(X), model.get_booster().predict(kb.DMatrix(X)))


def test_trees_have_no_coefficients(regression: Table) -> None:
    model = KauriRegressor(n_estimators=2).fit(*regression)
    with pytest.raises(AttributeError, match="gblinear"):
        _ = model.coef_


def test_linear_models_on_sparse_rows_equal_those_on_dense_rows() -> None:
    """An entry that is not stored is missing and counts as 0, like a stored zero."""
    values = scipy.sparse.random(300, 400, density=0.05, format="csr", random_state=3, dtype=np.float32)
    y = np.asarray(values.sum(axis=1)).reshape(-1)
    sparse = kb.DMatrix(values, label=y)
    booster = kb.train({"booster": "gblinear", "lambda": 0.01}, sparse, 5)
    dense = kb.train({"booster": "gblinear", "lambda": 0.01}, kb.DMatrix(values.toarray(), label=y), 5)
    np.testing.assert_allclose(booster.predict(sparse), dense.predict(sparse), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(booster.predict(sparse), booster.inplace_predict(values))


def test_what_a_linear_model_has_not(regression: Table) -> None:
    X, y = regression
    data = kb.DMatrix(X, label=y)
    booster = kb.train({"booster": "gblinear"}, data, 3)
    for call, message in [
        (lambda: booster.predict(data, pred_leaf=True), "no leaves"),
        (lambda: booster.predict(data, iteration_range=(0, 1)), "leave the range out"),
        (lambda: booster[0:1], "slice"),
        (lambda: booster.get_score(importance_type="gain"), "weight only"),
        (lambda: booster.get_dump(dump_format="dot"), "text or json"),
        (lambda: kb.train({"booster": "gbtree"}, data, 1, xgb_model=booster), "linear"),
    ]:
        with pytest.raises(kb.KauriError, match=message):
            call()


def test_a_forest_is_one_round_of_drawn_trees(regression: Table, binary: Table) -> None:
    X, y = regression
    model = KauriRFRegressor(n_estimators=40, max_depth=8, random_state=3).fit(X[:350], y[:350])
    booster = model.get_booster()
    assert booster.num_boosted_rounds() == 1
    assert len(booster.get_dump()) == 40
    assert len(set(booster.get_dump())) == 40
    one_tree = KauriRFRegressor(n_estimators=1, max_depth=8, random_state=3).fit(X[:350], y[:350])
    assert rmse(model.predict(X[350:]), y[350:]) < 0.9 * rmse(one_tree.predict(X[350:]), y[350:])
    classifier = KauriRFClassifier(n_estimators=30, random_state=3).fit(binary[0][:400], binary[1][:400])
    assert classifier.score(binary[0][400:], binary[1][400:]) > 0.75


def test_a_forest_keeps_the_conventions_of_scikit_learn(multiclass: Table) -> None:
    forest = KauriRFClassifier(n_estimators=5, max_depth=3, n_jobs=1)
    params = forest.get_params()
    assert (params["learning_rate"], params["subsample"], params["colsample_bynode"]) == (1.0, 0.8, 0.8)
    assert clone(forest).get_params() == params
    assert len(forest.fit(*multiclass).get_booster().get_dump()) == 15
    assert forest.set_params(subsample=0.5).subsample == 0.5
    with pytest.raises(ValueError, match="one round"):
        KauriRFRegressor(early_stopping_rounds=2).fit(*multiclass)
