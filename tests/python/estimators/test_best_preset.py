"""Estimators with preset="best": fit_best within scikit-learn's conventions."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest
from kauriboost.sklearn import KauriClassifier, KauriRanker, KauriRegressor, KauriRFRegressor
from sklearn.base import clone

RNG = np.random.default_rng(6)
X = RNG.normal(size=(500, 4))
Y = X[:, 0] * X[:, 1] + RNG.normal(scale=0.3, size=500)
NAMES = np.where(Y > 0.5, "high", np.where(Y < -0.5, "low", "some"))
BEST: dict[str, Any] = {"preset": "best", "rounds_budget": 40}


def test_it_is_fit_best() -> None:
    model = KauriRegressor(random_state=3, max_depth=3, **BEST).fit(X, Y, sample_weight=np.linspace(1, 2, 500))
    params = {"random_state": 3, "max_depth": 3, "objective": "reg:squarederror"}
    found = kb.fit_best(X, Y, params=params, weight=np.linspace(1, 2, 500), seed=3, rounds_budget=40)
    np.testing.assert_array_equal(model.predict(X), found.predict(X))
    assert model.best_fit_.best.params == found.best.params
    assert "max_depth" not in found.best.params
    assert model.get_booster() is model.best_fit_.booster


@pytest.mark.parametrize("names", [["high", "low", "some"], ["no", "yes"]])
def test_classes_have_their_names(names: list[str], tmp_path: Path) -> None:
    labels = NAMES if len(names) == 3 else np.where(Y > 0, "yes", "no")
    model = KauriClassifier(class_weight="balanced", **BEST).fit(pd.DataFrame(X, columns=list("abcd")), labels)
    assert model.classes_.tolist() == names
    rows = pd.DataFrame(X, columns=list("abcd"))
    assert (model.predict(rows) == labels).mean() > 0.7
    assert model.predict_proba(rows).shape == (500, len(names))
    assert model.feature_names_in_.tolist() == list("abcd")
    model.save_model(tmp_path / "model.ubj")
    loaded = KauriClassifier()
    loaded.load_model(tmp_path / "model.ubj")
    np.testing.assert_array_equal(loaded.predict(rows), model.predict(rows))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(rows), model.predict_proba(rows))


def test_tables_of_labels_and_targets() -> None:
    table = np.column_stack([Y > 0, X[:, 2] > 0]).astype(int)
    assert KauriClassifier(**BEST).fit(X, table).predict(X).shape == (500, 2)
    assert KauriRegressor(**BEST).fit(X, np.column_stack([Y, -Y])).predict(X).shape == (500, 2)


def test_ranking() -> None:
    qid = np.repeat(np.arange(100), 5)
    relevance = np.digitize(X[:, 0], [-0.5, 0.5])
    model = KauriRanker(**BEST).fit(X, relevance, qid=qid)
    assert model.best_fit_.metric == "ndcg@32"
    assert model.score(X, relevance, qid=qid) > 0.9


def test_metrics_of_sklearn_decide() -> None:
    from sklearn.metrics import mean_absolute_error

    model = KauriRegressor(eval_metric=mean_absolute_error, **BEST).fit(X, Y)
    assert model.best_fit_.metric == "mean_absolute_error"


def test_an_estimator_fitted_again() -> None:
    model = KauriRegressor(**BEST).fit(X, Y)
    assert clone(model).get_params()["preset"] == "best"
    first = model.predict(X)
    with pytest.raises(ValueError, match="eval_set does not go with preset='best'"):
        model.fit(X, Y, eval_set=[(X, Y)])
    np.testing.assert_array_equal(model.predict(X), first)
    model.set_params(preset=None, rounds_budget=None, n_estimators=3).fit(X, Y)
    assert model.get_booster().num_boosted_rounds() == 3
    assert not hasattr(model, "best_fit_")
    model.set_params(**BEST).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), first)


@pytest.mark.parametrize(
    ("params", "how", "message"),
    [
        ({"preset": "fast"}, {}, "preset is 'fast'; expected 'best'"),
        ({"time_budget": 3}, {}, "time_budget is 3 and preset is None; set preset='best'"),
        ({"rounds_budget": 3}, {}, "rounds_budget is 3 and preset is None"),
        ({**BEST, "early_stopping_rounds": 3}, {}, "early_stopping_rounds does not go with preset='best'"),
        ({**BEST, "validation_fraction": 0.2}, {}, "validation_fraction does not go with"),
        ({**BEST, "callbacks": [kb.callback.MaxTime(3)]}, {}, "callbacks does not go with"),
        ({**BEST, "objective": lambda y, margins: (margins - y, np.ones(len(y)))}, {}, "objective, a function,"),
        (BEST, {"xgb_model": KauriRegressor(n_estimators=1).fit(X, Y)}, "xgb_model does not go with"),
        ({"preset": "best", "rounds_budget": 0}, {}, "rounds_budget is 0"),
    ],
)
def test_refusals(params: dict[str, Any], how: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        KauriRegressor(**params).fit(X, Y, **how)


def test_forests_and_intervals_have_no_preset() -> None:
    with pytest.raises(ValueError, match="preset have no meaning"):
        KauriRFRegressor(**BEST).fit(X, Y)
    with pytest.raises(ValueError, match="preset does not go with fit_intervals"):
        KauriRegressor(**BEST).fit_intervals(X, Y)
