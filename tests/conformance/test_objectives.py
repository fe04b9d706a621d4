"""Objectives of regression and survival train the same models as XGBoost, and each library reads the other's.

Features have few values, so that both libraries have the same candidates, and the models must be equal except for
rounding. Absolute, quantile and expectile errors, which changed with XGBoost 3.4, are in test_scaled_losses.py.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pytest

xgboost = pytest.importorskip("xgboost")

N_ROWS = 800
ROUNDS = 5
RANDOM = np.random.default_rng(11)
FEATURES = np.round(RANDOM.normal(size=(N_ROWS, 4)) * 4).astype(np.float32) / 4
SIGNAL = FEATURES[:, 0] + np.abs(FEATURES[:, 1]) + 0.3 * RANDOM.normal(size=N_ROWS)
TIMES = np.exp(SIGNAL / 2) + 1e-4 * np.arange(N_ROWS)  # all times differ
CENSORED = RANDOM.random(N_ROWS) < 0.3
POSITIVE = {"label": np.exp(SIGNAL / 2)}
WEIGHT = RANDOM.integers(1, 5, N_ROWS).astype(np.float32)
BOUNDS = {
    "label_lower_bound": np.where(RANDOM.random(N_ROWS) < 0.2, 0.0, TIMES),
    "label_upper_bound": np.where(CENSORED, np.inf, TIMES + np.where(RANDOM.random(N_ROWS) < 0.5, 0.0, 2.0)),
}
CASES: list[tuple[str, dict[str, Any], dict[str, np.ndarray]]] = [
    ("reg:squaredlogerror", {}, POSITIVE),
    ("reg:pseudohubererror", {}, {"label": SIGNAL}),
    ("reg:pseudohubererror", {"huber_slope": 2.5}, {"label": SIGNAL}),
    ("reg:gamma", {}, POSITIVE),
    ("reg:gamma", {"scale_pos_weight": 2}, POSITIVE),
    ("reg:tweedie", {}, {"label": np.maximum(SIGNAL, 0)}),
    ("reg:tweedie", {"tweedie_variance_power": 1.2}, {"label": np.maximum(SIGNAL, 0)}),
    ("binary:hinge", {}, {"label": (SIGNAL > 1).astype(np.float32)}),
    ("survival:cox", {}, {"label": np.where(CENSORED, -TIMES, TIMES)}),
    ("survival:aft", {}, BOUNDS),
    ("survival:aft", {"aft_loss_distribution": "logistic", "aft_loss_distribution_scale": 1.5}, BOUNDS),
    ("survival:aft", {"aft_loss_distribution": "extreme", "aft_loss_distribution_scale": 1.5}, BOUNDS),
]
IDS = [
    "-".join([objective, *map(str, params.values()), str(np.ndim(info.get("label", 0)))])
    for objective, params, info in CASES
]


def train(library: Any, objective: str, params: dict[str, Any], info: dict[str, np.ndarray], **more: Any) -> Any:
    data = library.DMatrix(FEATURES)
    data.set_info(**info)
    params = {"objective": objective, "max_depth": 3, "tree_method": "hist", "nthread": 2, **params, **more}
    return library.train(params, data, ROUNDS)


def predict(booster: Any, margin: bool = False) -> np.ndarray:
    library = kb if isinstance(booster, kb.Booster) else xgboost
    return booster.predict(library.DMatrix(FEATURES), output_margin=margin)


def learner_of(booster: Any) -> dict[str, Any]:
    return json.loads(bytes(booster.save_raw("json")))["learner"]


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize(("objective", "params", "info"), CASES, ids=IDS)
def test_trains_xgboosts_model(
    tmp_path: Path, objective: str, params: dict[str, Any], info: dict[str, np.ndarray], weighted: bool
) -> None:
    info = {**info, "weight": WEIGHT} if weighted else info
    ours, theirs = (train(library, objective, params, info) for library in (kb, xgboost))
    assert learner_of(ours)["objective"] == learner_of(theirs)["objective"]
    for key in ("num_target", "num_class", "boost_from_average"):
        assert learner_of(ours)["learner_model_param"][key] == learner_of(theirs)["learner_model_param"][key]
    base_scores = [json.loads(learner_of(booster)["learner_model_param"]["base_score"]) for booster in (ours, theirs)]
    np.testing.assert_allclose(*base_scores, rtol=2e-6)
    path = tmp_path / "model.json"
    for library, booster in ((xgboost, ours), (kb, theirs)):
        booster.save_model(path)
        loaded = library.Booster(model_file=path)
        for margin in (False, True):
            np.testing.assert_allclose(predict(loaded, margin), predict(booster, margin), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(predict(ours), predict(theirs), rtol=2e-5, atol=2e-5)


def default_metric(library: Any, booster: Any, info: dict[str, np.ndarray]) -> tuple[str, float]:
    data = library.DMatrix(FEATURES)
    data.set_info(**info)
    name, value = booster.eval(data, "data").split("\tdata-")[1].split(":")
    return name, float(value)


@pytest.mark.parametrize(("objective", "params", "info"), CASES, ids=IDS)
def test_default_metric_is_xgboosts(objective: str, params: dict[str, Any], info: dict[str, np.ndarray]) -> None:
    """XGBoost 3.2 leaves the scale of survival:aft out of its metric, so it is 1 here."""
    params = {name: value for name, value in params.items() if name != "aft_loss_distribution_scale"}
    ours, theirs = (default_metric(library, train(library, objective, params, info), info) for library in (kb, xgboost))
    assert ours[0] == theirs[0]
    assert ours[1] == pytest.approx(theirs[1], rel=1e-5)


def test_monotone_constraints_hold_with_the_absolute_error() -> None:
    booster = train(kb, "reg:absoluteerror", {}, {"label": SIGNAL}, monotone_constraints="(0,1,0,0)")
    grid = np.repeat(FEATURES[:50], 9, axis=0)
    grid[:, 1] = np.tile(np.linspace(-3, 3, 9), 50)
    steps = np.diff(booster.predict(kb.DMatrix(grid)).reshape(50, 9), axis=1)
    assert (steps >= 0).all()
    assert (steps > 0).any()


def test_expectiles_do_not_cross_and_survive_a_file(tmp_path: Path) -> None:
    params = {"expectile_alpha": [0.1, 0.5, 0.9]}
    booster = train(kb, "reg:expectileerror", params, {"label": SIGNAL})
    predictions = predict(booster)
    assert predictions.shape == (N_ROWS, 3)
    assert (np.diff(predictions, axis=1) >= 0).all()
    mean = train(kb, "reg:expectileerror", {"expectile_alpha": 0.5, "lambda": 0.5}, {"label": SIGNAL})
    squared = train(kb, "reg:squarederror", {"lambda": 1, "min_child_weight": 2}, {"label": SIGNAL})
    np.testing.assert_allclose(predict(mean), predict(squared), rtol=1e-5, atol=1e-5)
    path = tmp_path / "model.ubj"
    booster.save_model(path)
    loaded = kb.Booster(model_file=path)
    np.testing.assert_array_equal(predict(loaded), predictions)


@pytest.mark.parametrize(
    ("objective", "params", "info", "words"),
    [
        ("reg:squaredlogerror", {}, {"label": np.full(N_ROWS, -1.0)}, "above -1"),
        ("reg:gamma", {}, {"label": np.zeros(N_ROWS)}, "above 0"),
        ("reg:tweedie", {}, {"label": np.full(N_ROWS, -0.1)}, "0 or more"),
        ("binary:hinge", {}, {"label": np.full(N_ROWS, -1.0)}, "0 or 1"),
        ("reg:quantileerror", {}, {"label": SIGNAL}, "quantile_alpha"),
        ("reg:quantileerror", {"quantile_alpha": 1.5}, {"label": SIGNAL}, r"\[0, 1\]"),
        ("reg:quantileerror", {"quantile_alpha": 0.5}, {"label": np.stack([SIGNAL] * 2, axis=1)}, "2 label columns"),
        ("reg:expectileerror", {"expectile_alpha": [0.9, 0.1]}, {"label": SIGNAL}, "larger than the one before"),
        ("reg:tweedie", {"tweedie_variance_power": 2}, {"label": TIMES}, r"\[1, 2\)"),
        ("reg:pseudohubererror", {"huber_slope": 0}, {"label": SIGNAL}, "huber_slope"),
        ("survival:aft", {}, {"label": TIMES}, "label_lower_bound"),
        ("survival:aft", {"aft_loss_distribution_scale": 0}, BOUNDS, "aft_loss_distribution_scale"),
        ("survival:aft", {"aft_loss_distribution": "gumbel"}, BOUNDS, "aft_loss_distribution"),
        ("reg:gamma", {"base_score": -1}, POSITIVE, "base_score"),
    ],
)
def test_bad_input(objective: str, params: dict[str, Any], info: dict[str, np.ndarray], words: str) -> None:
    with pytest.raises(kb.KauriError, match=words):
        train(kb, objective, params, info)
