"""reg:huber, reg:fair, reg:mape, binary:focal and the metrics r2, ams and auc_mu, in training by users."""

from __future__ import annotations

import json
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from sklearn.metrics import r2_score

LOSSES: dict[str, dict[str, Any]] = {
    "huber": {"objective": "reg:huber", "huber_slope": 0.7},
    "fair": {"objective": "reg:fair", "fair_c": 1.5},
    "mape": {"objective": "reg:mape"},
    "focal": {"objective": "binary:focal", "focal_gamma": 1.5, "focal_alpha": 0.4},
}


@pytest.fixture(scope="module")
def rows() -> tuple[np.ndarray, np.ndarray]:
    """Return labels with some outliers."""
    rng = np.random.default_rng(0)
    features = rng.normal(size=(6000, 6)).astype(np.float32)
    noise = rng.standard_t(1.5, size=6000)
    return features, (3 * features[:, 0] * features[:, 1] + 2 * features[:, 2] + 5 + noise).astype(np.float32)


def labels_for(name: str, labels: np.ndarray) -> np.ndarray:
    return (labels > 8).astype(np.float32) if name == "focal" else labels


def fit(name: str, rows: tuple[np.ndarray, np.ndarray], **more: Any) -> kb.Booster:
    data = kb.DMatrix(rows[0], label=labels_for(name, rows[1]))
    return kb.train({**LOSSES[name], "max_depth": 4, **more}, data, 20, verbose_eval=False)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("method", ["hist", "approx", "exact"])
def test_models_keep_their_bytes(name: str, method: str, rows: tuple[np.ndarray, np.ndarray]) -> None:
    one = fit(name, rows, tree_method=method, nthread=1)
    assert one.save_raw() == fit(name, rows, tree_method=method, nthread=3).save_raw()
    loaded = kb.Booster()
    loaded.load_model(one.save_raw("json"))
    data = kb.DMatrix(rows[0])
    np.testing.assert_array_equal(loaded.predict(data), one.predict(data))
    assert loaded.save_raw() == one.save_raw()
    objective = json.loads(one.save_raw("json"))["learner"]["objective"]
    assert objective["name"] == LOSSES[name]["objective"]


@pytest.mark.parametrize("name", LOSSES)
def test_no_dialect_has_them(name: str, rows: tuple[np.ndarray, np.ndarray]) -> None:
    booster = fit(name, rows)
    for dialect in ("1.7", "3.4"):
        with pytest.raises(kb.ParameterError, match=f"{LOSSES[name]['objective']}.*leave the dialect out"):
            booster.save_raw(dialect=dialect)


@pytest.mark.parametrize("name", LOSSES)
def test_its_own_metric_falls_below_that_of_squared_error(name: str, rows: tuple[np.ndarray, np.ndarray]) -> None:
    features, labels = rows
    half = slice(0, 3000), slice(3000, None)
    train, test = (kb.DMatrix(features[s], label=labels_for(name, labels[s])) for s in half)
    values = {}
    other = "binary:logistic" if name == "focal" else "reg:squarederror"
    for objective in (LOSSES[name]["objective"], other):
        params = {**LOSSES[name], "objective": objective, "eval_metric": name, "max_depth": 4}
        result: dict[str, Any] = {}
        kb.train(params, train, 100, evals=[(test, "test")], evals_result=result, verbose_eval=False)
        values[objective] = result["test"][name]
    assert values[LOSSES[name]["objective"]][-1] < values[other][-1]
    assert values[LOSSES[name]["objective"]][-1] < values[LOSSES[name]["objective"]][0]


def test_mape_is_absolute_error_with_weights(rows: tuple[np.ndarray, np.ndarray]) -> None:
    features, labels = rows
    shares = 1 / np.maximum(1, np.abs(labels.astype(np.float64)))
    shares = (shares * (len(shares) / shares.sum())).astype(np.float32)
    weighted = kb.DMatrix(features, label=labels, weight=shares)
    params = {"objective": "reg:absoluteerror", "max_depth": 3, "tree_method": "exact"}  # bin edges depend on weights
    expected = kb.train(params, weighted, 5, verbose_eval=False).predict(weighted)
    found = kb.train({**params, "objective": "reg:mape"}, kb.DMatrix(features, label=labels), 5, verbose_eval=False)
    np.testing.assert_allclose(found.predict(kb.DMatrix(features)), expected, rtol=1e-4, atol=1e-3)


def lightgbm_like(depth: int) -> dict[str, Any]:
    return {"max_depth": depth, "eta": 0.1, "lambda": 0, "min_child_weight": 20, "max_bin": 256}


@pytest.mark.parametrize(("name", "params"), [("huber", {"alpha": 0.7}), ("fair", {"fair_c": 1.5}), ("mape", {})])
def test_errors_are_those_of_lightgbm(name: str, params: dict[str, Any], rows: tuple[np.ndarray, np.ndarray]) -> None:
    lgb = pytest.importorskip("lightgbm")
    features, labels = rows
    labels = np.abs(labels) + 2 if name == "mape" else labels  # both definitions agree for such labels
    train, test = slice(0, 4000), slice(4000, None)
    theirs = lgb.train(
        {"objective": name, "verbose": -1, "num_threads": 1, "max_depth": 5, "num_leaves": 32, **params},
        lgb.Dataset(features[train], labels[train]),
        100,
    ).predict(features[test])
    own = {**LOSSES[name], **lightgbm_like(5)}
    ours = kb.train(own, kb.DMatrix(features[train], label=labels[train]), 100, verbose_eval=False)
    held_out = kb.DMatrix(features[test], label=labels[test])
    booster = kb.Booster({**LOSSES[name], "eval_metric": name, "base_score": 0}, [held_out])

    def value(predictions: np.ndarray) -> float:
        held_out.set_base_margin(predictions)
        return float(booster.eval(held_out).split(":")[-1])

    assert value(ours.predict(kb.DMatrix(features[test]))) < 1.05 * value(theirs)


def test_r2_is_scikit_learns_and_stops_at_its_largest(rows: tuple[np.ndarray, np.ndarray]) -> None:
    features, labels = rows
    labels = np.clip(labels, -20, 20)
    train = kb.DMatrix(features[:3000], label=labels[:3000])
    test = kb.DMatrix(features[3000:], label=labels[3000:])
    result: dict[str, Any] = {}
    booster = kb.train(
        {"eval_metric": "r2", "eta": 0.5},
        train,
        200,
        evals=[(test, "test")],
        evals_result=result,
        early_stopping_rounds=5,
        verbose_eval=False,
    )
    values = result["test"]["r2"]
    assert booster.best_iteration == int(np.argmax(values)) < 199
    best = booster.predict(test, iteration_range=(0, booster.best_iteration + 1))
    np.testing.assert_allclose(max(values), r2_score(labels[3000:], best), rtol=1e-5)


def test_metrics_of_classes(rows: tuple[np.ndarray, np.ndarray]) -> None:
    features, labels = rows
    classes = np.digitize(labels, [2, 5, 8])
    data = kb.DMatrix(features, label=classes)
    result: dict[str, Any] = {}
    params = {"objective": "multi:softprob", "num_class": 4, "eval_metric": "auc_mu"}
    kb.train(params, data, 5, evals=[(data, "train")], evals_result=result, verbose_eval=False)
    assert 0.5 < result["train"]["auc_mu"][0] < result["train"]["auc_mu"][-1] < 1
    two = kb.DMatrix(features, label=classes > 1)
    values: dict[str, Any] = {}
    params = {"objective": "binary:logistic", "eval_metric": ["ams@0.15", "ams@0"]}
    kb.train(params, two, 5, evals=[(two, "train")], evals_result=values, verbose_eval=False)
    assert set(values["train"]) == {"ams@0.15", "ams@0"}
    assert values["train"]["ams@0"][-1] >= values["train"]["ams@0.15"][-1] > 0


def test_refusals_leave_the_booster_as_it_was(rows: tuple[np.ndarray, np.ndarray]) -> None:
    features, labels = rows
    booster = fit("focal", rows)
    before = booster.save_raw()
    for params, part in (({"focal_gamma": -1}, "focal_gamma"), ({"objective": "reg:fair", "fair_c": 0}, "fair_c")):
        with pytest.raises(kb.KauriError, match=part):
            kb.train({**LOSSES["focal"], **params}, kb.DMatrix(features, label=labels_for("focal", labels)), 1)
    with pytest.raises(kb.KauriError, match="0 or 1"):
        kb.train(LOSSES["focal"], kb.DMatrix(features, label=labels), 1, xgb_model=booster, verbose_eval=False)
    with pytest.raises(kb.KauriError, match="label columns"):
        kb.train(LOSSES["mape"], kb.DMatrix(features, label=np.c_[labels, labels]), 1, verbose_eval=False)
    assert booster.save_raw() == before
