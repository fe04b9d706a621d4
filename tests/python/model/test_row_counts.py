"""Row counts per node, explanations weighted by them, and models with vector leaves through the package."""

from __future__ import annotations

import json
from pathlib import Path

import kauriboost as kb
import numpy as np
import pytest

FIXTURES = Path(__file__).parents[2] / "cpp" / "booster" / "model_io" / "fixtures"


def trees_of(booster: kb.Booster) -> list[dict[str, list[float]]]:
    """Return the trees in the model's file."""
    return json.loads(booster.save_raw("json"))["learner"]["gradient_booster"]["model"]["trees"]


def counts_of(booster: kb.Booster) -> list[list[int]]:
    """Return the counts in the model's file, which are one of its attributes."""
    return json.loads(json.loads(booster.save_raw("json"))["learner"]["attributes"]["kauri_row_counts"])["counts"]


def naive_counts(tree: dict[str, list[float]], X: np.ndarray) -> list[int]:
    """Count by traversing the tree row by row."""
    counts = [0] * len(tree["left_children"])
    for row in X:
        node = 0
        while True:
            counts[node] += 1
            if tree["left_children"][node] < 0:
                break
            value = row[tree["split_indices"][node]]
            left = tree["default_left"][node] if np.isnan(value) else value < np.float32(tree["split_conditions"][node])
            node = tree["left_children" if left else "right_children"][node]
    return counts


def test_counts_are_those_of_the_rows(binary: tuple[np.ndarray, np.ndarray], tmp_path: Path) -> None:
    """Every row counts once, whatever its weight; files keep the counts; a new count replaces the old one."""
    X, y = binary
    weights = np.linspace(0.1, 5, len(y))
    data = kb.DMatrix(X, y, weight=weights)
    booster = kb.train({"objective": "binary:logistic", "max_depth": 4}, data, 5)
    for rows in (X, X[:37], X):
        booster.count_rows(kb.DMatrix(rows))
        assert counts_of(booster) == [naive_counts(tree, rows) for tree in trees_of(booster)]
    for ending in ("json", "ubj"):
        booster.save_model(tmp_path / f"model.{ending}")
        assert counts_of(kb.Booster(model_file=tmp_path / f"model.{ending}")) == counts_of(booster)


def test_covers_of_counts(binary: tuple[np.ndarray, np.ndarray]) -> None:
    """The bias is the mean over the counted rows; without counts the error names the cure."""
    X, y = binary
    data = kb.DMatrix(X, y)
    booster = kb.train({"objective": "binary:logistic", "max_depth": 1, "shap_cover": "count"}, data, 4)
    margins = booster.predict(data, output_margin=True)
    with pytest.raises(kb.ParameterError, match="count_rows"):
        booster.predict(data, pred_contribs=True)
    booster.count_rows(data)
    for method in ("treeshap", "quadrature"):
        booster.set_param({"shap_method": method})
        contributions = booster.predict(data, pred_contribs=True)
        np.testing.assert_allclose(contributions.sum(axis=1), margins, atol=1e-5)
        np.testing.assert_allclose(contributions[:, -1], margins.mean(), atol=1e-5)
    by_count = booster.predict(data, pred_contribs=True)
    booster.set_param({"shap_cover": "hessian"})
    assert np.abs(booster.predict(data, pred_contribs=True) - by_count).max() > 1e-4
    booster.set_param({"shap_cover": "count"})
    booster.update(data, 4)
    with pytest.raises(kb.ParameterError, match="tree 4 has no row counts"):
        booster.predict(data, pred_contribs=True)


def test_other_libraries_read_the_counts(binary: tuple[np.ndarray, np.ndarray], tmp_path: Path) -> None:
    """XGBoost ignores them."""
    xgboost = pytest.importorskip("xgboost")
    X, y = binary
    booster = kb.train({"objective": "binary:logistic"}, kb.DMatrix(X, y), 3)
    booster.count_rows(kb.DMatrix(X))
    for ending in ("json", "ubj"):
        booster.save_model(tmp_path / f"model.{ending}")
        theirs = xgboost.Booster(model_file=tmp_path / f"model.{ending}")
        np.testing.assert_allclose(theirs.predict(xgboost.DMatrix(X)), booster.predict(kb.DMatrix(X)), rtol=1e-5)


def test_counting_is_refused(binary: tuple[np.ndarray, np.ndarray]) -> None:
    """Counting is refused without trees, and for rows with more features than the model."""
    X, y = binary
    with pytest.raises(kb.ModelError):
        kb.Booster().count_rows(kb.DMatrix(X))
    booster = kb.train({}, kb.DMatrix(X[:, :3], y), 1)
    with pytest.raises(kb.DataError):
        booster.count_rows(kb.DMatrix(X))


@pytest.mark.parametrize("name", ["vector", "vector_2.1"])
def test_vector_leaves(name: str) -> None:
    """Compare margins and leaves with XGBoost's models; row counts allow explanations without hessians."""
    facts = json.loads((FIXTURES / f"{name}.facts").read_text())
    X = np.array(facts["rows"], dtype=np.float32)
    data = kb.DMatrix(X)
    booster = kb.Booster(model_file=FIXTURES / f"{name}.json")
    np.testing.assert_allclose(booster.predict(data), facts["margins"], rtol=1e-6)
    np.testing.assert_array_equal(booster.predict(data, pred_leaf=True), facts["leaves"])
    assert booster.predict(data, pred_leaf=True, strict_shape=True).shape == (len(X), 2, 1, 2)
    if name == "vector_2.1":
        with pytest.raises(kb.ParameterError, match="count_rows"):
            booster.predict(data, pred_contribs=True)
    booster.set_param({"shap_cover": "count"})
    booster.count_rows(data)
    contributions = booster.predict(data, pred_contribs=True)
    assert contributions.shape == (len(X), 4, 5)
    np.testing.assert_allclose(contributions.sum(axis=-1), facts["margins"], rtol=1e-4, atol=1e-4)
    bias = np.mean(facts["margins"], axis=0)
    np.testing.assert_allclose(contributions[:, :, -1], np.tile(bias, (len(X), 1)), rtol=1e-3, atol=1e-3)
