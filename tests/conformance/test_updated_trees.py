"""process_type=update: refreshed and pruned models equal XGBoost's, tree by tree."""

from __future__ import annotations

import json

import kauriboost as kb
import numpy as np
import pytest

xgboost = pytest.importorskip("xgboost")

ROWS = 900
COLUMNS = 5
ROUNDS = 6
CATEGORIES = 12
OBJECTIVES = ["reg:squarederror", "binary:logistic", "multi:softprob", "reg:pseudohubererror"]


def make_data(seed: int, objective: str, *, categorical: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return features with missing values, the last of which may be categorical, labels, and weights."""
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((ROWS, COLUMNS)).astype(np.float32)
    values[:, -1] = rng.integers(0, CATEGORIES, ROWS)
    signal = values[:, 0] * (1 + seed) + values[:, 1] ** 2 + np.sin(2 * values[:, -1]) + 0.1 * rng.normal(size=ROWS)
    if not categorical:
        values[:, -1] += rng.standard_normal(ROWS)
    values[rng.random(values.shape) < 0.1] = np.nan
    labels = {"binary:logistic": signal > 1, "multi:softprob": np.digitize(signal, [0, 2])}.get(objective, signal)
    return values, labels.astype(np.float32), rng.uniform(0.5, 2, ROWS).astype(np.float32)


def matrix_of(library: object, seed: int, objective: str, *, categorical: bool = False) -> object:
    """Return the data in a matrix of either library; Kauri's needs no type to apply a split on categories."""
    values, labels, weights = make_data(seed, objective, categorical=categorical)
    types = ["float"] * (COLUMNS - 1) + ["c"] if categorical and library is xgboost else None
    return library.DMatrix(values, label=labels, weight=weights, feature_types=types)


def learn(objective: str, *, categorical: bool = False, **params: object) -> bytes:
    """Return a model of XGBoost trained on the first data."""
    params = {"objective": objective, "max_depth": 5, "eta": 0.4, "max_cat_to_onehot": 1, "nthread": 1, **params}
    if objective == "multi:softprob":
        params["num_class"] = 3
    data = matrix_of(xgboost, 0, objective, categorical=categorical)
    return bytes(xgboost.train(params, data, ROUNDS).save_raw("json"))


def update(library: object, model: bytes, params: dict[str, object], *, rounds: int = ROUNDS, **data: object) -> object:
    """Return the model after rounds of update on the second data."""
    document = json.loads(model)["learner"]
    objective = document["objective"]["name"]
    params = {"process_type": "update", "nthread": 1, "objective": objective, **params}
    if objective == "multi:softprob":
        params["num_class"] = 3
    booster = library.Booster(params, model_file=bytearray(model))
    train = matrix_of(library, 1, objective, **data)
    for iteration in range(rounds):
        booster.update(train, iteration)
    return booster


def trees_of(booster: object) -> list[list[dict[str, object]]]:
    """Return the nodes of every tree, depth first, without their numbers."""
    model = json.loads(bytes(booster.save_raw(raw_format="json")))["learner"]["gradient_booster"]["model"]
    return [list(nodes_of(tree)) for tree in model["trees"]]


def nodes_of(tree: dict[str, list]) -> object:
    """Yield the nodes of a tree, depth first."""
    segments = zip(tree["categories_segments"], tree["categories_sizes"], strict=True)
    sets = dict(zip(tree["categories_nodes"], segments, strict=True))
    stack = [(0, 0)]
    while stack:
        node, depth = stack.pop()
        is_leaf = tree["left_children"][node] == -1
        begin, size = sets.get(node, (0, 0))
        yield {
            "depth": depth,
            "split": None if is_leaf else (tree["split_indices"][node], tree["default_left"][node]),
            "categories": [] if is_leaf else tree["categories"][begin : begin + size],
            "threshold": tree["split_conditions"][node],
            "weight": tree["base_weights"][node],
            "cover": tree["sum_hessian"][node],
            "gain": 0.0 if is_leaf else tree["loss_changes"][node],
        }
        if not is_leaf:
            stack += [(tree["right_children"][node], depth + 1), (tree["left_children"][node], depth + 1)]


def assert_same_trees(ours: object, theirs: object) -> None:
    """Check equal structure, and equal numbers except for rounding."""
    here, there = trees_of(ours), trees_of(theirs)
    assert [len(tree) for tree in here] == [len(tree) for tree in there]
    for our_tree, their_tree in zip(here, there, strict=True):
        for key in ("depth", "split", "categories"):
            assert [node[key] for node in our_tree] == [node[key] for node in their_tree]
        for key, tolerance in (("threshold", 1e-5), ("weight", 1e-5), ("cover", 1e-5), ("gain", 2e-3)):
            expected = [node[key] for node in their_tree]
            np.testing.assert_allclose([node[key] for node in our_tree], expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize(
    "params",
    [
        {"updater": "refresh"},
        {"updater": "refresh", "refresh_leaf": 0},
        {"updater": "refresh", "lambda": 0.3, "alpha": 0.5, "min_child_weight": 9, "eta": 0.1},
        {"updater": "refresh", "lambda": 0.3, "max_delta_step": 0.4, "min_child_weight": 9, "eta": 0.1},
        {"updater": "prune", "gamma": 3, "eta": 0.2},
        {"updater": "prune", "max_depth": 2},
        {"updater": "refresh,prune", "gamma": 2},
        {"updater": "prune,refresh", "gamma": 2},
    ],
    ids=["refresh", "statistics", "penalties", "steps", "prune", "depth", "both", "reversed"],
)
def test_update_as_xgboost_does(objective: str, params: dict[str, object]) -> None:
    """Compares every statistic of every node."""
    model = learn(objective)
    assert_same_trees(update(kb, model, params), update(xgboost, model, params))


@pytest.mark.parametrize("updater", ["refresh", "prune", "refresh,prune"])
def test_categorical_splits(updater: str) -> None:
    """Sets of categories stay with their nodes, also if other nodes are removed."""
    model = learn("reg:squarederror", categorical=True)
    assert any(node["categories"] for tree in trees_of(kb.Booster(model_file=model)) for node in tree)
    params = {"updater": updater, "gamma": 4}
    ours = update(kb, model, params, categorical=True)
    theirs = update(xgboost, model, params, categorical=True)
    assert_same_trees(ours, theirs)
    assert any(node["categories"] for tree in trees_of(ours) for node in tree)
    if "prune" in updater:
        assert sum(map(len, trees_of(ours))) < sum(map(len, trees_of(kb.Booster(model_file=model))))


@pytest.mark.parametrize(
    "grown",
    [
        {"num_parallel_tree": 3, "subsample": 0.5},
        {"grow_policy": "lossguide", "max_leaves": 9},
        {"tree_method": "exact", "gamma": 2},
        {"tree_method": "approx"},
    ],
    ids=["forest", "lossguide", "exact", "approx"],
)
def test_models_of_every_make(grown: dict[str, object]) -> None:
    """Trees of a forest share the step; the tree is the same for any numbering of nodes."""
    model = learn("reg:squarederror", **grown)
    params = {"updater": "refresh,prune", "gamma": 1}
    assert_same_trees(update(kb, model, params), update(xgboost, model, params))


def test_fewer_rounds_leave_a_shorter_model() -> None:
    """Rounds that were not updated are removed, in both libraries, and boosting continues from there."""
    model = learn("binary:logistic")
    boosters = [update(library, model, {"updater": "refresh"}, rounds=2) for library in (kb, xgboost)]
    assert_same_trees(*boosters)
    for library, booster in zip((kb, xgboost), boosters, strict=True):
        assert booster.num_boosted_rounds() == 2
        booster.set_param({"process_type": "default", "updater": "grow_quantile_histmaker"})
        booster.update(matrix_of(library, 1, "binary:logistic"), 2)
        assert booster.num_boosted_rounds() == 3
