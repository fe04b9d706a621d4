"""Monotone and interaction constraints: the same trees as XGBoost's.

Tests on the real data sets (`KAURI_DATA`, by default `../shared/data` beside the project) are skipped without them.
"""

from __future__ import annotations

import functools
import json
import os
import sys
from pathlib import Path

import kauriboost as kb
import numpy as np
import pytest

xgboost = pytest.importorskip("xgboost")

DATA = Path(os.environ.get("KAURI_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
ROWS = 4000
ROUNDS = 3
TIE = 2e-5
VERSION = tuple(int(part) for part in xgboost.__version__.split(".")[:2])
OBJECTIVES = {"california": "reg:squarederror", "adult": "binary:logistic", "random": "reg:squarederror"}


@functools.cache
def load_problem(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return features and labels of the first rows."""
    if name == "random":
        rng = np.random.default_rng(5)
        features = rng.standard_normal((2000, 7)).astype(np.float32)
        labels = features[:, 0] - features[:, 1] * features[:, 2] + np.sin(3 * features[:, 3]) + features[:, 4] ** 2
        features[rng.random(features.shape) < 0.15] = np.nan
        return features, labels.astype(np.float32)
    if not (DATA / "load.py").is_file():
        pytest.skip(f"no real data sets at {DATA}")
    sys.path.insert(0, str(DATA))
    from load import load

    features, labels, _ = load(name)
    return np.ascontiguousarray(features[:ROWS], dtype=np.float32), labels[:ROWS].astype(np.float32)


def in_few_values(features: np.ndarray) -> np.ndarray:
    """Return at most 200 distinct values per column, so that every method has the same bin edges."""
    few = features.copy()
    for column in few.T:
        present = ~np.isnan(column)
        values = np.unique(np.quantile(column[present], np.linspace(0, 1, 200)).astype(np.float32))
        column[present] = values[np.minimum(np.searchsorted(values, column[present]), len(values) - 1)]
    return few


def random_constraints(n_features: int, seed: int) -> dict[str, dict[str, object]]:
    """Return signs for every feature, and overlapping sets that leave some features out."""
    rng = np.random.default_rng(seed)
    signs = rng.integers(-1, 2, n_features)
    sets = [sorted(rng.choice(n_features, rng.integers(1, 5), replace=False).tolist()) for _ in range(5)]
    monotone = {"monotone_constraints": "(" + ",".join(map(str, signs)) + ")"}
    interaction = {"interaction_constraints": json.dumps(sets)}
    return {
        "monotone": monotone,
        "interaction": interaction,
        "both": {**monotone, **interaction},
        "regularised": {**monotone, "lambda": 2, "max_delta_step": 0.6, "gamma": 0.1},
        "alpha": {**monotone, "alpha": 0.7, "max_delta_step": 0.6},
    }


def is_tie(a: dict, b: dict) -> bool:
    """Return whether the splits are equal in float32, in which XGBoost computes gains."""
    return "gain" in a and "gain" in b and a["gain"] == pytest.approx(b["gain"], rel=TIE, abs=1e-5)


def assert_same_trees(ours: kb.Booster, theirs: object) -> int:
    """Check equal structure, thresholds and default sides, and leaves up to rounding, up to the first tree with a tie.

    Returns the number of equal splits.
    """
    n_splits = 0
    dumps = zip(*(booster.get_dump(dump_format="json", with_stats=True) for booster in (ours, theirs)), strict=True)
    for tree, texts in enumerate(dumps):
        stack = [tuple(json.loads(text) for text in texts)]
        had_tie = False
        while stack:
            a, b = stack.pop()
            split_a, split_b = (
                (node.get("split"), node.get("split_condition"), node.get("missing") == node.get("yes"))
                for node in (a, b)
            )
            if split_a != split_b and is_tie(a, b):
                had_tie = True
                continue
            assert split_a == split_b, f"tree {tree}, node {a['nodeid']}: {a} against {b}"
            if "leaf" in a:
                assert a["leaf"] == pytest.approx(b["leaf"], rel=1e-4, abs=1e-6), f"tree {tree}, node {a['nodeid']}"
                continue
            n_splits += 1
            stack += zip(a["children"], b["children"], strict=True)
        if had_tie:  # the gradients of the next tree differ
            break
    return n_splits


ALPHA = pytest.param(
    "alpha",
    marks=pytest.mark.skipif(VERSION < (3, 4), reason="until 3.4 the gain lacks alpha where weights are limited"),
)


@pytest.mark.parametrize("kind", ["monotone", "interaction", "both", "regularised", ALPHA])
@pytest.mark.parametrize("method", ["exact", "hist", "lossguide"])
@pytest.mark.parametrize("name", list(OBJECTIVES))
def test_trees_are_xgboosts(name: str, method: str, kind: str) -> None:
    features, labels = load_problem(name)
    if method != "exact":
        features = in_few_values(features)
    params = {"objective": OBJECTIVES[name], "tree_method": method, "max_depth": 5, "nthread": 2}
    if method == "lossguide":
        params |= {"tree_method": "hist", "grow_policy": "lossguide", "max_depth": 0, "max_leaves": 20}
    params |= random_constraints(features.shape[1], seed=11)[kind]
    ours, theirs = (library.train(params, library.DMatrix(features, labels), ROUNDS) for library in (kb, xgboost))
    assert assert_same_trees(ours, theirs) > 20


@pytest.mark.parametrize("limits", [{"max_delta_step": 1e6}, {"monotone_constraints": ""}])
@pytest.mark.parametrize("method", ["exact", "hist", "approx", "lossguide"])
@pytest.mark.parametrize("name", list(OBJECTIVES))
def test_alpha_with_limits_that_bind_nothing(name: str, method: str, limits: dict[str, object]) -> None:
    """The model has the bytes of one without limits, whose trees equal XGBoost's without limits."""
    features, labels = load_problem(name)
    if method != "exact":
        features = in_few_values(features)
    params = {"objective": OBJECTIVES[name], "tree_method": method, "max_depth": 5, "nthread": 2, "alpha": 1.5}
    if method == "lossguide":
        params |= {"tree_method": "hist", "grow_policy": "lossguide", "max_depth": 0, "max_leaves": 20}
    if "monotone_constraints" in limits:
        limits = {"monotone_constraints": "(" + ",".join(["0"] * features.shape[1]) + ")"}
    free, limited = (kb.train(more, kb.DMatrix(features, labels), ROUNDS) for more in (params, {**params, **limits}))
    assert bytes(limited.save_raw()) == bytes(free.save_raw())
    theirs = xgboost.train(params, xgboost.DMatrix(features, labels), ROUNDS)
    assert assert_same_trees(limited, theirs) > 20
