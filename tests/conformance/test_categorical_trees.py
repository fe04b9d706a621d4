"""Trees on categorical columns: the same as XGBoost's, and our models read by XGBoost."""

from __future__ import annotations

import json
from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest

xgboost = pytest.importorskip("xgboost")

NAMES = ["red", "green", "blue", "cyan", "pink"]


def model_of(booster: Any) -> dict[str, Any]:
    return json.loads(bytes(booster.save_raw(raw_format="json")))["learner"]["gradient_booster"]["model"]


def splits_of(booster: Any) -> list[Any]:
    """Return the members that determine the branches of rows; thresholds for numeric splits."""
    splits = []
    for tree in model_of(booster)["trees"]:
        sets = {
            node: tree["categories"][begin : begin + size]
            for node, begin, size in zip(
                tree["categories_nodes"], tree["categories_segments"], tree["categories_sizes"], strict=True
            )
        }
        keys = ("left_children", "split_indices", "default_left", "split_type")
        splits.append([sets, *(tree[key] for key in keys)])
    return splits


def make_codes(seed: int, n_categories: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Return codes in which every category occurs; labels are multiples of 1/8, so sums do not depend on the order."""
    rng = np.random.default_rng(seed)
    columns = [rng.permutation(np.resize(np.arange(n), 1500)) for n in n_categories]
    values = np.column_stack([*columns, rng.integers(0, 50, 1500)]).astype(np.float32)
    labels = rng.integers(-8, 9, 1500) / 8 + values[:, 0] % 3
    values[rng.random(values.shape) < 0.1 * (seed % 2)] = np.nan
    return values, labels.astype(np.float32), ["c"] * len(n_categories) + ["q"]


@pytest.mark.parametrize("method", ["hist", "approx"])
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"max_cat_to_onehot": 1},
        {"max_cat_to_onehot": 200},
        {"max_cat_to_onehot": 1, "max_cat_threshold": 5},
        {"min_child_weight": 20},
        {"min_child_weight": 0, "reg_lambda": 0.25, "reg_alpha": 0.5},
        {"max_delta_step": 0.25},
        {"interaction_constraints": "[[0,1],[2,3]]"},
    ],
)
def test_same_trees(params: dict[str, Any], method: str) -> None:
    for seed in range(4):
        values, labels, types = make_codes(seed, (3, 7, 100))
        both = []
        for library, more in ((kb, {}), (xgboost, {"enable_categorical": True})):
            data = library.DMatrix(values, label=labels, feature_types=types, **more)
            how = {
                "max_depth": 3,
                "base_score": 0.0,
                "tree_method": method,
                "cat_smooth": 0,
                "max_cat_to_onehot": 4,
                **params,
            }
            both.append(library.train(how, data, 1, verbose_eval=False))
        assert splits_of(both[0]) == splits_of(both[1])


@pytest.mark.parametrize("method", ["hist", "approx", "exact"])
def test_xgboost_predicts_with_our_models(method: str) -> None:
    values, labels, types = make_codes(1, (3, 7, 100))
    ours = kb.train({"tree_method": method}, kb.DMatrix(values, labels, feature_types=types), 8)
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.integers(0, n, 500) for n in (5, 9, 120, 60)]).astype(np.float32)
    rows[rng.random(rows.shape) < 0.1] = np.nan
    data = kb.DMatrix(rows, feature_types=types)
    theirs_data = xgboost.DMatrix(rows, feature_types=types, enable_categorical=True)
    for file_format in ("json", "ubj"):
        theirs = xgboost.Booster(model_file=bytearray(ours.save_raw(file_format)))
        np.testing.assert_array_equal(ours.predict(data), theirs.predict(theirs_data))
        for kind in ({"pred_contribs": True}, {"pred_interactions": True}, {"pred_leaf": True}):
            np.testing.assert_allclose(ours.predict(data, **kind), theirs.predict(theirs_data, **kind), atol=2e-5)
        for dump in ("text", "json", "dot"):
            how = {"with_stats": True, "dump_format": dump}
            assert ours.get_dump(**how) == theirs.get_dump(**how)


def test_trees_as_frames() -> None:
    values, labels, types = make_codes(1, (3, 7, 100))
    ours = kb.train({"max_depth": 3}, kb.DMatrix(values, labels, feature_types=types), 2)
    theirs = xgboost.Booster(model_file=bytearray(ours.save_raw("ubj")))
    pd.testing.assert_frame_equal(ours.trees_to_dataframe(), theirs.trees_to_dataframe(), check_dtype=False)


def make_frame() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(5)
    color, size = rng.integers(0, 5, 600), rng.integers(0, 4, 600)
    frame = pd.DataFrame(
        {
            "color": pd.Categorical.from_codes(color, NAMES),
            "x": rng.normal(size=600),
            "size": pd.Categorical.from_codes(size, [300, -7, 10, 4]),
        }
    )
    frame.loc[::9, "color"] = np.nan
    return frame, (color % 2) + (size == 2) + rng.normal(size=600) / 10


def reordered(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(
        color=frame["color"].cat.set_categories(NAMES[::-1]), size=frame["size"].cat.set_categories([4, 300, 10, -7])
    )


@pytest.mark.parametrize("file_format", ["json", "ubj"])
def test_names_travel_both_ways(file_format: str) -> None:
    frame, labels = make_frame()
    params = {"max_cat_to_onehot": 1, "max_depth": 4}
    other = reordered(frame)
    ours = kb.train(params, kb.DMatrix(frame, labels), 4)
    theirs = xgboost.train(params, xgboost.DMatrix(frame, labels, enable_categorical=True), 4)
    assert model_of(ours)["cats"] == model_of(theirs)["cats"]

    to_them = xgboost.Booster(model_file=bytearray(ours.save_raw(file_format)))
    expected = ours.predict(kb.DMatrix(frame))
    for rows in (frame, other):
        np.testing.assert_array_equal(to_them.predict(xgboost.DMatrix(rows, enable_categorical=True)), expected)

    to_us = kb.Booster(model_file=bytearray(theirs.save_raw(file_format)))
    assert to_us.get_categories() == ours.get_categories()
    expected = theirs.predict(xgboost.DMatrix(frame, enable_categorical=True))
    for rows in (frame, other):
        np.testing.assert_array_equal(to_us.predict(kb.DMatrix(rows)), expected)
    assert model_of(to_us)["cats"] == model_of(theirs)["cats"]


def test_types_of_numbers() -> None:
    """Covers the types that XGBoost 3.2 can write."""
    for dtype in ("int8", "uint8", "int16", "int32", "int64"):
        names = pd.Index(np.array([3, np.iinfo(dtype).max, 7], dtype=dtype))
        frame = pd.DataFrame({"a": pd.Categorical.from_codes(np.arange(30) % 3, names)})
        ours = kb.train({}, kb.DMatrix(frame, np.arange(30) % 3), 1)
        theirs = xgboost.train({}, xgboost.DMatrix(frame, np.arange(30) % 3, enable_categorical=True), 1)
        assert model_of(ours)["cats"] == model_of(theirs)["cats"]
        ours_bytes, theirs_bytes = bytes(ours.save_raw("ubj")), bytes(theirs.save_raw("ubj"))
        begin, end = (text.index(b"\x04cats{") for text in (ours_bytes, theirs_bytes))
        assert ours_bytes[begin : begin + 150] == theirs_bytes[end : end + 150]
    for dtype in ("uint16", "uint32", "uint64"):
        names = pd.Index(np.array([3, np.iinfo(dtype).max, 7], dtype=dtype))
        frame = pd.DataFrame({"a": pd.Categorical.from_codes(np.arange(30) % 3, names)})
        ours = kb.train({}, kb.DMatrix(frame, np.arange(30) % 3), 1)
        for file_format in ("json", "ubj"):
            loaded = kb.Booster(model_file=bytearray(ours.save_raw(file_format)))
            assert loaded.get_categories() == {"a": names.tolist()}
