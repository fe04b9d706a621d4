"""Tree growth: minimum rows per leaf, random thresholds, weights smoothed towards the parent's."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from kauriboost.sklearn import KauriRegressor
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

sys.path.insert(0, str(Path(__file__).parents[1] / "collective"))
from test_thread_ranks import run_ranks

QUIET = {"verbose_eval": False}
METHODS = ("exact", "hist", "approx")


def _mixed(n_rows: int = 900, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Return numbers with missing values; the last column has twelve categories, the one before it three."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 6)).astype(np.float32)
    y = X[:, 0] * X[:, 1] + np.sin(3 * X[:, 2]) + 0.2 * rng.normal(size=n_rows)
    X[rng.random(X.shape) < 0.15] = np.nan
    X[:, 4] = rng.integers(0, 3, size=n_rows)
    X[:, 5] = rng.integers(0, 12, size=n_rows)
    return X, (y + (X[:, 5] % 3)).astype(np.float32)


def _data(X: np.ndarray, y: np.ndarray, **fields: Any) -> kb.DMatrix:
    types = ["q"] * 4 + ["c", "c"]
    return kb.DMatrix(X, label=y, feature_types=types, enable_categorical=True, **fields)


def least_rows(model: kb.Booster, data: kb.DMatrix) -> int:
    """Return the smallest number of rows in any leaf of any tree."""
    leaves = np.asarray(model.predict(data, pred_leaf=True)).astype(np.int64).reshape(data.num_row(), -1)
    return min(int(np.unique(tree, return_counts=True)[1].min()) for tree in leaves.T)


REAL: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "diabetes": (load_diabetes, {"objective": "reg:squarederror"}),
    "breast cancer": (load_breast_cancer, {"objective": "binary:logistic"}),
    "wine": (load_wine, {"objective": "multi:softprob", "num_class": 3}),
}
GROWTH: dict[str, dict[str, Any]] = {
    "exact": {"tree_method": "exact"},
    "hist": {"tree_method": "hist"},
    "approx": {"tree_method": "approx"},
    "lossguide": {"tree_method": "hist", "grow_policy": "lossguide", "max_leaves": 40, "max_depth": 0},
    "symmetric": {"tree_method": "hist", "grow_policy": "symmetric"},
    "vectors": {"tree_method": "hist", "multi_strategy": "multi_output_tree"},
}


@pytest.mark.parametrize("growth", GROWTH)
@pytest.mark.parametrize("name", REAL)
def test_an_audit_of_real_data(name: str, growth: str) -> None:
    load, objective = REAL[name]
    X, y = load(return_X_y=True)
    if growth == "vectors" and name != "wine":
        y = np.column_stack([y, np.sqrt(y)])
        objective = {"objective": "reg:squarederror"}
    data = kb.DMatrix(X, label=y, weight=None if y.ndim > 1 else 0.5 + np.arange(len(X)) % 3)
    params = {**objective, **GROWTH[growth], "max_depth": 6, "min_child_weight": 0.01, "nthread": 2}
    free = least_rows(kb.train(params, data, 10, **QUIET), data)
    assert free < 7
    for least in (7, 20):
        model = kb.train({**params, "min_data_in_leaf": least}, data, 10, **QUIET)
        assert least_rows(model, data) >= least
        assert sum(len(tree.split("\n")) for tree in model.get_dump()) > 10 * 3


@pytest.mark.parametrize("more", [{}, {"monotone_constraints": "(1,-1)"}, {"colsample_bynode": 0.6, "gamma": 0.05}])
@pytest.mark.parametrize("method", METHODS)
def test_categories_missing_values_and_constraints(method: str, more: dict[str, Any]) -> None:
    data = _data(*_mixed(), weight=np.where(np.arange(900) % 10 == 0, 0.0, 1.0))
    params = {"tree_method": method, "max_depth": 8, "min_child_weight": 0, **more}
    for onehot in (1, 100):
        model = kb.train({**params, "max_cat_to_onehot": onehot, "min_data_in_leaf": 25}, data, 8, **QUIET)
        assert least_rows(model, data) >= 25
        assert "{" in "".join(model.get_dump())


@pytest.mark.parametrize("method", METHODS)
def test_rows_that_sampling_left_out_do_not_count(method: str) -> None:
    X, y = _mixed(2000)
    data = _data(X, y)
    params = {"tree_method": method, "subsample": 0.5, "min_data_in_leaf": 50, "max_depth": 8, "eta": 1.0, "lambda": 0}
    model = kb.train(params, data, 1, **QUIET)
    # For squared error, a leaf's cover is the number of its sampled rows.
    frame = model.trees_to_dataframe()
    assert frame.loc[frame["Feature"] == "Leaf", "Cover"].min() >= 50


def test_a_limit_that_is_kept_anyway_changes_nothing() -> None:
    X, y = _mixed()
    data = _data(X, y)
    for method in METHODS:
        params = {"tree_method": method, "min_child_weight": 30, "max_depth": 5}
        plain = kb.train(params, data, 5, **QUIET)
        for least in (0, 1, 2, 30):
            assert kb.train({**params, "min_data_in_leaf": least}, data, 5, **QUIET).save_raw() == plain.save_raw()
        # 30 rows of hessian 1 have a hessian of 30.
        by_rows = {"tree_method": method, "min_child_weight": 1, "max_depth": 5, "min_data_in_leaf": 30}
        assert kb.train(by_rows, data, 5, **QUIET).save_raw() == plain.save_raw()


ALL: dict[str, Any] = {"min_data_in_leaf": 9, "extra_trees": True, "path_smooth": 5.0, "subsample": 0.8, "max_depth": 5}


@pytest.mark.parametrize("growth", [name for name in GROWTH if name != "symmetric"])
def test_the_same_bytes_for_any_threads_and_going_on(growth: str) -> None:
    X, y = _mixed()
    data = _data(X, np.column_stack([y, -y, y * y]) if growth == "vectors" else y)
    params = {**GROWTH[growth], **ALL}
    models = [kb.train({**params, "nthread": n}, data, 4, **QUIET) for n in (1, 2, 5)]
    assert len({bytes(model.save_raw()) for model in models}) == 1
    half = kb.train(params, data, 2, **QUIET)
    assert kb.train(params, data, 2, xgb_model=half, **QUIET).save_raw() == models[0].save_raw()
    assert kb.train({**params, "seed": 4}, data, 4, **QUIET).save_raw() != models[0].save_raw()


@pytest.mark.parametrize("method", ["hist", "approx"])
def test_several_ranks_train_the_model_of_one_process(method: str) -> None:
    X, y = _mixed()
    for more in ({"min_data_in_leaf": 15}, {"extra_trees": True}, {"path_smooth": 20.0}, ALL):
        params = {"tree_method": method, "max_depth": 4, "nthread": 1, **more}
        alone = bytes(kb.train(params, _data(X, y), 4, **QUIET).save_raw())

        def of_rank(collective: Any, params: dict[str, Any] = params) -> bytes:
            bounds = np.linspace(0, len(X), collective.size + 1).astype(int)
            rows = slice(bounds[collective.rank], bounds[collective.rank + 1])
            data = _data(X[rows], y[rows])
            data.set_info(global_rows=np.array([[rows.start, rows.stop - rows.start]]))
            return bytes(kb.train(params, data, 4, collective=collective, **QUIET).save_raw())

        assert run_ranks(3, of_rank) == [alone] * 3


def test_one_booster_with_other_rules_each_round() -> None:
    X, y = _mixed()
    data = _data(X, y)
    model = kb.Booster({"max_depth": 6, "min_child_weight": 0}, [data])
    steps: list[dict[str, Any]] = [{"min_data_in_leaf": 40}, {"min_data_in_leaf": 0}, {"min_data_in_leaf": 40}]
    for number, step in enumerate([*steps, {"tree_method": "exact"}]):
        model.set_param(step)
        model.update(data, number)
    least = [least_rows(model[number], data) for number in range(4)]
    assert min(least[0], least[2], least[3]) >= 40 > least[1]
    again = pickle.loads(pickle.dumps(model))
    for booster in (model, again, model.copy()):
        booster.update(data, 4)
        assert least_rows(booster[4], data) >= 40


def test_settings_travel_with_the_configuration() -> None:
    X, y = _mixed()
    data = _data(X, y)
    model = kb.train(ALL, data, 1, **QUIET)
    other = kb.Booster()
    other.load_config(model.save_config())
    for name, value in (("min_data_in_leaf", "9"), ("extra_trees", "True"), ("path_smooth", "5")):
        assert f'"{name}":"{value}' in other.save_config().replace(" ", "")


@pytest.mark.parametrize("method", METHODS)
def test_drawn_thresholds_are_others_for_each_seed_and_tree_and_still_learn(method: str) -> None:
    X, y = _mixed(3000)
    X, y = X[:, :4], y - X[:, 5] % 3
    data = kb.DMatrix(X, label=y)
    history: dict[str, Any] = {}
    params = {"tree_method": method, "extra_trees": True, "max_depth": 6}
    kb.train(params, data, 60, evals=[(data, "train")], evals_result=history, **QUIET)
    assert history["train"]["rmse"][-1] < 0.6 * np.std(y)
    roots = set()
    for seed in range(20):
        frame = kb.train({**params, "seed": seed, "max_depth": 1}, data, 1, **QUIET).trees_to_dataframe()
        roots.add(frame["Split"][0])
    assert len(roots) > 15


def test_smoothed_leaves_explain_themselves() -> None:
    X, y = _mixed()
    data = _data(X, y)
    plain, smooth = (kb.train({"path_smooth": by, "max_depth": 6}, data, 1, **QUIET) for by in (0, 100))
    assert [tree.count("\n") for tree in plain.get_dump()] == [tree.count("\n") for tree in smooth.get_dump()]
    np.testing.assert_array_equal(plain.predict(data, pred_leaf=True), smooth.predict(data, pred_leaf=True))
    assert np.std(smooth.predict(data)) < 0.9 * np.std(plain.predict(data))
    values = smooth.predict(data, pred_contribs=True)
    np.testing.assert_allclose(values.sum(axis=1), smooth.predict(data, output_margin=True), rtol=1e-4, atol=1e-4)


def test_estimators_take_them() -> None:
    X, y = _mixed()
    model = KauriRegressor(n_estimators=5, min_data_in_leaf=60, extra_trees=True, path_smooth=2.0).fit(X[:, :4], y)
    assert model.get_params()["min_data_in_leaf"] == 60
    assert least_rows(model.get_booster(), kb.DMatrix(X[:, :4])) >= 60


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"min_data_in_leaf": -1}, "min_data_in_leaf"),
        ({"path_smooth": -1}, "path_smooth"),
        ({"extra_trees": "perhaps"}, "extra_trees"),
        ({"extra_trees": 1, "grow_policy": "symmetric"}, "set .*, extra_trees=0, or grow_policy=depthwise"),
        ({"path_smooth": 1, "monotone_constraints": "(1)"}, "may break the constraints; leave out one of the two"),
        ({"min_samples_leaf": 3}, "use min_data_in_leaf"),
    ],
)
def test_refused_and_the_booster_stays_as_it_was(params: dict[str, Any], words: str) -> None:
    X, y = _mixed(200)
    data = _data(X, y)
    with pytest.raises(kb.ParameterError, match=words):
        kb.train(params, data, 1, **QUIET)
    model = kb.train({}, data, 1, **QUIET)
    before = model.save_raw()
    with pytest.raises(kb.KauriError):
        kb.train(params, data, 1, xgb_model=model, **QUIET)
    assert model.save_raw() == before
