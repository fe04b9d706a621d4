"""Trees with vector leaves (multi_strategy=multi_output_tree): files of each library predict the same in the other.

XGBoost cannot explain such trees, but can explain the same trees split into one tree per output and iteration. These
tests make such files, and explanations must be the same numbers.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pytest

xgboost = pytest.importorskip("xgboost")

KINDS: dict[str, dict[str, Any]] = {
    "targets": {"max_depth": 4},
    "many": {"max_depth": 2},  # nine
    "classes": {"objective": "multi:softprob", "num_class": 3, "max_depth": 3},
    "classes_picked": {"objective": "multi:softmax", "num_class": 4, "max_depth": 3},
    "labels": {"objective": "binary:logistic", "max_depth": 3},
    "lossguide": {"grow_policy": "lossguide", "max_leaves": 9, "max_depth": 0},
    "forest": {"num_parallel_tree": 3, "subsample": 0.5, "max_depth": 3},
    "single_leaves": {"gamma": 1e9},
}


def make_data(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Return 300 x 6 features with ties and a tenth missing; labels for the kind."""
    rng = np.random.default_rng(5)
    features = rng.normal(size=(300, 6)).astype(np.float32)
    features[:, 3:] = np.round(features[:, 3:] * 2)
    signal = features[:, 0] + features[:, 1] * features[:, 3] + 0.1 * rng.normal(size=300)
    features[rng.random(features.shape) < 0.1] = np.nan
    if kind.startswith("classes"):
        return features, np.digitize(signal, [-1, 0, 1])[:300] % KINDS[kind]["num_class"]
    targets = np.stack([signal, -signal + features[:, 3] ** 0, np.cos(signal)], axis=1)
    if kind == "labels":
        return features, (np.nan_to_num(targets) > 0).astype(np.float32)
    if kind == "many":
        targets = np.repeat(targets, 3, axis=1) * np.arange(1, 10)
    return features, np.nan_to_num(targets)


def train(kind: str, rounds: int = 4, **more: Any) -> tuple[Any, np.ndarray]:
    """Train with XGBoost; return the model and the rows."""
    features, labels = make_data(kind)
    params = {"tree_method": "hist", "nthread": 1, "multi_strategy": "multi_output_tree", **KINDS[kind], **more}
    return xgboost.train(params, xgboost.DMatrix(features, labels), rounds), features


def split_up(document: dict[str, Any]) -> dict[str, Any]:
    """Split every tree with vector leaves into one tree per output."""
    document = copy.deepcopy(document)
    gbtree = document["learner"]["gradient_booster"]["model"]
    trees, info, ends = [], [], [0]
    for tree in gbtree["trees"]:
        n_outputs = int(tree["tree_param"]["size_leaf_vector"])
        weights = np.reshape(tree.pop("leaf_weights"), (-1, n_outputs))
        is_leaf = np.array(tree["left_children"]) < 0
        rows = np.array(tree["right_children"])
        for output in range(n_outputs):
            part = copy.deepcopy(tree)
            conditions = np.array(tree["split_conditions"])
            conditions[is_leaf] = weights[rows[is_leaf], output]
            part["split_conditions"] = conditions.tolist()
            part["right_children"] = np.where(is_leaf, -1, rows).tolist()
            part["base_weights"] = [0.0] * len(rows)
            part["parents"][0] = 2147483647
            part["tree_param"]["size_leaf_vector"] = "1"
            part["id"] = len(trees)
            trees.append(part)
            info.append(output)
        ends.append(len(trees))
    gbtree["trees"], gbtree["tree_info"] = trees, info
    gbtree["iteration_indptr"] = ends[:: int(gbtree["gbtree_model_param"]["num_parallel_tree"])]
    gbtree["gbtree_model_param"]["num_trees"] = str(len(trees))
    return document


@pytest.fixture(params=KINDS, scope="module")
def models(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return XGBoost's model, ours from its file, the rows, and the split model."""
    tmp_path = tmp_path_factory.mktemp(request.param)
    theirs, features = train(request.param)
    theirs.save_model(tmp_path / "theirs.json")
    document = json.loads((tmp_path / "theirs.json").read_text())
    (tmp_path / "split.json").write_text(json.dumps(split_up(document)))
    return {
        "theirs": theirs,
        "ours": kb.Booster(model_file=tmp_path / "theirs.json"),
        "split": xgboost.Booster({"nthread": 1}, model_file=tmp_path / "split.json"),
        "features": features,
        "document": document,
    }


@pytest.mark.parametrize("n_rows", [1, 300])
def test_predictions_are_the_same(models: dict[str, Any], n_rows: int) -> None:
    """Compare values, margins and leaves, for all iterations and for some."""
    ours, theirs, rows = models["ours"], models["theirs"], models["features"][:n_rows]
    for kind in ({}, {"output_margin": True}, {"pred_leaf": True}):
        for iterations in ((0, 0), (1, 3), (3, 4)):
            found = ours.predict(kb.DMatrix(rows), iteration_range=iterations, **kind)
            part = theirs[iterations[0] : iterations[1]] if iterations[1] else theirs
            expected = part.predict(xgboost.DMatrix(rows), **kind)
            assert found.shape == expected.shape
            np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("method", ["treeshap", "quadrature"])
def test_explanations_are_those_of_the_trees_split_up(models: dict[str, Any], method: str) -> None:
    """Compare contributions and interactions, exact and approximate; they sum to the margin."""
    ours, split, rows = models["ours"], models["split"], models["features"][:20]
    ours.set_param({"shap_method": method})
    margins = models["theirs"].predict(xgboost.DMatrix(rows), output_margin=True)
    for kind in (
        {"pred_contribs": True},
        {"pred_interactions": True},
        {"pred_contribs": True, "approx_contribs": True},
    ):
        for iterations in ((0, 0), (1, 3)):
            found = ours.predict(kb.DMatrix(rows), iteration_range=iterations, **kind)
            part = split[iterations[0] : iterations[1]] if iterations[1] else split
            expected = part.predict(xgboost.DMatrix(rows), **kind)
            assert found.shape == expected.shape
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=2e-5 * np.abs(margins).max())
        total = ours.predict(kb.DMatrix(rows), **kind)
        total = total.reshape(len(rows), margins.shape[1], -1).sum(-1)
        np.testing.assert_allclose(total, margins, rtol=1e-4, atol=1e-5 * np.abs(margins).max())


@pytest.mark.parametrize("ending", ["json", "ubj"])
def test_files_go_back(models: dict[str, Any], ending: str, tmp_path: Path) -> None:
    """XGBoost reads our files, predicts the same, and writes the same trees."""
    ours, theirs, rows = models["ours"], models["theirs"], xgboost.DMatrix(models["features"])
    ours.save_model(tmp_path / f"ours.{ending}")
    back = xgboost.Booster(model_file=tmp_path / f"ours.{ending}")
    np.testing.assert_array_equal(back.predict(rows), theirs.predict(rows))
    back.save_model(tmp_path / "back.json")
    document = json.loads((tmp_path / "back.json").read_text())
    for key in ("trees", "tree_info", "iteration_indptr", "gbtree_model_param"):
        gbtrees = [file["learner"]["gradient_booster"]["model"][key] for file in (document, models["document"])]
        assert gbtrees[0] == gbtrees[1], key
    again = kb.Booster(model_file=tmp_path / f"ours.{ending}")
    assert again.save_raw("ubj") == ours.save_raw("ubj")


def test_dumps_and_scores_are_the_same(models: dict[str, Any]) -> None:
    """XGBoost has no statistics in such dumps, and elides vectors also in JSON, which is then invalid."""
    ours, theirs = models["ours"], models["theirs"]
    n_outputs = int(
        models["document"]["learner"]["gradient_booster"]["model"]["trees"][0]["tree_param"]["size_leaf_vector"]
    )
    for form in ("text", "dot", "json"):
        if form != "json" or n_outputs <= 3:
            assert ours.get_dump(dump_format=form) == theirs.get_dump(dump_format=form)
    for tree in ours.get_dump(dump_format="json", with_stats=True):
        while "children" in (node := json.loads(tree)):
            tree = json.dumps(node["children"][0])
        assert len(node["leaf"]) == n_outputs
        assert node["cover"] > 0
    for importance in ("weight", "gain", "cover", "total_gain", "total_cover"):
        expected = theirs.get_score(importance_type=importance)
        assert ours.get_score(importance_type=importance) == pytest.approx(expected, rel=1e-5)


def test_mixed_strategies(tmp_path: Path) -> None:
    """XGBoost can continue with vectors after trees of one output: three trees per iteration, then one."""
    features, labels = make_data("targets")
    data = xgboost.DMatrix(features, labels)
    scalar = xgboost.train({"max_depth": 3, "multi_strategy": "one_output_per_tree"}, data, 2)
    params = {"max_depth": 3, "nthread": 1, "tree_method": "hist", "multi_strategy": "multi_output_tree"}
    theirs = xgboost.train(params, data, 2, xgb_model=scalar)
    theirs.save_model(tmp_path / "mixed.json")
    ours = kb.Booster(model_file=tmp_path / "mixed.json")
    for iterations in ((0, 0), (0, 2), (1, 3), (3, 4)):
        for kind in ({"output_margin": True}, {"pred_leaf": True}):
            found = ours.predict(kb.DMatrix(features), iteration_range=iterations, **kind)
            part = theirs[iterations[0] : iterations[1]] if iterations[1] else theirs
            expected = part.predict(data, **kind)
            np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)
    contributions = ours.predict(kb.DMatrix(features), pred_contribs=True)
    np.testing.assert_allclose(contributions.sum(-1), theirs.predict(data, output_margin=True), rtol=1e-4, atol=1e-4)
    ours.save_model(tmp_path / "back.json")
    back = xgboost.Booster(model_file=tmp_path / "back.json")
    np.testing.assert_array_equal(back.predict(data), theirs.predict(data))
    sliced = kb.Booster(model_file=tmp_path / "back.json")[1:3]
    np.testing.assert_allclose(sliced.predict(kb.DMatrix(features)), theirs[1:3].predict(data), rtol=1e-6, atol=1e-7)
