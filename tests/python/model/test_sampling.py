"""Rows drawn by their gradients, columns drawn by their weights."""

from __future__ import annotations

import kauriboost as kb
import numpy as np
import pytest
from kauriboost.sklearn import KauriRegressor
from sklearn.metrics import roc_auc_score

QUIET = {"verbose_eval": False}
PARAMS = {"nthread": 1, "objective": "binary:logistic", "max_depth": 4, "eta": 0.2, "sampling_method": "gradient_based"}


def _problem(n_rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Five percent of ones, at the edge of a noisy surface."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 8)).astype(np.float32)
    surface = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * np.abs(X[:, 3]) + 0.3 * rng.normal(size=n_rows)
    return X, (surface > np.quantile(surface, 0.95)).astype(np.float32)


@pytest.mark.parametrize("tree_method", ["hist", "exact"])
def test_a_tenth_of_the_rows_is_better_when_drawn_by_gradients(tree_method: str) -> None:
    train, test = _problem(8000, 1), _problem(8000, 2)
    data = kb.DMatrix(*train)

    def auc(method: str) -> float:
        scores = []
        for seed in range(3):
            params = {**PARAMS, "tree_method": tree_method, "subsample": 0.1, "sampling_method": method, "seed": seed}
            model = kb.train(params, data, 30, **QUIET)
            scores.append(roc_auc_score(test[1], model.predict(kb.DMatrix(test[0]))))
        return float(np.mean(scores))

    by_gradient, uniform = auc("gradient_based"), auc("uniform")
    assert by_gradient > uniform + 0.002, (by_gradient, uniform)


@pytest.mark.parametrize("objective", ["binary:logistic", "reg:absoluteerror", "multi:softprob"])
def test_same_bytes_for_any_threads(objective: str) -> None:
    X, y = _problem(3000, 3)
    data = kb.DMatrix(X, y)
    params = {**PARAMS, "objective": objective, "subsample": 0.3, "colsample_bynode": 0.5}
    if objective == "multi:softprob":
        params["num_class"] = 2
    models = [kb.train({**params, "nthread": n}, data, 4, **QUIET).save_raw("json") for n in (1, 2, 5)]
    assert models[0] == models[1] == models[2]
    assert models[0] != kb.train({**params, "seed": 9}, data, 4, **QUIET).save_raw("json")


def test_all_rows_are_used_without_subsample() -> None:
    X, y = _problem(2000, 4)
    data = kb.DMatrix(X, y)
    uniform = kb.train({**PARAMS, "sampling_method": "uniform"}, data, 3, **QUIET)
    assert kb.train(PARAMS, data, 3, **QUIET).save_raw("json") == uniform.save_raw("json")


def test_feature_weights_decide_which_columns_are_drawn() -> None:
    rng = np.random.default_rng(6)
    X = rng.normal(size=(500, 6)).astype(np.float32)
    data = kb.DMatrix(X, X.sum(axis=1), feature_weights=[0, 1, 1, 1, 5, 0])
    for method in ("hist", "exact"):
        params = {"tree_method": method, "max_depth": 1, "colsample_bytree": 0.2, "seed": 2}
        root = kb.train(params, data, 400, **QUIET).trees_to_dataframe().query("Node == 0")
        share = root["Feature"].value_counts(normalize=True)
        assert set(share.index) == {"f1", "f2", "f3", "f4"}
        assert share["f4"] == pytest.approx(5 / 8, abs=0.1)


def test_the_estimator_takes_both() -> None:
    X, y = _problem(500, 7)
    model = KauriRegressor(
        n_estimators=5,
        n_jobs=1,
        subsample=0.5,
        sampling_method="gradient_based",
        colsample_bytree=0.2,
        feature_weights=[1, 0, 0, 0, 0, 0, 0, 0],
    ).fit(X, y)
    assert np.flatnonzero(model.feature_importances_).tolist() == [0]


def test_unknown_method() -> None:
    X, y = _problem(50, 8)
    with pytest.raises(kb.ParameterError, match=r"sampling_method.*gradient_based"):
        kb.train({**PARAMS, "sampling_method": "gradient"}, kb.DMatrix(X, y), 1, **QUIET)
