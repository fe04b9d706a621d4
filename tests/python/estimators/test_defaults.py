"""Classifier and regressor have defaults of their own where a parameter is not given; all else has XGBoost's."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from kauriboost._estimators.defaults import OF_TREES, ROUNDS
from sklearn.base import clone

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 5)).astype(np.float32)
Y = (X[:, 0] * X[:, 1] + X[:, 2] + 0.3 * RNG.normal(size=400)).astype(np.float32)
GRADES, SIZES = np.digitize(Y, [-0.5, 0.5]), [20] * 20
FEW: dict[str, Any] = {"n_estimators": 12}


def trained(params: dict[str, Any], data: kb.DMatrix | None = None) -> np.ndarray:
    booster = kb.train(params, data or kb.DMatrix(X, Y), 12, verbose_eval=False)
    return booster.predict(kb.DMatrix(X))


def fitted(**params: Any) -> np.ndarray:
    return kb.KauriRegressor(**FEW, **params).fit(X, Y).predict(X)


def test_classifier_and_regressor_have_them() -> None:
    np.testing.assert_array_equal(fitted(), trained({**OF_TREES}))
    assert not np.array_equal(fitted(), trained({}))
    classifier = kb.KauriClassifier(**FEW).fit(X, Y > 0)
    of_two = trained({**OF_TREES, "objective": "binary:logistic"}, kb.DMatrix(X, Y > 0))
    np.testing.assert_array_equal(classifier.predict_proba(X)[:, 1], of_two)
    assert kb.KauriRegressor().fit(X, Y).get_booster().num_boosted_rounds() == ROUNDS == 200
    assert OF_TREES == {"learning_rate": 0.1, "reg_lambda": 5, "colsample_bynode": 0.5}


def test_the_ranker_keeps_xgboosts() -> None:
    ranker = kb.KauriRanker(**FEW).fit(X, GRADES, group=SIZES)
    ranked = trained({"objective": "rank:ndcg"}, kb.DMatrix(X, GRADES, group=SIZES))
    np.testing.assert_array_equal(ranker.predict(X), ranked)
    assert kb.KauriRanker().get_num_boosting_rounds() == 100


def test_a_parameter_that_is_given_wins_under_each_name() -> None:
    for given in ({"learning_rate": 0.3}, {"eta": 0.3}, {"reg_lambda": 0}, {"lambda": 0}, {"colsample_bynode": 1}):
        own = {"eta": "learning_rate", "lambda": "reg_lambda"}
        told = {own.get(name, name): value for name, value in given.items()}
        np.testing.assert_array_equal(fitted(**given), trained({**OF_TREES, **told}))
    model = kb.KauriRegressor(**FEW).set_params(learning_rate=0.3)
    np.testing.assert_array_equal(model.fit(X, Y).predict(X), fitted(learning_rate=0.3))
    np.testing.assert_array_equal(model.set_params(learning_rate=None).fit(X, Y).predict(X), fitted())
    assert kb.KauriRegressor(n_estimators=7).get_num_boosting_rounds() == 7


def test_parameters_stay_none_and_the_boosters_are_shown() -> None:
    model = kb.KauriClassifier()
    assert all(model.get_params()[name] is None for name in OF_TREES)
    assert model.get_booster_params().items() >= OF_TREES.items()
    assert repr(model) == "KauriClassifier()"
    assert repr(clone(model)) == repr(model)
    again = pickle.loads(pickle.dumps(model.fit(X, Y > 0)))
    assert repr(again.get_params()) == repr(model.get_params())
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize(
    "given",
    [
        {"booster": "gblinear"},
        {"booster": "dart", "rate_drop": 0.2},
        {"rate_drop": 0.2},
        {"num_parallel_tree": 3, "subsample": 0.5},
    ],
    ids=str,
)
def test_other_kinds_of_boosting_keep_xgboosts(given: dict[str, Any]) -> None:
    np.testing.assert_array_equal(fitted(**given), trained(given))
    assert kb.KauriRegressor(**given).get_num_boosting_rounds() == 100


def test_updates_of_trees_keep_xgboosts() -> None:
    given = {"updater": "refresh", "process_type": "update"}
    assert kb.KauriRegressor(**given).get_booster_params() == given


def test_random_forests_have_a_forests_defaults() -> None:
    params = kb.KauriRFRegressor(n_estimators=5).get_booster_params()
    assert params == {
        "learning_rate": 1.0, "subsample": 0.8, "colsample_bynode": 0.8, "reg_lambda": 1e-5, "num_parallel_tree": 5,
    }  # fmt: skip
    assert kb.KauriRFClassifier().get_booster_params()["num_parallel_tree"] == 100


@pytest.mark.parametrize(
    "given",
    [
        {"tree_method": "exact"},
        {"tree_method": "approx"},
        {"booster": "gbtree"},
        {"grow_policy": "lossguide", "max_leaves": 8},
        {"grow_policy": "symmetric"},
        {"num_parallel_tree": 1},
    ],
    ids=str,
)
def test_other_trees_have_them(given: dict[str, Any]) -> None:
    np.testing.assert_array_equal(fitted(**given), trained({**OF_TREES, **given}))


def test_fit_best_chooses_by_itself() -> None:
    model = kb.KauriRegressor(preset="best", rounds_budget=30)
    assert model.get_booster_params() == {}
    assert model.fit(X, Y).best_fit_.trained == kb.fit_best(X, Y, rounds_budget=30).trained
    chosen = kb.KauriRegressor(preset="best", rounds_budget=30, learning_rate=0.2).fit(X, Y).best_fit_.best.params
    assert "eta" in model.best_fit_.best.params
    assert "eta" not in chosen


STAND_IN = """
import numpy as np
import kauriboost as kb
kb.install_as_xgboost()
from xgboost import XGBRegressor
rng = np.random.default_rng(0)
X = rng.normal(size=(200, 3)); y = X[:, 0] * X[:, 1]
ours = XGBRegressor(n_estimators=5).fit(X, y).predict(X)
np.testing.assert_array_equal(ours, kb.train({}, kb.DMatrix(X, y), 5, verbose_eval=False).predict(kb.DMatrix(X)))
assert XGBRegressor().get_booster_params() == {} and XGBRegressor().get_num_boosting_rounds() == 100
print("equal")
"""


def test_under_xgboosts_names_they_have_xgboosts() -> None:
    package = Path(kb.__path__[0]).parent
    done = subprocess.run([sys.executable, "-c", STAND_IN], cwd=package, capture_output=True, text=True, check=False)
    assert "equal" in done.stdout, done.stderr
