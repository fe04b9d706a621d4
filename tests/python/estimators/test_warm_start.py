"""`warm_start`: a second `fit` adds rounds to the model of the first."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from sklearn.base import clone

SETTING: dict[str, Any] = {"max_depth": 3, "subsample": 0.7, "colsample_bytree": 0.8, "n_jobs": 1, "random_state": 7}
RNG = np.random.default_rng(3)
X = RNG.normal(size=(300, 5))
CODES = np.digitize(X[:, 0] + X[:, 1] * X[:, 2], [-0.5, 0.5])
QID = np.repeat(np.arange(30), 10)
CASES: list[tuple[Any, Any, dict[str, Any]]] = [
    (kb.KauriRegressor, X[:, 0] ** 2, {}),
    (kb.KauriRegressor, X[:, :2] ** 2, {}),
    (kb.KauriClassifier, CODES > 0, {}),
    (kb.KauriClassifier, np.array(["low", "mid", "high"])[CODES], {}),
    (kb.KauriClassifier, np.column_stack([CODES > 0, CODES > 1]).astype(int), {}),
    (kb.KauriRanker, CODES, {"qid": QID}),
]


def raw(model: Any) -> bytes:
    return bytes(model.get_booster().save_raw("ubj"))


@pytest.mark.parametrize("booster", ["gbtree", "dart"])
@pytest.mark.parametrize(("estimator", "y", "how"), CASES)
def test_rounds_in_parts_are_the_rounds_at_once(estimator: Any, y: Any, how: dict[str, Any], booster: str) -> None:
    setting = {**SETTING, "booster": booster, **({"rate_drop": 0.3} if booster == "dart" else {})}
    at_once = estimator(n_estimators=12, **setting).fit(X, y, **how)
    in_parts = estimator(n_estimators=5, warm_start=True, **setting).fit(X, y, **how)
    assert in_parts.get_booster().num_boosted_rounds() == 5
    for n in (6, 12):
        in_parts.set_params(n_estimators=n).fit(X, y, **how)
        assert in_parts.get_booster().num_boosted_rounds() == n
    assert raw(in_parts) == raw(at_once)
    assert raw(in_parts.set_params(warm_start=False).fit(X, y, **how)) == raw(at_once)


def test_evaluations_follow_each_other() -> None:
    y = X[:, 0]
    at_once = kb.KauriRegressor(n_estimators=8, **SETTING).fit(X, y, eval_set=[(X, y)])
    in_parts = kb.KauriRegressor(n_estimators=3, warm_start=True, **SETTING).fit(X, y, eval_set=[(X, y)])
    in_parts.set_params(n_estimators=8).fit(X, y, eval_set=[(X, y)])
    assert in_parts.evals_result() == at_once.evals_result()
    in_parts.set_params(n_estimators=9).fit(X, y, eval_set=[(X, y), (X, y)])
    assert [len(log["rmse"]) for log in in_parts.evals_result().values()] == [1, 1]


def test_as_many_rounds_as_before_add_none() -> None:
    model = kb.KauriRegressor(n_estimators=4, warm_start=True, **SETTING).fit(X, X[:, 0])
    before = raw(model)
    with pytest.warns(UserWarning, match=r"fit\(\) adds no rounds: .* n_estimators=4") as caught:
        model.fit(X, X[:, 0])
    assert caught[0].filename == __file__
    assert raw(model) == before


def test_classes_of_the_first_fit_stay() -> None:
    names = np.array(["low", "mid", "high"])[CODES]
    model = kb.KauriClassifier(n_estimators=3, warm_start=True, **SETTING).fit(X, names)
    some = names != "mid"
    model.set_params(n_estimators=5).fit(X[some], names[some])
    assert model.classes_.tolist() == ["high", "low", "mid"]
    assert model.predict_proba(X).shape == (300, 3)
    before = raw(model)
    with pytest.raises(ValueError, match="the label 'none' is not among the classes"):
        model.set_params(n_estimators=6).fit(X, np.where(some, names, "none"))
    assert raw(model) == before
    numbers = kb.KauriClassifier(n_estimators=3, warm_start=True, **SETTING).fit(X, CODES)
    numbers.set_params(n_estimators=5).fit(X[CODES < 2], CODES[CODES < 2])
    assert numbers.classes_.tolist() == [0, 1, 2]


def test_it_is_a_parameter_of_scikit_learn() -> None:
    model = kb.KauriRegressor(warm_start=True, n_estimators=2).fit(X, X[:, 0])
    assert clone(model).get_params()["warm_start"] is True
    assert "warm_start" not in model.get_booster_params()
    assert raw(clone(model).fit(X, X[:, 0])) == raw(model)


def test_a_loaded_model_goes_on(tmp_path: Any) -> None:
    path = tmp_path / "model.ubj"
    kb.KauriRegressor(n_estimators=4, **SETTING).fit(X, X[:, 0]).save_model(path)
    model = kb.KauriRegressor(n_estimators=9, warm_start=True, **SETTING)
    model.load_model(path)
    model.fit(X, X[:, 0])
    assert raw(model) == raw(kb.KauriRegressor(n_estimators=9, **SETTING).fit(X, X[:, 0]))


def fitted(**more: Any) -> Any:
    return kb.KauriRegressor(n_estimators=5, warm_start=True, **{**SETTING, **more}).fit(X, X[:, 0])


@pytest.mark.parametrize(
    ("changes", "given", "words"),
    [
        ({"n_estimators": 4}, {}, "n_estimators is 4, but with warm_start=True it must be 5 or more"),
        ({"n_estimators": 9}, {"xgb_model": fitted()}, "xgb_model is given"),
        ({"n_estimators": 9, "objective": "reg:absoluteerror"}, {}, "objective is reg:absoluteerror, but the last"),
        ({"n_estimators": 9, "booster": "dart"}, {}, "booster is dart, but the last"),
        ({"n_estimators": 9, "missing": 3.0}, {"X": np.abs(X) + 4}, "missing is 3.0, but the last fit had nan"),
        ({"n_estimators": 9, "preset": "best"}, {}, "warm_start does not go with preset='best'"),
        ({"n_estimators": 9}, {"X": X[:, :3]}, "3"),
        ({"n_estimators": 9}, {"y": X[:, :2]}, "2"),
    ],
)
def test_another_kind_of_model_is_refused(changes: dict[str, Any], given: dict[str, Any], words: str) -> None:
    model = fitted()
    before = raw(model)
    with pytest.raises(ValueError, match=words):
        model.set_params(**changes).fit(**{"X": X, "y": X[:, 0], **given})
    assert raw(model) == before


def test_a_forest_is_one_round() -> None:
    with pytest.raises(ValueError, match="a random forest is one round"):
        kb.KauriRFRegressor(warm_start=True).fit(X, X[:, 0])


def test_linear_models_go_on() -> None:
    setting: dict[str, Any] = {"booster": "gblinear", "n_jobs": 1, "updater": "coord_descent"}
    at_once = kb.KauriRegressor(n_estimators=8, **setting).fit(X, X[:, 0])
    model = kb.KauriRegressor(n_estimators=3, warm_start=True, **setting).fit(X, X[:, 0])
    model.set_params(n_estimators=8).fit(X, X[:, 0])
    np.testing.assert_allclose(model.predict(X), at_once.predict(X), rtol=1e-5)
