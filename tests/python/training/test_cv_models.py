"""cv(return_models=True): models and predictions for held-out rows, compared with a loop of trainings on slices."""

from __future__ import annotations

import pickle
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from kauriboost._training.folds import make_folds
from sklearn.model_selection import GroupKFold, KFold, cross_val_predict

XGBOOSTS: dict[str, Any] = {"learning_rate": 0.3, "reg_lambda": 1, "colsample_bynode": 1}  # its defaults
RNG = np.random.default_rng(7)
X = RNG.normal(size=(400, 5)).astype(np.float32)
X[RNG.random(X.shape) < 0.1] = np.nan
Y = (np.nan_to_num(X[:, 0] * X[:, 1] + X[:, 2]) + RNG.normal(scale=0.3, size=400)).astype(np.float32)
CLASSES = np.digitize(Y, [-0.5, 0.5])

CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {  # parameters, and fields of the matrix besides X
    "regression": ({"subsample": 0.7}, {"label": Y}),
    "exact": ({"tree_method": "exact"}, {"label": Y, "weight": np.linspace(0.5, 2, 400)}),
    "binary": ({"objective": "binary:logistic"}, {"label": Y > 0}),
    "classes": ({"objective": "multi:softprob", "num_class": 3}, {"label": CLASSES}),
    "the likeliest": ({"objective": "multi:softmax", "num_class": 3}, {"label": CLASSES}),
    "targets": ({"multi_strategy": "multi_output_tree"}, {"label": np.c_[Y, -Y]}),
    "quantiles": ({"objective": "reg:quantileerror", "quantile_alpha": [0.1, 0.9]}, {"label": Y}),
    "ranking": ({"objective": "rank:ndcg"}, {"label": CLASSES, "group": np.full(40, 10)}),
    "dart": ({"booster": "dart", "rate_drop": 0.3}, {"label": Y}),
    "linear": ({"booster": "gblinear"}, {"label": Y}),
    "margins": ({}, {"label": Y, "base_margin": np.linspace(-1, 1, 400)}),
}


def thirds() -> list[tuple[np.ndarray, np.ndarray]]:
    return make_folds(kb.DMatrix(X, label=Y), 3, False, None, 5, True)


def expect_table(found: Any, expected: Any) -> None:
    np.testing.assert_array_equal(found.to_numpy(), expected.to_numpy())


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("threads", [1, 3])
def test_a_loop_of_trainings(case: str, threads: int) -> None:
    params, info = CASES[case]
    params, data = {**params, "nthread": threads}, kb.DMatrix(X, **info)
    found = kb.cv(params, data, 4, nfold=3, seed=5, return_models=True)
    folds = make_folds(data, 3, False, None, 5, True)
    expect_table(found.table, kb.cv(params, data, 4, nfold=3, seed=5))
    assert found.best_iteration is None
    assert len(found.predictions) == 400
    for booster, known, (train, test) in zip(found.boosters, found.folds, folds, strict=True):
        np.testing.assert_array_equal(known[0], train)
        np.testing.assert_array_equal(known[1], test)
        alone = kb.train(params, data.slice(train, allow_groups=True), 4, verbose_eval=False)
        assert booster.save_raw() == alone.save_raw()
        expected = alone.predict(data.slice(test, allow_groups=True))
        assert found.predictions.dtype == expected.dtype
        np.testing.assert_array_equal(found.predictions[test], expected)


@pytest.mark.parametrize("objective", ["reg:squarederror", "binary:logistic", "multi:softprob"])
def test_equals_scikit_learns(objective: str) -> None:
    splitter = KFold(4, shuffle=True, random_state=1)
    params = {"objective": objective, "max_depth": 3} | ({"num_class": 3} if "multi" in objective else {})
    labels = {"reg:squarederror": Y, "binary:logistic": (Y > 0).astype(int), "multi:softprob": CLASSES}[objective]
    found = kb.cv(params, kb.DMatrix(X, label=labels), 6, folds=splitter, return_models=True).predictions
    kind, method = (kb.KauriRegressor, "predict") if objective[0] == "r" else (kb.KauriClassifier, "predict_proba")
    theirs = cross_val_predict(kind(n_estimators=6, max_depth=3, **XGBOOSTS), X, labels, cv=splitter, method=method)
    np.testing.assert_array_equal(found, theirs[:, 1] if objective[0] == "b" else theirs)


def test_queries_by_a_splitter() -> None:
    params, info = CASES["ranking"]
    query = np.repeat(np.arange(40), 10)
    found = kb.cv(params, kb.DMatrix(X, **info), 3, folds=GroupKFold(4), return_models=True)
    ranker = kb.KauriRanker(n_estimators=3)
    for train, test in found.folds:
        ranker.fit(X[train], CLASSES[train], qid=query[train])
        np.testing.assert_array_equal(found.predictions[test], ranker.predict(X[test]))


def test_early_stopping_predicts_by_the_best_round() -> None:
    data, folds = kb.DMatrix(X, label=Y), thirds()
    how: dict[str, Any] = {"folds": folds, "early_stopping_rounds": 3}
    found = kb.cv({"eta": 0.8}, data, 60, return_models=True, **how)
    table = kb.cv({"eta": 0.8}, data, 60, **how)
    expect_table(found.table, table)
    best = len(table) - 1
    assert found.best_iteration == best
    for booster, (train, test) in zip(found.boosters, folds, strict=True):
        assert booster.best_iteration == best
        assert booster.num_boosted_rounds() == best + 4
        alone = kb.train({"eta": 0.8}, data.slice(train), best + 1, verbose_eval=False)
        np.testing.assert_array_equal(found.predictions[test], alone.predict(data.slice(test)))
    linear = kb.cv({"booster": "gblinear", "eta": 1.5}, data, 30, return_models=True, **how)
    for booster, (_, test) in zip(linear.boosters, folds, strict=True):
        np.testing.assert_array_equal(linear.predictions[test], booster.predict(data.slice(test)))


def test_rows_of_several_folds_and_of_none() -> None:
    data = kb.DMatrix(X, label=np.c_[Y, -Y])
    folds = [(np.arange(200), np.arange(200, 300)), (np.arange(50, 200), np.r_[np.arange(250, 350), 40])]
    found = kb.cv({}, data, 3, folds=folds, return_models=True).predictions
    parts = [kb.train({}, data.slice(train), 3, verbose_eval=False).predict(data) for train, _ in folds]
    np.testing.assert_array_equal(found[200:250], parts[0][200:250])
    means = (parts[0][250:300].astype(np.float64) + parts[1][250:300]) / 2
    np.testing.assert_array_equal(found[250:300], means.astype(np.float32))
    np.testing.assert_array_equal(found[300:350], parts[1][300:350])
    np.testing.assert_array_equal(found[40], parts[1][40])
    assert np.isnan(found[350:]).all()
    assert np.isnan(found).all(axis=1).sum() == 400 - 151


def test_own_objectives_give_margins() -> None:
    def logistic(margins: np.ndarray, data: kb.DMatrix) -> tuple[np.ndarray, np.ndarray]:
        p = 1 / (1 + np.exp(-margins))
        return p - data.get_label(), p * (1 - p)

    data = kb.DMatrix(X, label=Y > 0)
    found = kb.cv({"objective": "binary:logistic"}, data, 3, obj=logistic, return_models=True)
    for booster, (_, test) in zip(found.boosters, found.folds, strict=True):
        np.testing.assert_array_equal(found.predictions[test], booster.predict(data.slice(test), output_margin=True))


def test_models_go_on_and_are_kept() -> None:
    data = kb.DMatrix(X, label=Y)
    found = kb.cv({"nthread": 2}, data, 3, folds=thirds(), return_models=True)
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.predictions, found.predictions)
    train = data.slice(found.folds[0][0])
    further = kb.train({}, train, 2, xgb_model=again.boosters[0], verbose_eval=False)
    assert further.save_raw() == kb.train({}, train, 5, verbose_eval=False).save_raw()
    assert repr(found) == "CvResult(folds=3, rounds=3, predictions=(400,))"
    stopped = kb.cv({"eta": 0.8}, data, 60, early_stopping_rounds=2, return_models=True)
    assert f"best_iteration={stopped.best_iteration})" in repr(stopped)


SETTINGS: list[dict[str, Any]] = [{"max_depth": 2}, {"max_depth": 4, "subsample": 0.6}, {"max_bin": 16}, {"eta": 0.8}]


@pytest.mark.parametrize("shared_bins", [False, True])
@pytest.mark.parametrize("stopping", [None, 2])
def test_several_settings_are_those_alone(shared_bins: bool, stopping: int | None) -> None:
    how: dict[str, Any] = {
        "nfold": 3, "seed": 5, "shared_bins": shared_bins, "early_stopping_rounds": stopping, "return_models": True
    }  # fmt: skip
    together = kb.cv(SETTINGS, kb.DMatrix(X, label=Y), 12, **how)
    for found, setting in zip(together, SETTINGS, strict=True):
        data = kb.DMatrix(X, label=Y)
        alone = kb.cv(setting, data, 12, **how)
        expect_table(found.table, alone.table)
        np.testing.assert_array_equal(found.predictions, alone.predictions)
        whole = data.binned(setting.get("max_bin", 256)) if shared_bins else data
        for one, other, (train, _) in zip(found.boosters, alone.boosters, found.folds, strict=True):
            assert one.save_raw() == other.save_raw()
            if stopping is None:
                assert one.save_raw() == kb.train(setting, whole.slice(train), 12, verbose_eval=False).save_raw()


def test_settings_of_other_methods_metrics_and_rows() -> None:
    def halved(train: kb.DMatrix, test: kb.DMatrix, params: dict[str, Any]) -> Any:
        train.set_weight(np.linspace(0.1, 1, train.num_row()))
        return train, test, {**params, "eta": params.get("eta", 0.3) / 2}

    settings = [{"tree_method": "exact"}, {"booster": "gblinear"}, {"tree_method": "approx", "eval_metric": "mae"}]
    data = kb.DMatrix(X, label=Y)
    for how in ({}, {"fpreproc": halved}):
        tables = kb.cv(settings, data, 3, **how)
        for table, setting in zip(tables, settings, strict=True):
            assert table.equals(kb.cv(setting, data, 3, **how))
    assert "test-mae-mean" in tables[2]
    assert kb.cv([("max_depth", 2)], data, 3).equals(kb.cv({"max_depth": 2}, data, 3))
    assert kb.cv([], data, 3).equals(kb.cv({}, data, 3))
    assert len(kb.cv([{}], data, 3)) == 1


def test_no_setting_is_trained_before_all_are_checked() -> None:
    seen = []

    class Spy(kb.callback.TrainingCallback):
        def before_training(self, model: Any) -> Any:
            seen.append(model)
            return model

    data = kb.DMatrix(X, label=Y)
    with pytest.raises(kb.ParameterError, match="max_depht"):
        kb.cv([{}, {"max_depht": 2}], data, 2, callbacks=[Spy()])
    with pytest.raises(kb.ParameterError, match="tree_method=exact needs the values of the features"):
        kb.cv([{}, {"tree_method": "exact"}], data, 2, shared_bins=True, callbacks=[Spy()])
    assert seen == []


def test_refusals() -> None:
    data, halves = kb.DMatrix(X, label=CLASSES), [(np.arange(200), np.arange(100, 400)), (np.arange(9), [150])]
    softmax = {"objective": "multi:softmax", "num_class": 3}
    with pytest.raises(kb.ParameterError, match=r"row 150 is tested 2 times, and classes have no mean; set .*softprob"):
        kb.cv(softmax, data, 2, folds=halves, return_models=True)
    assert len(kb.cv(softmax, data, 2, folds=halves)) == 2
    with pytest.raises(kb.DataError, match=r"fpreproc has returned 9 test rows for fold 0, which has 134"):
        kb.cv({}, data, 2, fpreproc=lambda a, b, p: (a, b.slice(range(9)), p), return_models=True)
    with pytest.raises(kb.ParameterError, match=r"params\[1\] is \('eta', 1\) among dictionaries"):
        kb.cv([{}, ("eta", 1)], data, 2)
    with pytest.raises(TypeError, match=r"dtrain is of the type ndarray; cv\(\) slices a kauriboost.DMatrix"):
        kb.cv({}, X, 2)
