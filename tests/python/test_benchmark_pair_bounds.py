"""Bounds on interactions for comparison in pair_bounds.py: they are valid, and exclude weak pairs."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmark"))
import kauriboost as kb
import pair_bounds
from paper_tables import model_file, shap_models


def make_model(path: Path, weak: float, depth: int, objective: dict) -> shap_models.TrainedModel:
    """Make a model in which features 0 and 1 interact in every row, and 2 and 3 `weak` times as much."""
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(600, 5)).astype(np.float32)
    signal = np.sign(rows[:, 0] * rows[:, 1]) + weak * np.sign(rows[:, 2] * rows[:, 3])
    labels = signal if not objective else np.digitize(signal, [-0.5, 0.5])
    data = kb.DMatrix(rows, labels)
    params = {"max_depth": depth, "eta": 0.5, "min_child_weight": 0, **objective}
    booster = kb.train(params, data, num_boost_round=12, verbose_eval=False)
    booster.save_model(path)
    return shap_models.TrainedModel("toy", path, model_file.shape_of(path.read_bytes()), 12, 12, rows, None)


@pytest.mark.parametrize("objective", [{}, {"objective": "multi:softprob", "num_class": 3}], ids=["one", "three"])
def test_shares_of_paths_are_the_covers(tmp_path: Path, objective: dict) -> None:
    make_model(tmp_path / "model.ubj", 0.3, 6, objective)
    document = model_file.read_ubjson((tmp_path / "model.ubj").read_bytes())["learner"]["gradient_booster"]
    repeats = 0
    for tree in document["model"]["trees"]:
        features, shares, values = pair_bounds.leaf_paths(tree)
        for path in features:
            named = path[path >= 0]
            assert len(set(named)) == len(named)
            repeats += int((path < 0).any())
        left, cover = np.asarray(tree["left_children"]), np.asarray(tree["sum_hessian"], dtype=np.float64)
        of_leaves = np.sort(cover[left == -1] / cover[0])
        product = np.sort(np.where(features >= 0, shares, 1.0).prod(axis=1))
        np.testing.assert_allclose(product, of_leaves, rtol=1e-5)
        assert len(values) == (left == -1).sum()
    assert repeats > 0


def test_weak_pairs_are_left_out(tmp_path: Path) -> None:
    args = Namespace(rows=40, top_k=1, threads=1)
    row = pair_bounds.measure(make_model(tmp_path / "a.ubj", 0.001, 2, {}), args)
    assert row["dropped"] >= 1
    assert 0 < row["work"] < 1
    assert row["faster"] == pytest.approx(1 / (1 - row["work"]))
    deep = pair_bounds.measure(make_model(tmp_path / "b.ubj", 1.0, 6, {}), Namespace(rows=40, top_k=4, threads=1))
    assert deep["dropped"] == 0
    assert deep["looseness"] > 1


def test_classes_are_measured_one_by_one(tmp_path: Path) -> None:
    objective = {"objective": "multi:softprob", "num_class": 3}
    row = pair_bounds.measure(make_model(tmp_path / "c.ubj", 0.5, 4, objective), Namespace(rows=20, top_k=2, threads=1))
    assert 0 < row["pairs"] <= 10


def test_a_bound_that_does_not_hold_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = make_model(tmp_path / "d.ubj", 0.5, 4, {})
    whole = pair_bounds.leaf_paths
    monkeypatch.setattr(pair_bounds, "leaf_paths", lambda tree: (*whole(tree)[:2], whole(tree)[2] / 1000))
    with pytest.raises(AssertionError, match="beyond its bound"):
        pair_bounds.measure(model, Namespace(rows=20, top_k=1, threads=1))
