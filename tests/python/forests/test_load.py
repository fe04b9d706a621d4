"""Loading of forests from any library: what is read, what is told about it, and CatBoost's models."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import kauriboost as kb
import lightgbm as lgb
import numpy as np
import pandas as pd
import pytest
import xgboost as xgb
from kauriboost.forests import LoadedForest, load
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.linear_model import LinearRegression

ROOT = Path(__file__).resolve().parents[3]
CASES = json.loads((Path(__file__).parent / "catboost_cases.json").read_text())
READ = [name for name in CASES if name != "statistics"]
ROWS = np.random.default_rng(3).normal(size=(200, 3))
TARGET = ROWS[:, 0] + ROWS[:, 1] * ROWS[:, 2]
TOLERANCE = 1e-6  # for float32 sums of some leaves of about 1; CatBoost sums in float64


def written(name: str, folder: Path) -> Path:
    path = folder / "model.json"
    path.write_text(json.dumps(CASES[name]["model"]))
    return path


def loaded(name: str, folder: Path) -> LoadedForest:
    categories = CASES[name].get("categories")
    by_number = {int(column): names for column, names in categories.items()} if categories else None
    return load(written(name, folder), categories=by_number)


def rows_of(name: str) -> Any:
    """Return the rows of a case: a frame if a column has texts."""
    rows = CASES[name]["rows"]
    if "categories" not in CASES[name]:
        return np.array(rows, dtype=np.float64)
    frame = pd.DataFrame(rows)
    return frame.astype({1: "category"}).rename(columns=str)


@pytest.mark.parametrize("name", READ)
def test_raw_predictions_are_those_of_catboost(name: str, tmp_path: Path) -> None:
    forest = loaded(name, tmp_path)
    matrix = kb.DMatrix(rows_of(name))
    got = forest.booster.predict(matrix, output_margin=True)
    np.testing.assert_allclose(got, CASES[name]["raw"], rtol=TOLERANCE, atol=TOLERANCE)
    for kind in ("json", "ubj"):
        again = kb.Booster(model_file=forest.booster.save_raw(kind))
        assert again.save_raw(kind) == forest.booster.save_raw(kind)
        np.testing.assert_array_equal(again.predict(matrix, output_margin=True), got)


@pytest.mark.parametrize("name", READ)
def test_shap_values_are_those_of_catboost_and_add_up(name: str, tmp_path: Path) -> None:
    explanation = kb.explain(loaded(name, tmp_path).booster, rows_of(name))
    sums = explanation.values.sum(axis=1) + explanation.base_values
    np.testing.assert_allclose(sums, CASES[name]["raw"], rtol=TOLERANCE, atol=TOLERANCE)
    expected = np.array(CASES[name]["contributions"])
    expected = np.moveaxis(expected, 1, -1) if expected.ndim == 3 else expected
    np.testing.assert_allclose(explanation.values, expected[:, :-1], atol=TOLERANCE)
    np.testing.assert_allclose(explanation.base_values, expected[:, -1], atol=TOLERANCE)


def test_the_program_reads_the_file(tmp_path: Path) -> None:
    path, rows = written("whole numbers", tmp_path), rows_of("whole numbers")
    program = Path(os.environ.get("KAURI_BUILD_DIR", ROOT / "build")) / "bin" / "kauri"
    np.savetxt(tmp_path / "rows.csv", np.column_stack([np.zeros(len(rows)), rows]), delimiter=",", fmt="%.9g")
    data = f"test_path={tmp_path / 'rows.csv'}?format=csv&label_column=0"
    arguments = [program, "task=pred", f"model_in={path}", data, "name_pred=stdout"]
    out = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout
    np.testing.assert_allclose(np.array(out.split(), dtype=float), CASES["whole numbers"]["raw"], rtol=TOLERANCE)


def test_leaves_are_those_of_the_file(tmp_path: Path) -> None:
    booster = load(written("regression", tmp_path)).booster
    trees = json.loads(bytes(booster.save_raw("json")))["learner"]["gradient_booster"]["model"]["trees"]
    for ours, theirs in zip(trees, CASES["regression"]["model"]["oblivious_trees"], strict=True):
        is_leaf = np.array(ours["left_children"]) < 0
        leaves = np.array(ours["split_conditions"], dtype=np.float32)[is_leaf]
        np.testing.assert_array_equal(leaves, np.array(theirs["leaf_values"], dtype=np.float32))
        np.testing.assert_array_equal(np.array(ours["sum_hessian"])[is_leaf], theirs["leaf_weights"])


def test_probabilities_and_counts_have_the_link_of_catboost(tmp_path: Path) -> None:
    for name, link in (
        ("two classes", lambda raw: 1 / (1 + np.exp(-raw))),
        ("counts", np.exp),
        ("sum of counts", np.exp),
        ("sum", lambda raw: raw),
    ):
        predicted = load(written(name, tmp_path)).booster.inplace_predict(rows_of(name))
        np.testing.assert_allclose(predicted, link(np.array(CASES[name]["raw"])), rtol=TOLERANCE)
    raw = np.exp(np.array(CASES["three classes"]["raw"]))
    predicted = load(written("three classes", tmp_path)).booster.inplace_predict(rows_of("three classes"))
    np.testing.assert_allclose(predicted, raw / raw.sum(axis=1, keepdims=True), rtol=TOLERANCE)


def test_statistics_of_the_target_are_refused_by_column(tmp_path: Path) -> None:
    with pytest.raises(kb.ModelError, match=r"statistics of the target over the categories \(CTR\) of '1'"):
        load(written("statistics", tmp_path), categories={1: ["red"]})


def test_names_of_categories_must_be_given_and_fit(tmp_path: Path) -> None:
    path = written("texts", tmp_path)
    with pytest.raises(kb.ModelError, match=r"kauriboost.forests.load\(file, categories="):
        load(path)
    with pytest.raises(kb.ModelError, match="none of the 1 given names"):
        load(path, categories={1: ["pink"]})
    with pytest.raises(kb.ModelError, match=r"categories names the column 'colour', and .* are \[1\]"):
        load(path, categories={"colour": ["red"]})
    path.write_text("tree\n")
    with pytest.raises(kb.ModelError, match="categories are for models of CatBoost"):
        load(path, categories={1: ["red"]})


def test_what_was_read_is_told(tmp_path: Path) -> None:
    forest = load(written("three classes", tmp_path))
    assert (forest.library, forest.version, forest.objective) == ("CatBoost", "1.2.10", "MultiClass")
    assert (forest.n_trees, forest.n_outputs, forest.n_features, forest.feature_names) == (3, 3, 4, None)
    assert "names of classes" in forest.not_kept
    assert repr(forest).startswith("LoadedForest(library='CatBoost', kind='model file', version='1.2.10', objective=")

    theirs = lgb.train({"objective": "binary", "verbose": -1, "num_threads": 1}, lgb.Dataset(ROWS, TARGET > 0), 4)
    theirs.save_model(tmp_path / "lightgbm.txt")
    for source in (theirs, tmp_path / "lightgbm.txt"):
        forest = load(source)
        assert (forest.library, forest.version, forest.objective) == ("LightGBM", "v4", "binary sigmoid:1")
        assert (forest.n_trees, forest.n_outputs) == (4, 1)

    labels = np.digitize(TARGET, [-1, 1])
    classifier = xgb.XGBClassifier(n_estimators=2, n_jobs=1).fit(ROWS, labels)
    forest = load(classifier)
    assert (forest.library, forest.kind, forest.objective) == ("XGBoost", "XGBClassifier", "multi:softprob")
    assert (forest.n_trees, forest.n_outputs, forest.not_kept) == (6, 3, [])
    expected = classifier.get_booster().inplace_predict(ROWS, predict_type="margin")
    np.testing.assert_allclose(forest.booster.inplace_predict(ROWS, predict_type="margin"), expected, atol=TOLERANCE)

    forest = load(RandomForestClassifier(5, max_depth=3).fit(ROWS, labels))
    assert (forest.library, forest.kind, forest.n_trees, forest.n_outputs) == (
        "scikit-learn",
        "RandomForestClassifier",
        5,
        3,
    )
    assert "the score" in load(IsolationForest(n_estimators=3).fit(ROWS)).not_kept[-1]

    own = kb.KauriRegressor(n_estimators=3, n_jobs=1).fit(ROWS, TARGET)
    own.save_model(tmp_path / "own.json")
    assert load(own).library == "Kauri"
    assert load(own.get_booster()).version == kb.__version__
    assert load(tmp_path / "own.json").n_trees == 3


def test_a_file_of_catboost_without_a_loss_predicts_raw_values_and_says_so(tmp_path: Path) -> None:
    path = written("two classes", tmp_path)
    for info in ({}, {"model0:params": CASES["two classes"]["model"]["model_info"]["params"]}, {"params": {}}):
        path.write_text(json.dumps({**CASES["two classes"]["model"], "model_info": info}))
        forest = load(path)
        assert (forest.version, forest.objective) == ("", "")
        assert "the link of a loss, which the file does not have: predictions are raw values" in forest.not_kept
        predicted = forest.booster.inplace_predict(rows_of("two classes"))
        np.testing.assert_allclose(predicted, CASES["two classes"]["raw"], rtol=TOLERANCE, atol=TOLERANCE)


def test_a_loss_of_catboost_is_read_from_any_place_or_refused(tmp_path: Path) -> None:
    path = written("two classes", tmp_path)
    loss = {"type": "Logloss"}
    for info in (
        {"loss_function": loss},
        {"params": json.dumps({"loss_function": loss})},
        {"params": {"loss_function": json.dumps(loss)}, "loss_function": {"type": "RMSE"}},
        {"params": {"loss_function": None}, "loss_function": "\ufeff" + json.dumps(loss)},
    ):
        path.write_text(json.dumps({**CASES["two classes"]["model"], "model_info": info}))
        forest = load(path)
        assert forest.objective == "Logloss"
        assert not any("loss" in lost for lost in forest.not_kept)
        expected = 1 / (1 + np.exp(-np.array(CASES["two classes"]["raw"])))
        np.testing.assert_allclose(forest.booster.inplace_predict(rows_of("two classes")), expected, rtol=TOLERANCE)
    for info, value in (
        ([], "model_info '\\[\\]'"),
        ({"params": 5}, "params '5'"),
        ({"params": "not json"}, "params '\"not json\"'"),
        ({"loss_function": "Logloss"}, "loss_function '\"Logloss\"'"),
    ):
        path.write_text(json.dumps({**CASES["two classes"]["model"], "model_info": info}))
        with pytest.raises(kb.ModelError, match=f"a model of CatBoost has the {value}, which is no object"):
            load(path)


@pytest.mark.parametrize("categories", [None, {1: ["red"]}])
def test_deep_files_of_catboost_are_refused(tmp_path: Path, categories: Any) -> None:
    path = tmp_path / "model.json"
    for levels in (100, 150_000):
        model = json.dumps({**CASES["texts"]["model"], "model_info": {"params": "deep"}})
        path.write_text(model.replace('"deep"', "[" * levels + "]" * levels))
        with pytest.raises(kb.ModelError, match=r"nested deeper than 64 levels|damaged .*recursion"):
            load(path, categories=categories)
    program = Path(os.environ.get("KAURI_BUILD_DIR", ROOT / "build")) / "bin" / "kauri"
    done = subprocess.run([program, "task=check", f"model_in={path}"], check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert "JSON nested deeper than 64 levels" in done.stdout + done.stderr


def test_a_damaged_file_of_catboost_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text(json.dumps({"features_info": 5}))
    with pytest.raises(kb.ModelError, match="a model of CatBoost has"):
        load(path)
    with pytest.raises(kb.ModelError, match="the model of CatBoost is damaged"):
        load(path, categories={1: ["red"]})


def test_what_is_no_forest_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        kb.ModelError, match="expected a tree model of CatBoost, Kauri, LightGBM, scikit-learn, XGBoost or"
    ):
        load({"trees": []})
    with pytest.raises(kb.ModelError, match="LinearRegression is not a supported model"):
        load(LinearRegression())
    with pytest.raises(kb.ModelError, match="the model is gblinear, which has no trees"):
        load(kb.KauriRegressor(booster="gblinear", n_estimators=1, n_jobs=1).fit(ROWS, TARGET))
    with pytest.raises(OSError, match="nothing"):
        load(tmp_path / "nothing.json")
