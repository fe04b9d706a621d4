"""refit: leaf values from other data on existing splits, compared with the definition tree by tree."""

from __future__ import annotations

import json
from typing import Any

import kauriboost as kb
import numpy as np
import pytest

PARAMS: dict[str, Any] = {"max_depth": 4, "eta": 0.2, "lambda": 2.0}
ROUNDS = 12


@pytest.fixture(scope="module")
def rows() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    features = rng.normal(size=(4000, 5)).astype(np.float32)
    return features, (features[:, 0] * features[:, 1] + features[:, 2] + rng.normal(size=4000) / 4).astype(np.float32)


@pytest.fixture(scope="module")
def model(rows: tuple[np.ndarray, np.ndarray]) -> kb.Booster:
    data = kb.DMatrix(rows[0][:2000], label=rows[1][:2000])
    return kb.train(PARAMS, data, ROUNDS, verbose_eval=False)


@pytest.fixture
def others(rows: tuple[np.ndarray, np.ndarray]) -> kb.DMatrix:
    """Return rows with changed labels; so few that some leaves have none."""
    return kb.DMatrix(rows[0][2000:2300], label=rows[1][2000:2300] + 3)


def intercept_of(model: kb.Booster) -> float:
    config = json.loads(model.save_raw("json"))["learner"]["learner_model_param"]
    return float(np.ravel(json.loads(config["base_score"]))[0])


def reference(model: kb.Booster, data: kb.DMatrix, decay: float) -> np.ndarray:
    """Return the margins by the definition, for squared error."""
    intercept = intercept_of(model)
    labels = data.get_label().astype(np.float64)
    leaves = model.predict(data, pred_leaf=True).astype(int)
    margins = np.full(len(labels), intercept)
    for i in range(ROUNDS):
        old = model.predict(data, output_margin=True, iteration_range=(i, i + 1)).astype(np.float64) - intercept
        fresh = np.empty_like(old)
        for leaf in np.unique(leaves[:, i]):
            inside = leaves[:, i] == leaf
            step = -(margins[inside] - labels[inside]).sum() / (inside.sum() + PARAMS["lambda"])
            fresh[inside] = PARAMS["eta"] * step
        margins += decay * old + (1 - decay) * fresh
    return margins


@pytest.mark.parametrize("decay", [0.0, 0.5, 0.9, 1.0])
def test_leaves_are_means_of_old_and_new(model: kb.Booster, others: kb.DMatrix, decay: float) -> None:
    before = model.save_raw()
    refitted = kb.refit(model, others, decay_rate=decay)
    assert model.save_raw() == before
    assert refitted.num_boosted_rounds() == ROUNDS
    np.testing.assert_array_equal(refitted.predict(others, pred_leaf=True), model.predict(others, pred_leaf=True))
    np.testing.assert_allclose(refitted.predict(others), reference(model, others, decay), rtol=0, atol=2e-5)
    again = kb.refit(model, others, decay_rate=decay, params={"nthread": 3})
    assert again.save_raw() == refitted.save_raw()


def test_errors_fall_as_decay_does(model: kb.Booster, others: kb.DMatrix) -> None:
    errors = [
        np.square(kb.refit(model, others, decay_rate=decay).predict(others) - others.get_label()).mean()
        for decay in (1.0, 0.9, 0.5, 0.0)
    ]
    assert errors == sorted(errors, reverse=True)
    assert errors[0] > 5 * errors[-1]


def test_what_is_refitted_trains_further(model: kb.Booster, others: kb.DMatrix) -> None:
    refitted = kb.refit(model, others, decay_rate=0.5)
    further = kb.train(PARAMS, others, 3, xgb_model=refitted, verbose_eval=False)
    assert further.num_boosted_rounds() == ROUNDS + 3
    refitted.update(others, ROUNDS)
    assert refitted.num_boosted_rounds() == ROUNDS + 1
    twice = kb.refit(refitted, others, decay_rate=0.5)
    assert twice.num_boosted_rounds() == ROUNDS + 1


def test_a_loaded_model_needs_its_parameters_again(model: kb.Booster, others: kb.DMatrix) -> None:
    loaded = kb.Booster()
    loaded.load_model(model.save_raw("ubj"))
    expected = kb.refit(model, others, decay_rate=0.5)
    found = kb.refit(loaded, others, decay_rate=0.5, params=PARAMS)
    assert found.save_raw() == expected.save_raw()


def test_the_best_round_stays(rows: tuple[np.ndarray, np.ndarray], others: kb.DMatrix) -> None:
    train, test = (kb.DMatrix(rows[0][part], label=rows[1][part]) for part in (slice(300), slice(300, 600)))
    how: dict[str, Any] = {"evals": [(test, "test")], "early_stopping_rounds": 3, "verbose_eval": False}
    stopped = kb.train({"eta": 0.8}, train, 50, **how)
    end = stopped.best_iteration + 1
    assert end < stopped.num_boosted_rounds() < 50
    refitted = kb.refit(stopped, others, decay_rate=0.3)
    assert refitted.best_iteration == stopped.best_iteration
    assert refitted.attr("best_score") is None
    alone = kb.refit(stopped[:end], others, decay_rate=0.3)
    alone.set_attr(best_score=refitted[:end].attr("best_score"))
    assert alone.save_raw() == refitted[:end].save_raw()
    assert kb.train({}, others, 1, xgb_model=refitted, verbose_eval=False).attr("best_iteration") is None


@pytest.mark.parametrize("objective", ["binary:logistic", "multi:softprob"])
def test_classes(rows: tuple[np.ndarray, np.ndarray], objective: str) -> None:
    params = {"objective": objective, "max_depth": 3} | ({"num_class": 3} if "multi" in objective else {})
    classes = np.digitize(rows[1], [-1, 1]) if "multi" in objective else rows[1] > 0
    data = kb.DMatrix(rows[0], label=classes)
    model = kb.train(params, data, 4, verbose_eval=False)
    same = kb.refit(model, data, decay_rate=1)
    np.testing.assert_array_equal(same.predict(data), model.predict(data))
    fresh = kb.refit(model, data, decay_rate=0)
    np.testing.assert_allclose(fresh.predict(data), model.predict(data), atol=1e-4)


def test_calibrated_intervals_end(rows: tuple[np.ndarray, np.ndarray], others: kb.DMatrix) -> None:
    features, labels = rows[0][:600], rows[1][:600]
    fitted = kb.KauriRegressor(n_estimators=4).fit_intervals(features, labels, nfold=3)
    before = fitted.predict_interval(features)
    refitted = kb.refit(fitted.get_booster(), others, decay_rate=0.5)
    np.testing.assert_array_equal(fitted.predict_interval(features), before)
    loaded = kb.KauriRegressor()
    loaded.load_model(refitted.save_raw())
    assert loaded.predict(features).shape == (600,)
    with pytest.raises(ValueError, match="refitted"):
        loaded.predict_interval(features)


@pytest.mark.parametrize("booster", ["gblinear", "dart"])
def test_boosters_without_leaves_of_their_own(booster: str, others: kb.DMatrix) -> None:
    model = kb.train({"booster": booster}, others, 3, verbose_eval=False)
    before = model.save_raw()
    with pytest.raises(kb.ParameterError, match="gblinear" if booster == "gblinear" else "dropout"):
        kb.refit(model, others)
    assert model.save_raw() == before


def test_refusals(model: kb.Booster, others: kb.DMatrix) -> None:
    before = model.save_raw()
    for decay in (-0.1, 1.1, float("nan")):
        with pytest.raises(kb.KauriError, match="refresh_decay"):
            kb.refit(model, others, decay_rate=decay)
    with pytest.raises(kb.KauriError, match="device=cuda"):
        kb.refit(model, others, params={"device": "cuda"})
    assert model.save_raw() == before
    assert kb.refit(model, others, decay_rate=0.5).num_boosted_rounds() == ROUNDS
