"""Forests as arrays: by the C function, and as a file that a program without Kauri wrote."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from kauriboost._binding.library import LIB, check
from kauriboost.forests import ForestTree, from_sklearn, from_trees, load, thresholds_of, thresholds_of_doubles
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

ROOT = Path(__file__).resolve().parents[3]
ROWS = np.random.default_rng(7).normal(size=(300, 4)).astype(np.float32)
TARGET = ROWS[:, 0] + ROWS[:, 1] * ROWS[:, 2]
FOREST = RandomForestRegressor(12, max_depth=6, random_state=0).fit(ROWS, TARGET)
CLASSES = RandomForestClassifier(9, max_depth=5, random_state=0).fit(ROWS, np.digitize(TARGET, [-1, 1]))
STUMP = ForestTree(
    left=np.array([1, -1, -1]),
    right=np.array([2, -1, -1]),
    feature=np.zeros(3, np.int64),
    threshold=np.zeros(3),
    default_left=np.array([True, False, False]),
    values=np.array([0, -1.0, 1.0]),
    cover=np.array([300, 150, 150]),
)


def tree_as_json(tree: Any, values: np.ndarray) -> dict[str, Any]:
    """Return a tree of scikit-learn as it is: its arrays, and no rule of Kauri's."""
    return {
        "left": tree.children_left.tolist(),
        "right": tree.children_right.tolist(),
        "feature": tree.feature.tolist(),
        "threshold": tree.threshold.tolist(),
        "default_left": tree.missing_go_to_left.tolist(),
        "values": values.tolist(),
        "cover": tree.weighted_n_node_samples.tolist(),
    }


def forest_as_json(forest: Any) -> dict[str, Any]:
    shares = [each.tree_.value[:, 0, :] / len(forest.estimators_) for each in forest.estimators_]
    return {
        "kauri_forest": 1,
        "n_features": forest.n_features_in_,
        "base_score": [0.0] * shares[0].shape[1],
        "comparison": "at_most",
        "trees": [
            tree_as_json(each.tree_, share if share.shape[1] > 1 else share[:, 0])
            for each, share in zip(forest.estimators_, shares, strict=True)
        ],
    }


def by_call(document: dict[str, Any]) -> kb.Booster:
    booster = kb.Booster()
    check(LIB.KauriBoosterLoadForest(booster.handle, json.dumps(document).encode()))
    return booster


@pytest.mark.parametrize("forest", [FOREST, CLASSES], ids=["regression", "classes"])
def test_arrays_of_scikit_learn_at_every_door(forest: Any, tmp_path: Path) -> None:
    expected = from_sklearn(forest)
    document = forest_as_json(forest)
    path = tmp_path / "forest.json"
    path.write_text(json.dumps(document))
    booster = by_call(document)
    assert booster.save_raw("json") == expected.save_raw("json")
    assert kb.Booster(model_file=path).save_raw("json") == expected.save_raw("json")
    assert kb.Booster(model_file=path.read_bytes()).save_raw("json") == expected.save_raw("json")
    told = load(path)
    assert (told.library, told.kind, told.n_trees) == ("Kauri", "forest of arrays", len(forest.estimators_))
    theirs = forest.predict_proba(ROWS) if forest is CLASSES else forest.predict(ROWS)
    for threads in (1, 3):
        booster.set_param("nthread", threads)
        np.testing.assert_allclose(booster.predict(kb.DMatrix(ROWS)), theirs, rtol=1e-5, atol=1e-6)


def test_the_program_reads_the_file(tmp_path: Path) -> None:
    program = Path(os.environ.get("KAURI_BUILD_DIR", ROOT / "build")) / "bin" / "kauri"
    path, out = tmp_path / "forest.json", tmp_path / "forest.ubj"
    path.write_text(json.dumps(forest_as_json(FOREST)))
    subprocess.run([program, "task=convert", f"model_in={path}", f"model_out={out}"], check=True, capture_output=True)
    assert kb.Booster(model_file=out).save_raw("ubj") == from_sklearn(FOREST).save_raw("ubj")
    np.savetxt(tmp_path / "rows.csv", np.column_stack([np.zeros(len(ROWS)), ROWS]), delimiter=",", fmt="%.9g")
    data = f"test_path={tmp_path / 'rows.csv'}?format=csv&label_column=0"
    arguments = [program, "task=pred", f"model_in={path}", data, "name_pred=stdout"]
    said = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout
    np.testing.assert_allclose(np.array(said.split(), dtype=float), FOREST.predict(ROWS), rtol=1e-5, atol=1e-6)
    path.write_text(json.dumps({**forest_as_json(FOREST), "comparison": "more"}))
    refused = subprocess.run([program, "task=check", f"model_in={path}"], check=False, capture_output=True, text=True)
    assert refused.returncode == 1
    assert "expected less, at_most or at_most_in_double" in refused.stderr


def test_comparisons_are_those_of_the_package() -> None:
    generator = np.random.default_rng(2)
    limits = np.concatenate([generator.normal(size=200), [0.0, -0.0, 1e-300, -1e-300, 0.1, 1e-45, 3.4e38, -3.4e38]])
    stump = {"left": [1, -1, -1], "right": [2, -1, -1], "feature": [0, 0, 0], "default_left": [0, 0, 0]}
    trees = [{**stump, "threshold": [limit, 0, 0], "values": [0, 1, 2], "cover": [2, 1, 1]} for limit in limits]
    for comparison, expected in (
        ("less", limits.astype(np.float32)),
        ("at_most", thresholds_of(limits)),
        ("at_most_in_double", thresholds_of_doubles(limits)),
    ):
        booster = by_call({"kauri_forest": 1, "n_features": 1, "comparison": comparison, "trees": trees})
        document = json.loads(bytes(booster.save_raw("json")))["learner"]["gradient_booster"]["model"]
        got = [tree["split_conditions"][0] for tree in document["trees"]]
        np.testing.assert_array_equal(np.array(got, dtype=np.float32), expected)


def test_a_refused_forest_leaves_the_booster_as_it_was() -> None:
    booster = kb.train({"max_depth": 2}, kb.DMatrix(ROWS, label=TARGET), 2)
    before = booster.save_raw("ubj"), booster.save_config()
    document = forest_as_json(FOREST)
    document["trees"][3]["left"][0] = 3
    with pytest.raises(kb.ModelError, match=r"trees\[3\]"):
        check(LIB.KauriBoosterLoadForest(booster.handle, json.dumps(document).encode()))
    unknown = {**forest_as_json(FOREST), "objective": "reg:of_nobody"}
    with pytest.raises(kb.KauriError, match="reg:of_nobody"):
        check(LIB.KauriBoosterLoadForest(booster.handle, json.dumps(unknown).encode()))
    with pytest.raises(kb.ParameterError, match="'config' is a null pointer"):
        check(LIB.KauriBoosterLoadForest(booster.handle, None))
    with pytest.raises(kb.ModelError, match="no valid JSON"):
        check(LIB.KauriBoosterLoadForest(booster.handle, b"{"))
    assert (booster.save_raw("ubj"), booster.save_config()) == before


def test_a_file_names_no_memory(tmp_path: Path) -> None:
    document = forest_as_json(FOREST)
    cover = np.asarray(document["trees"][0]["cover"])
    document["trees"][0]["cover"] = {**cover.__array_interface__, "descr": None, "strides": None}
    booster = by_call(document)
    assert booster.save_raw("json") == from_sklearn(FOREST).save_raw("json")
    path = tmp_path / "forest.json"
    path.write_text(json.dumps(document))
    with pytest.raises(kb.ModelError, match=r"trees\[0\]\.cover is .*expected a list of numbers"):
        kb.Booster(model_file=path)


@pytest.mark.parametrize("objective", ["count:poisson", "binary:logistic", "reg:tweedie"])
def test_objectives_with_a_link_need_a_base_score(objective: str, tmp_path: Path) -> None:
    """The rule is the library's, so every door has it."""
    document = forest_as_json(FOREST)
    del document["base_score"]
    by_call(document)
    document["objective"] = objective
    with pytest.raises(kb.ModelError, match=r"base_score is left out.*0\.5 adds nothing"):
        by_call(document)
    (tmp_path / "forest.json").write_text(json.dumps(document))
    with pytest.raises(kb.ModelError, match="base_score is left out"):
        load(tmp_path / "forest.json")
    with pytest.raises(kb.ModelError, match="base_score is left out"):
        from_trees([STUMP], 4, objective=objective)
    neutral = 0.5 if objective == "binary:logistic" else 1.0
    margins = from_trees([STUMP], 4, objective=objective, base_score=neutral).inplace_predict(
        ROWS, predict_type="margin"
    )
    assert set(margins.tolist()) == {-1.0, 1.0}
