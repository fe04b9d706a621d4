"""Absolute, quantile and expectile errors equal XGBoost 3.4's: the same models, which both libraries read.

The tests' own environment has an older XGBoost, whose leaves were medians; tests/peers/environments.py makes the other
one.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pytest

PEERS = Path(__file__).parents[1] / "peers"
sys.path.append(str(PEERS))
from environments import interpreter  # noqa: E402

ROUNDS = 6
RANDOM = np.random.default_rng(3)
FEATURES = np.round(RANDOM.normal(size=(600, 5)) * 4).astype(np.float32) / 4
SIGNAL = (2 * FEATURES[:, 0] + np.abs(FEATURES[:, 1]) + RANDOM.standard_t(2, size=600)).astype(np.float32)
WEIGHT = RANDOM.uniform(0.2, 3, 600).astype(np.float32)
TARGETS = np.stack([SIGNAL, FEATURES[:, 2] - 30 * SIGNAL], axis=1)

ABSOLUTE: dict[str, Any] = {"objective": "reg:absoluteerror"}
QUANTILES: dict[str, Any] = {"objective": "reg:quantileerror", "quantile_alpha": [0.1, 0.5, 0.9]}
EXPECTILES: dict[str, Any] = {"objective": "reg:expectileerror", "expectile_alpha": [0.1, 0.5, 0.9]}
VECTORS: dict[str, Any] = {"multi_strategy": "multi_output_tree", "tree_method": "hist", "min_child_weight": 0}
# Name: parameters, label, whether rows have weights.
CASES: dict[str, tuple[dict[str, Any], np.ndarray, bool]] = {
    "absolute": (ABSOLUTE, SIGNAL, False),
    "absolute-weighted": (ABSOLUTE, SIGNAL, True),
    "absolute-without-lambda": ({**ABSOLUTE, "lambda": 0, "eta": 1}, SIGNAL, True),
    "absolute-targets": (ABSOLUTE, TARGETS, True),
    "absolute-forest": ({**ABSOLUTE, "num_parallel_tree": 2}, SIGNAL, False),
    "absolute-exact": ({**ABSOLUTE, "tree_method": "exact"}, SIGNAL, True),
    "absolute-vectors": ({**ABSOLUTE, **VECTORS}, TARGETS, True),
    "absolute-one-value": (ABSOLUTE, np.full(600, 2.5, np.float32), False),
    "absolute-linear": ({**ABSOLUTE, "booster": "gblinear", "updater": "coord_descent"}, SIGNAL, False),
    "quantile": ({**QUANTILES, "quantile_alpha": 0.7}, SIGNAL, False),
    "quantile-without-lambda": ({**QUANTILES, "quantile_alpha": 0.2, "lambda": 0}, SIGNAL, True),
    "quantiles": (QUANTILES, SIGNAL, True),
    "quantiles-exact": ({**QUANTILES, "tree_method": "exact"}, SIGNAL, False),
    "quantiles-vectors": ({**QUANTILES, **VECTORS}, SIGNAL, False),
    "quantiles-that-cross": ({**QUANTILES, "quantile_alpha": [0.4, 0.45, 0.5], "eta": 1}, SIGNAL, False),
    "expectile": ({**EXPECTILES, "expectile_alpha": 0.8}, SIGNAL, True),
    "expectiles": (EXPECTILES, SIGNAL, True),
}


def train(name: str) -> tuple[kb.Booster, kb.DMatrix]:
    params, label, weighted = CASES[name]
    data = kb.DMatrix(FEATURES, label, weight=WEIGHT if weighted else None)
    return kb.train(parameters_of(params), data, ROUNDS), data


def parameters_of(params: dict[str, Any]) -> dict[str, Any]:
    return {"max_depth": 3, "nthread": 1, **params}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the data and our model of every case, and XGBoost 3.4's results for both."""
    python = interpreter("xgboost-3.4")
    if python is None:
        pytest.skip("xgboost-3.4 is not there; python tests/peers/environments.py makes it")
    path = tmp_path_factory.mktemp("losses")
    for name, (_, label, weighted) in CASES.items():
        np.savez(path / f"{name}.npz", features=FEATURES, label=label, **({"weight": WEIGHT} if weighted else {}))
        train(name)[0].save_model(path / f"{name}.ours.json")
    cases = [{"name": n, "params": parameters_of(params), "rounds": ROUNDS} for n, (params, _, _) in CASES.items()]
    (path / "cases.json").write_text(json.dumps(cases))
    command = [str(python), str(PEERS / "train_xgboost.py"), str(path)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return path


def base_scores(path: Path) -> list[float]:
    return json.loads(json.loads(path.read_text())["learner"]["learner_model_param"]["base_score"])


@pytest.mark.parametrize("name", CASES)
def test_trains_xgboosts_model(folder: Path, name: str) -> None:
    booster, data = train(name)
    theirs = np.load(folder / f"{name}.theirs.npz")
    ours, other = (base_scores(folder / f"{name}.{who}.json") for who in ("ours", "theirs"))
    np.testing.assert_allclose(ours, other, rtol=2e-6)
    for kind in ("value", "margin"):
        predicted = booster.predict(data, output_margin=kind == "margin")
        np.testing.assert_allclose(predicted, theirs[f"own_{kind}"], rtol=1e-4, atol=1e-4)
    assert float(booster.eval(data).rsplit(":", 1)[1]) == pytest.approx(float(theirs["metric"]), rel=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_either_reads_the_others_model(folder: Path, name: str) -> None:
    booster, data = train(name)
    theirs = np.load(folder / f"{name}.theirs.npz")
    loaded = kb.Booster(model_file=folder / f"{name}.theirs.json")
    for kind in ("value", "margin"):
        margin = kind == "margin"
        np.testing.assert_allclose(booster.predict(data, output_margin=margin), theirs[f"ours_{kind}"], 1e-6, 3e-6)
        np.testing.assert_allclose(loaded.predict(data, output_margin=margin), theirs[f"own_{kind}"], 1e-6, 3e-6)


def test_quantiles_are_sorted_in_predictions_but_not_in_margins() -> None:
    booster, data = train("quantiles-that-cross")
    values, margins = booster.predict(data), booster.predict(data, output_margin=True)
    assert (np.diff(margins, axis=1) < 0).any()
    np.testing.assert_array_equal(values, np.sort(margins, axis=1))
    np.testing.assert_array_equal(values, booster.inplace_predict(FEATURES))


@pytest.mark.parametrize("method", ["hist", "exact", "approx"])
def test_quantiles_have_their_shares_below_them(method: str) -> None:
    params = {**QUANTILES, "quantile_alpha": [0.2, 0.8], "subsample": 0.7, "tree_method": method, "max_depth": 3}
    data = kb.DMatrix(FEATURES, SIGNAL)
    predicted = kb.train(params, data, 40).predict(data)
    np.testing.assert_allclose((SIGNAL[:, None] <= predicted).mean(axis=0), [0.2, 0.8], atol=0.05)


def test_leaves_follow_the_learning_rate_and_lambda() -> None:
    """A leaf is an ordinary Newton step: scaled by the learning rate of its round, and reduced by lambda."""
    data = kb.DMatrix(FEATURES, SIGNAL)
    params = {**ABSOLUTE, "max_depth": 2, "base_score": 1.0}
    full = kb.train({**params, "eta": 1.0, "lambda": 0.0}, data, 1).predict(data) - 1
    half = kb.train({**params, "eta": 0.5, "lambda": 0.0}, data, 1).predict(data) - 1
    np.testing.assert_allclose(half, full / 2, rtol=1e-6)
    scheduled = kb.callback.LearningRateScheduler([0.5])
    again = kb.train({**params, "eta": 1.0, "lambda": 0.0}, data, 1, callbacks=[scheduled]).predict(data) - 1
    np.testing.assert_array_equal(half, again)
    root = {**params, "gamma": 1e9, "eta": 1.0}
    steps = [kb.train({**root, "lambda": value}, data, 1).predict(data)[0] - 1 for value in (0.0, 1e4)]
    assert 0 < abs(steps[1]) < abs(steps[0]) / 10
