"""Worked examples of the thesis of R. Mitchell (2.1): linear regression in closed form, a tree for houses in Boston."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import kauriboost as kb
import numpy as np
import pytest

DATA = Path(os.environ.get("KAURI_DATA", Path(__file__).resolve().parents[4] / "shared" / "data"))
RM, LSTAT = 5, 12  # rooms per dwelling; share of people of low status


@pytest.mark.parametrize("bias", [0.0, 0.75])
def test_a_linear_model_without_penalties_is_the_closed_form(bias: float) -> None:
    rng = np.random.default_rng(5)
    features = rng.normal(size=(500, 4)).astype(np.float32)
    features[:, 1] += 0.5 * features[:, 0]  # not orthogonal, so one round of coordinates is not enough
    labels = (features @ np.array([0.5, -0.25, 0.125, 0.9]) + bias + 0.1 * rng.normal(size=500)).astype(np.float32)
    params = {"booster": "gblinear", "updater": "coord_descent", "feature_selector": "cyclic", "eta": 1.0}
    params |= {"lambda": 0.0, "alpha": 0.0, "base_score": 0.0, "objective": "reg:squarederror"}
    booster = kb.train(params, kb.DMatrix(features, labels), num_boost_round=100)
    design = np.hstack([features, np.ones((500, 1))]).astype(np.float64)
    closed_form = np.linalg.inv(design.T @ design) @ design.T @ labels.astype(np.float64)
    scores = booster.get_score(importance_type="weight")
    weights = np.array([scores[f"f{column}"] for column in range(4)])
    np.testing.assert_allclose(weights, closed_form[:4], atol=1e-6, rtol=0)
    np.testing.assert_allclose(booster.predict(kb.DMatrix(features)), design @ closed_form, atol=5e-6, rtol=0)


@pytest.mark.parametrize("params", [{"tree_method": "exact"}, {"tree_method": "hist", "max_bin": 512}])
def test_houses_of_boston_split_on_rooms_and_status(params: dict) -> None:
    """Train a tree of depth 2 for the price: it splits at about 7 rooms, and below on rooms or status."""
    if not (DATA / "load.py").is_file():
        pytest.skip(f"no real data sets at {DATA}")
    sys.path.insert(0, str(DATA))
    try:
        from load import load
    finally:
        sys.path.pop(0)
    features, labels, _ = load("boston")
    assert features.shape == (506, 13)
    settings = {"max_depth": 2, "objective": "reg:squarederror", "eta": 1.0, "lambda": 0.0, "min_child_weight": 0}
    booster = kb.train({**settings, **params}, kb.DMatrix(features, labels), num_boost_round=1)
    root, *below = booster.trees_to_dataframe().query("Feature != 'Leaf'").itertuples()
    assert root.Feature == f"f{RM}"
    assert 6.9 < root.Split < 7.0
    assert len(below) == 2
    assert {node.Feature for node in below} <= {f"f{RM}", f"f{LSTAT}"}
    predicted = booster.predict(kb.DMatrix(features))
    for value in np.unique(predicted):
        # a leaf is the mean of its houses
        np.testing.assert_allclose(value, labels[predicted == value].mean(), rtol=1e-6)
