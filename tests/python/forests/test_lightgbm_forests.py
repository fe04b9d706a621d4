"""Conversion of LightGBM models, and refusal of invalid texts."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import kauriboost as kb
import lightgbm as lgb
import numpy as np
import pytest
from kauriboost.forests import ForestTree, from_lightgbm, from_trees, thresholds_of

ROOT = Path(__file__).resolve().parents[3]
N = 1500
GENERATOR = np.random.default_rng(5)
ROWS = GENERATOR.normal(size=(N, 6)).astype(np.float32)
ROWS[:, 5] = GENERATOR.integers(0, 50, N)
ROWS[::7, 1] = np.nan
TARGET = ROWS[:, 0] * 2 + np.where(np.isnan(ROWS[:, 1]), 1, ROWS[:, 1]) ** 2 + np.sin(ROWS[:, 5] * 9) * 2
POSITIVE = TARGET - TARGET.min()
TWO = np.greater(TARGET, TARGET.mean()).astype(int)
THREE = np.digitize(TARGET, np.quantile(TARGET, [0.3, 0.6]))
OTHER = ROWS.copy()
OTHER[::3, 5] = 60  # a category unseen by all trees
OTHER[::5, 5] = np.nan
OTHER[::11, 5] = -3
OTHER[::2, 0] = np.nan  # a column without missing values in training
TOLERANCE = 2e-6


def ours(booster: kb.Booster, rows: np.ndarray, **options: Any) -> np.ndarray:
    matrix = kb.DMatrix(rows, feature_names=booster.feature_names, feature_types=booster.feature_types)
    return np.asarray(booster.predict(matrix, **options))


def learn(labels: np.ndarray, categories: list[int], **settings: Any) -> lgb.Booster:
    parameters = {"verbose": -1, "num_leaves": 15, "min_data_per_group": 5, "seed": 1, "num_threads": 1, **settings}
    return lgb.train(parameters, lgb.Dataset(ROWS, labels, categorical_feature=categories), 10)


def expect_same(model: lgb.Booster) -> kb.Booster:
    booster = from_lightgbm(model)
    for rows in (ROWS, OTHER):
        expected = np.asarray(model.predict(rows))
        got = ours(booster, rows)
        assert got.shape == expected.shape
        np.testing.assert_allclose(got, expected, rtol=TOLERANCE, atol=TOLERANCE * np.abs(expected).max())
    return booster


@pytest.mark.parametrize("categories", [[], [5]], ids=str)
@pytest.mark.parametrize(
    ("objective", "labels", "settings"),
    [
        ("regression", TARGET, {}),
        ("regression_l1", TARGET, {}),
        ("huber", TARGET, {}),
        ("fair", TARGET, {}),
        ("quantile", TARGET, {"alpha": 0.8}),
        ("mape", POSITIVE + 1, {}),
        ("binary", TWO, {"sigmoid": 0.7}),
        ("cross_entropy", TWO, {}),
        ("multiclass", THREE, {"num_class": 3}),
        ("multiclassova", THREE, {"num_class": 3}),
        ("poisson", POSITIVE, {}),
        ("gamma", POSITIVE + 1, {}),
        ("tweedie", POSITIVE, {}),
    ],
)
def test_objectives(objective: str, labels: np.ndarray, settings: dict[str, Any], categories: list[int]) -> None:
    model = learn(labels, categories, objective=objective, **settings)
    booster = expect_same(model)
    assert ("c" in (booster.feature_types or [])) is bool(categories)


@pytest.mark.parametrize(
    "settings",
    [
        {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.7},
        {"boosting": "dart"},
        {"use_missing": False},
        {"min_data_in_leaf": N},  # single-leaf trees
        {"monotone_constraints": [1, 0, 0, 0, 0, 0]},
    ],
    ids=lambda settings: next(iter(settings)),
)
def test_kinds_of_models(settings: dict[str, Any]) -> None:
    expect_same(learn(TARGET, [5], objective="regression", **settings))


def test_explanations_are_its_own() -> None:
    for labels, settings in ((TARGET, {}), (THREE, {"objective": "multiclass", "num_class": 3})):
        model = learn(labels, [], **settings)
        expected = np.asarray(model.predict(ROWS[:40], pred_contrib=True))
        got = ours(from_lightgbm(model), ROWS[:40], pred_contribs=True)
        np.testing.assert_allclose(got.reshape(expected.shape), expected, atol=1e-5 * np.abs(expected).max())


def test_estimators_and_files(tmp_path: Path) -> None:
    estimator = lgb.LGBMClassifier(n_estimators=5, verbose=-1).fit(ROWS, TWO)
    expected = estimator.predict_proba(ROWS)[:, 1]
    path = tmp_path / "model.txt"
    estimator.booster_.save_model(path)
    for model in (estimator, estimator.booster_, path, str(path)):
        np.testing.assert_allclose(ours(from_lightgbm(model), ROWS), expected, atol=TOLERANCE)


def test_every_door_reads_the_text(tmp_path: Path) -> None:
    model = learn(THREE, [5], objective="multiclass", num_class=3)
    path = tmp_path / "model.txt"
    model.save_model(path)
    loaded = kb.Booster()
    loaded.load_model(path)
    doors = [
        from_lightgbm(model),
        kb.Booster(model_file=path),
        kb.Booster(model_file=bytearray(path.read_bytes())),
        loaded,
    ]
    files = {bytes(booster.save_raw("ubj")) for booster in doors}
    program = Path(os.environ.get("KAURI_BUILD_DIR", ROOT / "build")) / "bin" / "kauri"
    made = tmp_path / "made.ubj"
    subprocess.run([program, "task=convert", f"model_in={path}", f"model_out={made}"], check=True, capture_output=True)
    files.add(made.read_bytes())
    assert len(files) == 1
    rows = np.nan_to_num(OTHER)
    np.savetxt(tmp_path / "rows.csv", np.column_stack([np.zeros(len(rows)), rows]), delimiter=",", fmt="%.9g")
    arguments = [f"model_in={path}", f"test_path={tmp_path / 'rows.csv'}?format=csv&label_column=0", "name_pred=stdout"]
    out = subprocess.run([program, "task=pred", *arguments], check=True, capture_output=True, text=True).stdout
    expected = np.asarray(model.predict(rows))
    np.testing.assert_allclose(np.array(out.split(), dtype=float).reshape(expected.shape), expected, atol=TOLERANCE)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"zero_as_missing": True}, "zero_as_missing"),
        ({"linear_tree": True}, "linear leaves"),
        ({"objective": "regression", "reg_sqrt": True}, "'regression sqrt' has no counterpart"),
        ({"objective": "cross_entropy_lambda"}, "cross_entropy_lambda"),
    ],
    ids=str,
)
def test_what_is_not_read_is_said(settings: dict[str, Any], message: str) -> None:
    model = learn(TWO.astype(float), [], **settings)
    with pytest.raises(kb.ModelError, match=message):
        from_lightgbm(model)


def changed(path: Path, text: str) -> None:
    path.write_text(text)
    with pytest.raises(kb.KauriError):
        from_lightgbm(path)


@pytest.mark.parametrize(
    "name",
    ["num_leaves", "split_feature", "left_child", "right_child", "threshold", "decision_type", "leaf_value",
     "leaf_count", "internal_count", "cat_boundaries", "cat_threshold", "max_feature_idx", "num_tree_per_iteration",
     "feature_names", "objective"],
)  # fmt: skip
def test_broken_texts_are_refused(tmp_path: Path, name: str) -> None:
    text = learn(TARGET, [5]).model_to_string()
    line = re.search(rf"^{name}=.*$", text, re.MULTILINE)
    assert line is not None
    for wrong in ("", "x", "-7", "99999999999999999999", "nan nan", "0 " * 40 + "1"):
        if name == "cat_threshold" and wrong in {"-7", "99999999999999999999"}:
            continue  # too few words for the bounds are refused; any word is a valid set
        changed(tmp_path / "model.txt", text.replace(line[0], f"{name}={wrong}", 1))
    if name != "objective":  # a custom objective is not written
        changed(tmp_path / "model.txt", text.replace(line[0] + "\n", "", 1))


def test_drawn_damage_is_an_error_or_a_model(tmp_path: Path) -> None:
    text = learn(TARGET, [5]).model_to_string()
    end = text.index("end of trees")
    generator = np.random.default_rng(0)
    path = tmp_path / "model.txt"
    refused = 0
    for _ in range(150):
        at, length = int(generator.integers(end)), int(generator.integers(1, 30))
        new = "".join(generator.choice(list("0123456789-= \nxe."), int(generator.integers(0, 30))))
        path.write_text(text[:at] + new + text[at + length :])
        try:
            ours(from_lightgbm(path), ROWS[:20])
        except (kb.KauriError, UnicodeDecodeError):
            refused += 1
    assert refused > 20


def test_trees_of_anyone() -> None:
    stump = ForestTree(
        np.array([1, -1, -1]), np.array([2, -1, -1]), np.array([1, 0, 0]), thresholds_of(np.array([0.5, 0, 0])),
        np.array([1, 0, 0]), np.array([[0, 0], [1, 10], [2, 20]]), np.array([3, 1, 2]),
    )  # fmt: skip
    booster = from_trees([stump, stump], 2, base_score=[100, 200])
    rows = np.array([[0, 0.5], [0, np.nextafter(np.float32(0.5), np.float32(1))], [0, np.nan]], dtype=np.float32)
    np.testing.assert_array_equal(ours(booster, rows), [[102, 220], [104, 240], [102, 220]])
    for change, message in (
        ({"left": np.array([1, -1])}, r"right has numbers for 3 nodes; expected 2"),
        ({"left": np.array([3, -1, -1])}, r"trees\[0\].left has the value 3"),
        ({"left": np.array([0, -1, -1])}, "left_children"),
        ({"left": np.array([2, -1, -1])}, "a second time"),
        ({"feature": np.array([2, 0, 0])}, "feature has the value 2"),
        ({"feature": np.array([2**40, 0, 0])}, "feature has the value"),
        ({"threshold": np.array([np.nan, 0, 0])}, "no finite 32-bit number"),
        ({"values": np.array([0, np.nan, 0])}, "no finite 32-bit number"),
        ({"categories": {0: np.array([-1])}}, r"categories\.0 has the value -1"),
        ({"categories": {7: np.array([1])}}, "categories has the member '7'"),
    ):
        with pytest.raises(kb.KauriError, match=message):
            from_trees([ForestTree(**{**vars(stump), **change})], 2, base_score=[0, 0])
    with pytest.raises(kb.ModelError, match="no trees"):
        from_trees([], 2)


def test_thresholds_divide_floats_as_doubles_did() -> None:
    generator = np.random.default_rng(1)
    limits = np.concatenate([generator.normal(size=500), [0.0, -0.0, 1e-300, -1e-300, 0.1, 1e300, -1e300]])
    within = limits[np.abs(limits) < 1e38]
    values = np.concatenate([within.astype(np.float32), generator.normal(size=500).astype(np.float32)])
    values = np.unique(values)
    values = np.concatenate([values, np.nextafter(values, np.float32(np.inf))])
    np.testing.assert_array_equal(values[:, None] < thresholds_of(limits), values[:, None].astype(np.float64) <= limits)
