"""Training trees with vector leaves: XGBoost learns the same trees from the same bin edges.

The rules are XGBoost 3.4's, which treats min_child_weight and the L1 term with max_delta_step differently from 3.2, and
supports constraints.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pytest

xgboost = pytest.importorskip("xgboost")

SHARED = {"multi_strategy": "multi_output_tree", "tree_method": "hist", "min_child_weight": 0, "max_depth": 4}
VERSION = tuple(int(part) for part in xgboost.__version__.split(".")[:2])
VARIANTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "regularised": {"lambda": 3.0, "alpha": 0.4, "gamma": 1.0, "eta": 0.7},
    "no lambda": {"lambda": 0.0},
    "lossguide": {"grow_policy": "lossguide", "max_leaves": 9, "max_depth": 0},
    "few leaves": {"max_leaves": 5},
    "forest": {"num_parallel_tree": 2},
    "labels": {"objective": "binary:logistic"},
    "classes": {"objective": "multi:softprob", "num_class": 4},
    "weights": {},
    "sparse": {},
}
SINCE_34: dict[str, dict[str, Any]] = {
    "absolute": {"objective": "reg:absoluteerror"},
    "quantiles": {"objective": "reg:quantileerror", "quantile_alpha": [0.2, 0.7]},
    "child weight": {"min_child_weight": 20.0},
    "child weight of classes": {"objective": "multi:softprob", "num_class": 4, "min_child_weight": 6.0},
    "steps": {"max_delta_step": 0.5, "alpha": 0.3},
    "monotone": {"monotone_constraints": "(1,0,-1,1,0)"},
    "monotone deep": {"monotone_constraints": "(-1,1,0,1,1)", "max_depth": 6, "min_child_weight": 3.0},
    "interactions": {"interaction_constraints": "[[0,1],[2,3,4]]"},
    "categories": {"max_cat_to_onehot": 1},
    "categories few": {"max_cat_to_onehot": 1, "max_cat_threshold": 3},
    "categories one by one": {"max_cat_to_onehot": 50},
}
VARIANTS.update(SINCE_34 if VERSION >= (3, 4) else {})


def make_data(variant: str) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Return 500 x 5 features, few distinct values, a tenth missing; labels for the objective; weights."""
    rng = np.random.default_rng(3)
    features = np.round(rng.normal(size=(500, 5)) * 4).astype(np.float32)
    signal = features[:, 0] + 0.3 * features[:, 1] * features[:, 2]
    targets = np.stack([signal, features[:, 3] - signal, np.abs(features[:, 0])], axis=1)
    targets += rng.normal(size=targets.shape)
    features[rng.random(features.shape) < (0.6 if variant == "sparse" else 0.1)] = np.nan
    if "categories" in variant:
        features[:, :2] = np.abs(features[:, :2]) % 8
    weights = rng.integers(1, 4, size=500).astype(np.float32) if variant == "weights" else None
    if variant == "labels":
        return features, (targets > 0).astype(np.float32), weights
    if "classes" in variant:
        return features, np.digitize(targets[:, 0], [-4, 0, 4]), weights
    return features, (targets[:, 0] if variant == "quantiles" else targets).astype(np.float32), weights


def trees_of(booster: Any, path: Path) -> list[dict[str, Any]]:
    """Return the trees of the model file."""
    booster.save_model(path)
    return json.loads(path.read_text())["learner"]["gradient_booster"]["model"]["trees"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_trees_are_the_same(variant: str, tmp_path: Path) -> None:
    """Splits are equal, and numbers up to float32 rounding; both libraries predict the same with our file."""
    features, labels, weights = make_data(variant)
    params = {**SHARED, **VARIANTS[variant]}
    types = {"feature_types": ["c", "c", "q", "q", "q"]} if "categories" in variant else {}
    ours = kb.train(params, kb.DMatrix(features, label=labels, weight=weights, **types), 3)
    peer_params = {name: np.array(value) if isinstance(value, list) else value for name, value in params.items()}
    peer_data = xgboost.DMatrix(features, labels, weight=weights, enable_categorical=bool(types), **types)
    theirs = xgboost.train({**peer_params, "nthread": 1}, peer_data, 3)
    found, expected = trees_of(ours, tmp_path / "ours.json"), trees_of(theirs, tmp_path / "theirs.json")
    for mine, yours in zip(found, expected, strict=True):
        structure = ("left_children", "right_children", "parents", "split_indices", "split_type", "default_left")
        for key in (*structure, "categories", "categories_nodes", "categories_segments", "categories_sizes"):
            assert mine[key] == yours[key], key
        inner = (np.array(mine["left_children"]) >= 0) & (np.array(mine["split_type"]) == 0)
        np.testing.assert_array_equal(
            np.array(mine["split_conditions"])[inner], np.array(yours["split_conditions"])[inner]
        )
        np.testing.assert_allclose(mine["loss_changes"], yours["loss_changes"], rtol=2e-4, atol=2e-3)
        np.testing.assert_allclose(mine["sum_hessian"], yours["sum_hessian"], rtol=1e-4)
        np.testing.assert_allclose(mine["leaf_weights"], yours["leaf_weights"], rtol=1e-3, atol=1e-4)
    back = xgboost.Booster(model_file=tmp_path / "ours.json")
    for kind in ({}, {"output_margin": True}, {"pred_leaf": True}):
        mine = ours.predict(kb.DMatrix(features, **types), **kind)
        np.testing.assert_allclose(mine, back.predict(peer_data, **kind), rtol=1e-6, atol=1e-7)
    assert ours.get_dump() == back.get_dump()
