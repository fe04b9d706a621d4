"""Base weights of nodes are before or after the learning rate, as in XGBoost."""

from __future__ import annotations

import json
from typing import Any

import kauriboost as kb
import numpy as np
import pytest

xgboost = pytest.importorskip("xgboost")

RANDOM = np.random.default_rng(8)
FEATURES = np.round(RANDOM.normal(size=(500, 4)) * 4).astype(np.float32) / 4
SIGNAL = (FEATURES[:, 0] + FEATURES[:, 1] ** 2 + 0.2 * RANDOM.normal(size=500)).astype(np.float32)
TARGETS = np.stack([SIGNAL, -2 * SIGNAL + FEATURES[:, 3]], axis=1)
CASES: dict[str, dict[str, Any]] = {
    "hist": {"tree_method": "hist"},
    "hist-lossguide": {"tree_method": "hist", "grow_policy": "lossguide", "max_leaves": 6},
    "hist-forest": {"tree_method": "hist", "num_parallel_tree": 2},
    "hist-monotone": {"tree_method": "hist", "monotone_constraints": "(1,-1,0,0)"},
    "hist-root-alone": {"tree_method": "hist", "gamma": 1e9},
    "hist-vectors": {"tree_method": "hist", "multi_strategy": "multi_output_tree"},
    "approx": {"tree_method": "approx"},
    "exact": {"tree_method": "exact"},
}


def trees_of(library: Any, params: dict[str, Any]) -> list[dict[str, Any]]:
    label = TARGETS if "multi_strategy" in params else SIGNAL
    booster = library.train({"eta": 0.1, "max_depth": 3, "nthread": 1, **params}, library.DMatrix(FEATURES, label), 2)
    return json.loads(bytes(booster.save_raw("json")))["learner"]["gradient_booster"]["model"]["trees"]


@pytest.mark.parametrize("name", CASES)
def test_base_weights_are_xgboosts(name: str) -> None:
    for ours, theirs in zip(*(trees_of(library, CASES[name]) for library in (kb, xgboost)), strict=True):
        assert ours["left_children"] == theirs["left_children"]
        np.testing.assert_allclose(ours["base_weights"], theirs["base_weights"], rtol=1e-4, atol=1e-5)
