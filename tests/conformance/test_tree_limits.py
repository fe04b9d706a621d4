"""Trees of any depth, with or without a limit of leaves, by hist and approx: XGBoost's if the bin edges are equal."""

from __future__ import annotations

import json

import kauriboost as kb
import numpy as np
import pytest

xgboost = pytest.importorskip("xgboost")

ROWS = 1200


def make_data() -> tuple[np.ndarray, np.ndarray]:
    """Return fewer values than bins, a tenth missing, and a noisy label."""
    rng = np.random.default_rng(11)
    values = np.round(rng.standard_normal((ROWS, 5)) * 20).astype(np.float32)
    signal = values[:, 0] / 20 + np.sin(values[:, 1] / 7) + rng.standard_normal(ROWS)
    values[rng.random(values.shape) < 0.1] = np.nan
    return values, (signal > 0).astype(np.float32)


def train(library: object, params: dict[str, object]) -> object:
    """Train three rounds."""
    values, labels = make_data()
    params = {"nthread": 1, "min_child_weight": 0.3, **params}
    return library.train(params, library.DMatrix(values, label=labels), 3, verbose_eval=False)


def trees_of(booster: object) -> list[dict[str, list]]:
    """Return the trees in the model file."""
    return json.loads(bytes(booster.save_raw(raw_format="json")))["learner"]["gradient_booster"]["model"]["trees"]


def assert_same_trees(params: dict[str, object], depths: range) -> None:
    """Check equal node numbers and splits, and equal leaves except for rounding."""
    for ours, theirs in zip(trees_of(train(kb, params)), trees_of(train(xgboost, params)), strict=True):
        for key in ("left_children", "right_children", "split_indices", "default_left"):
            assert ours[key] == theirs[key]
        np.testing.assert_allclose(ours["split_conditions"], theirs["split_conditions"], rtol=1e-4, atol=1e-5)
        depth = [0] * len(ours["parents"])
        for node, parent in list(enumerate(ours["parents"]))[1:]:
            depth[node] = depth[parent] + 1
        assert max(depth) in depths


@pytest.mark.parametrize("method", ["hist", "approx"])
@pytest.mark.parametrize(
    ("limits", "depths"),
    [
        ({"max_depth": 0}, range(7, 100)),
        ({"max_depth": 0, "grow_policy": "lossguide"}, range(7, 100)),
        ({"max_depth": 0, "grow_policy": "lossguide", "max_leaves": 23}, range(4, 23)),
        ({"max_depth": 0, "max_leaves": 23}, range(4, 23)),
        ({"max_depth": 3, "grow_policy": "lossguide", "max_leaves": 23}, range(3, 4)),
        ({"grow_policy": "lossguide"}, range(6, 7)),
        ({"gamma": 1.5}, range(2, 7)),
    ],
    ids=["deep", "lossguide", "leaves", "leaves_by_level", "both", "six", "gamma"],
)
def test_limits_as_in_xgboost(method: str, limits: dict[str, object], depths: range) -> None:
    """max_depth=0 means no limit, for growth by level or by loss; max_leaves limits the size.

    With unequal hessians XGBoost's approx also drops edges between few values.
    """
    objective = {"hist": "binary:logistic", "approx": "reg:squarederror"}[method]
    assert_same_trees({"tree_method": method, "objective": objective, **limits}, depths)


def test_exact_grows_to_the_end() -> None:
    """XGBoost refuses max_depth=0 here; in Kauri it is a depth that no tree reaches."""
    deep = train(kb, {"tree_method": "exact", "max_depth": 0})
    assert deep.save_raw("json") == train(kb, {"tree_method": "exact", "max_depth": 900}).save_raw("json")
    with pytest.raises(xgboost.core.XGBoostError):
        train(xgboost, {"tree_method": "exact", "max_depth": 0})
