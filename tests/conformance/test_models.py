"""Model files of each library, loaded by the other, predict the same: every objective, with missing values."""

from __future__ import annotations

import json
from pathlib import Path

import kauriboost as kb
import numpy as np
import pytest

xgboost = pytest.importorskip("xgboost")

OBJECTIVES = [
    "reg:squarederror",
    "reg:logistic",
    "binary:logistic",
    "binary:logitraw",
    "multi:softmax",
    "multi:softprob",
    "count:poisson",
]
ROUNDS = 8


def make_data(objective: str, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return 600 x 9 features with ties and a tenth of the values missing, and labels."""
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((600, 9)).astype(np.float32)
    features[:, 3:6] = np.round(features[:, 3:6] * 2)
    signal = features[:, 0] + features[:, 1] * features[:, 3] + 0.2 * rng.standard_normal(600)
    features[rng.random(features.shape) < 0.1] = np.nan
    if objective.startswith("multi:"):
        return features, np.digitize(signal, [-0.5, 0.5]).astype(np.float32)
    if objective == "reg:squarederror":
        return features, signal.astype(np.float32)
    if objective == "count:poisson":
        return features, rng.poisson(np.exp(np.clip(signal, -3, 2))).astype(np.float32)
    return features, (signal > 0).astype(np.float32)


def params_of(objective: str, method: str) -> dict[str, object]:
    """Return depth and regularisation that give leaves of many sizes."""
    params: dict[str, object] = {"objective": objective, "tree_method": method, "max_depth": 5, "gamma": 0.05}
    if objective.startswith("multi:"):
        params["num_class"] = 3
    return params


def assert_same_leaves(ours: np.ndarray, theirs: np.ndarray) -> None:
    """Check that the same rows share a leaf. Leaf numbers may differ: XGBoost's exact keeps pruned nodes."""
    for tree in range(ours.shape[1]):
        pairs = set(zip(ours[:, tree], theirs[:, tree], strict=True))
        assert len(pairs) == len(np.unique(ours[:, tree])) == len(np.unique(theirs[:, tree]))


def assert_same_predictions(ours: kb.Booster, theirs: object, features: np.ndarray) -> None:
    """Compare values, margins, leaves, contributions and interactions, within 1e-6 relative."""
    our_data, their_data = kb.DMatrix(features), xgboost.DMatrix(features)
    for kind in ({}, {"output_margin": True}):
        np.testing.assert_allclose(
            ours.predict(our_data, **kind), theirs.predict(their_data, **kind), rtol=1e-6, atol=1e-7
        )
    assert_same_leaves(ours.predict(our_data, pred_leaf=True), theirs.predict(their_data, pred_leaf=True))
    scale = np.abs(theirs.predict(their_data, output_margin=True)).max()
    for method in ("treeshap", "quadrature"):
        ours.set_param({"shap_method": method})
        for kind in ({"pred_contribs": True}, {"pred_interactions": True}):
            for rows in (features, features[:1]):
                np.testing.assert_allclose(
                    ours.predict(kb.DMatrix(rows), **kind),
                    theirs.predict(xgboost.DMatrix(rows), **kind),
                    rtol=1e-4,
                    atol=2e-6 * scale,
                )
    kind = {"pred_contribs": True, "approx_contribs": True}
    np.testing.assert_allclose(
        ours.predict(our_data, **kind), theirs.predict(their_data, **kind), rtol=1e-4, atol=2e-6 * scale
    )


@pytest.mark.parametrize("extension", ["json", "ubj"])
@pytest.mark.parametrize("method", ["exact", "hist"])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_xgboost_model_predicts_the_same_here(tmp_path: Path, objective: str, method: str, extension: str) -> None:
    features, labels = make_data(objective)
    theirs = xgboost.train(params_of(objective, method), xgboost.DMatrix(features, labels), ROUNDS)
    path = tmp_path / f"model.{extension}"
    theirs.save_model(path)
    assert_same_predictions(kb.Booster(model_file=path), theirs, features)


@pytest.mark.parametrize("extension", ["json", "ubj"])
@pytest.mark.parametrize("method", ["exact", "hist"])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_our_model_predicts_the_same_there(tmp_path: Path, objective: str, method: str, extension: str) -> None:
    features, labels = make_data(objective, seed=1)
    ours = kb.train(params_of(objective, method), kb.DMatrix(features, labels), ROUNDS)
    path = tmp_path / f"model.{extension}"
    ours.save_model(path)
    assert_same_predictions(ours, xgboost.Booster(model_file=path), features)


def base_scores(booster: object) -> list[float]:
    """Return the base scores in the configuration, in output space."""
    return json.loads(json.loads(booster.save_config())["learner"]["learner_model_param"]["base_score"])


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_intercept_is_xgboosts(objective: str) -> None:
    features, labels = make_data(objective, seed=2)
    weights = np.random.default_rng(3).random(len(labels)).astype(np.float32)
    params = params_of(objective, "hist")
    ours = kb.train(params, kb.DMatrix(features, labels, weight=weights), 1)
    theirs = xgboost.train(params, xgboost.DMatrix(features, labels, weight=weights), 1)
    np.testing.assert_allclose(base_scores(ours), base_scores(theirs), rtol=1e-6, atol=1e-7)


def test_dumps_and_scores_are_literally_xgboosts(tmp_path: Path) -> None:
    features, labels = make_data("binary:logistic")
    names, types = [f"c{i}" for i in range(9)], ["q"] * 3 + ["int"] * 3 + ["float"] * 3
    data = xgboost.DMatrix(features, labels, feature_names=names, feature_types=types)
    theirs = xgboost.train(params_of("binary:logistic", "hist"), data, 3)
    path = tmp_path / "model.json"
    theirs.save_model(path)
    ours = kb.Booster(model_file=path)
    for dump_format in ("text", "json", "dot"):
        for with_stats in (False, True):
            expected = theirs.get_dump(dump_format=dump_format, with_stats=with_stats)
            assert ours.get_dump(dump_format=dump_format, with_stats=with_stats) == expected
    for importance in ("weight", "gain", "cover", "total_gain", "total_cover"):
        ours_score, their_score = (b.get_score(importance_type=importance) for b in (ours, theirs))
        assert list(ours_score) == list(their_score)
        np.testing.assert_allclose(list(ours_score.values()), list(their_score.values()), rtol=1e-6)
