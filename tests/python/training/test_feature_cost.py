"""Feature costs: models compared with their definition, costs that are paid once, and compatible options."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from typing import Any

import kauriboost as kb
import lightgbm
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes

sys.path.insert(0, str(Path(__file__).parents[1] / "collective"))
from test_thread_ranks import run_ranks

QUIET = {"verbose_eval": False}
NEVER = 1e30
GROWTH: dict[str, dict[str, Any]] = {
    "exact": {"tree_method": "exact"},
    "hist": {"tree_method": "hist"},
    "approx": {"tree_method": "approx"},
    "lossguide": {"tree_method": "hist", "grow_policy": "lossguide", "max_leaves": 20, "max_depth": 0},
    "symmetric": {"tree_method": "hist", "grow_policy": "symmetric"},
    "vectors": {"tree_method": "hist", "multi_strategy": "multi_output_tree"},
}


def _rows(n_rows: int = 400, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Return six columns, including two pairs of nearly equal ones, and three labels."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 6))
    X[:, 3:5] = X[:, 0:2] + 0.4 * rng.normal(size=(n_rows, 2))
    y = np.stack([X[:, 0] + X[:, 1] * X[:, 2], np.sin(2 * X[:, 1]), X[:, 5] - X[:, 0]], axis=1)
    return X.astype(np.float32), (y + 0.2 * rng.normal(size=y.shape)).astype(np.float32)


def used(model: kb.Booster) -> set[str]:
    """Return the columns that the model splits on."""
    return set(model.trees_to_dataframe()["Feature"]) - {"Leaf"}


Node = tuple[int, float, float, np.ndarray]  # column, threshold, gain after costs, rows


class Definition:
    """Boosting of squared errors by exact trees, level by level, evaluating every candidate; no missing values."""

    def __init__(self, X: np.ndarray, costs: list[float], depth: int, gamma: float) -> None:
        self.X, self.open, self.depth, self.gamma = X.astype(np.float64), list(costs), depth, gamma

    def best(self, rows: np.ndarray, gradients: np.ndarray) -> Node | None:
        """Return the best split of a node."""
        found: Node | None = None
        node_gain = gradients[rows].sum() ** 2 / (len(rows) + 1)
        for column, cost in enumerate(self.open):
            order = rows[np.argsort(self.X[rows, column], kind="stable")]
            values, left = self.X[order, column], np.cumsum(gradients[order])
            n_left = np.arange(1, len(rows))
            gains = left[:-1] ** 2 / (n_left + 1) + (left[-1] - left[:-1]) ** 2 / (len(rows) - n_left + 1)
            gains = np.where(values[:-1] < values[1:], gains - node_gain - cost, -np.inf)
            at = int(np.argmax(gains)) if len(gains) else 0
            # Two columns may split the rows identically: the first one is kept.
            if len(gains) and gains[at] > max(1e-6, found[2] + 1e-9 * node_gain if found else 0.0):
                found = (column, (values[at] + values[at + 1]) / 2, float(gains[at]), rows)
        return found

    def tree(self, gradients: np.ndarray) -> tuple[list[tuple[int, float]], np.ndarray]:
        """Return the splits by level, as (column, gain), of a tree that needs no pruning, and the rows' values."""
        values = np.zeros(len(self.X))
        level, splits = [np.arange(len(self.X))], []
        for depth in range(self.depth + 1):
            found = [self.best(rows, gradients) if depth < self.depth else None for rows in level]
            below = []
            for rows, split in zip(level, found, strict=True):
                values[rows] = -0.3 * gradients[rows].sum() / (len(rows) + 1)
                if split is None:
                    continue
                column, threshold, gain, _ = split
                splits.append((column, gain))
                goes_left = self.X[rows, column] < threshold
                below += [rows[goes_left], rows[~goes_left]]
            for split in found:
                if split is not None and split[2] >= self.gamma:
                    self.open[split[0]] = 0.0
            level = below
        return splits, values


@pytest.mark.parametrize("n_parallel", [1, 3])
@pytest.mark.parametrize("n_targets", [1, 3])
@pytest.mark.parametrize("seed", range(6))
def test_rounds_are_those_of_the_definition(seed: int, n_targets: int, n_parallel: int) -> None:
    X, y = _rows(120, seed)
    y = y[:, :n_targets]
    costs = [float(cost) for cost in np.random.default_rng(seed).choice([0, 2, 10, 40, 1e6], size=6)]
    params = {"tree_method": "exact", "max_depth": 3, "base_score": 0, "num_parallel_tree": n_parallel}
    model = kb.train({**params, "feature_cost": costs}, kb.DMatrix(X, label=y), 6, **QUIET)
    frame = model.trees_to_dataframe()
    found = [
        list(zip(tree["Feature"].str[1:].astype(int), tree["Gain"], strict=True))
        for _, tree in frame[frame["Feature"] != "Leaf"].sort_values(["Tree", "Node"]).groupby("Tree")
    ]
    definition, margins, expected = Definition(X, costs, 3, 0.0), np.zeros(y.shape), []
    for _ in range(6):
        gradients = margins - y
        for target in range(n_targets):
            for _ in range(n_parallel):
                splits, values = definition.tree(gradients[:, target])
                expected.append(splits)
                margins[:, target] += values / n_parallel
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        assert [column for column, _ in ours] == [column for column, _ in theirs]
        np.testing.assert_allclose([gain for _, gain in ours], [gain for _, gain in theirs], rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(model.predict(kb.DMatrix(X)).reshape(y.shape), margins, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_stumps_are_lightgbms(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 40, size=(600, 6)).astype(np.float32)
    y = X[:, 0] / 10 + np.sin(X[:, 1]) + X[:, 2] * X[:, 3] / 400 + 0.2 * rng.normal(size=600)
    costs = [float(cost) for cost in rng.choice([0, 5, 20, 60, 1e6], size=6)]
    params = {"objective": "l2", "boost_from_average": False, "num_leaves": 2, "lambda_l2": 1, "learning_rate": 0.3}
    bins = {"min_data_in_leaf": 1, "min_sum_hessian_in_leaf": 0, "min_data_in_bin": 1, "verbosity": -1}
    theirs = lightgbm.train(
        {**params, **bins, "cegb_penalty_feature_coupled": costs}, lightgbm.Dataset(X, label=y), 12
    ).dump_model()
    roots = [tree["tree_structure"] for tree in theirs["tree_info"]]
    ours = {"max_depth": 1, "min_child_weight": 0, "base_score": 0, "feature_cost": costs}
    frame = kb.train(ours, kb.DMatrix(X, label=y), 12, **QUIET).trees_to_dataframe()
    frame = frame[frame["Feature"] != "Leaf"]
    assert [f"f{root['split_feature']}" for root in roots] == list(frame["Feature"])
    np.testing.assert_allclose([root["split_gain"] for root in roots], frame["Gain"], rtol=1e-3)


def _labels(growth: str) -> np.ndarray:
    y = _rows()[1]
    return y if growth == "vectors" else y[:, 0]


@pytest.mark.parametrize("growth", GROWTH)
def test_a_column_that_costs_too_much_might_as_well_not_be_there(growth: str) -> None:
    X, y = _rows()[0], _labels(growth)
    free = kb.train(GROWTH[growth], kb.DMatrix(X, label=y), 8, **QUIET)
    assert {"f0", "f4"} <= used(free)
    costs = [NEVER, 0, 0, 0, NEVER, 0]
    model = kb.train({**GROWTH[growth], "feature_cost": costs}, kb.DMatrix(X, label=y), 8, **QUIET)
    assert used(model) <= {"f1", "f2", "f3", "f5"}
    without = X.copy()
    without[:, [0, 4]] = 1.0
    assert model.save_raw() == kb.train(GROWTH[growth], kb.DMatrix(without, label=y), 8, **QUIET).save_raw()


@pytest.mark.parametrize("growth", GROWTH)
def test_costs_of_nothing_change_nothing(growth: str) -> None:
    X, y = _rows()[0], _labels(growth)
    data = kb.DMatrix(X, label=y)
    plain = kb.train(GROWTH[growth], data, 5, **QUIET).save_raw()
    for costs in ([0] * 6, "()", [], "(0,0,0,0,0,0)"):
        assert kb.train({**GROWTH[growth], "feature_cost": costs}, data, 5, **QUIET).save_raw() == plain
    # A model that uses all columns has paid for all of them.
    paid = kb.train(GROWTH[growth], data, 30, **QUIET)
    assert len(used(paid)) == 6
    costly = {**GROWTH[growth], "feature_cost": [NEVER] * 6}
    models = [kb.train(params, data, 3, xgb_model=paid, **QUIET) for params in (GROWTH[growth], costly)]
    assert models[0].save_raw() == models[1].save_raw()


MORE: dict[str, dict[str, Any]] = {
    "alone": {},
    "dart": {"booster": "dart", "rate_drop": 0.5},
    "forest": {"num_parallel_tree": 3, "colsample_bynode": 0.7, "subsample": 0.7},
    "limits": {"min_data_in_leaf": 9, "interaction_constraints": "[[0,1,2],[2,3,4,5]]", "gamma": 0.3},
    "signs": {"monotone_constraints": "(1,0,-1)", "max_delta_step": 0.7},
}


@pytest.mark.parametrize("more", MORE)
@pytest.mark.parametrize("growth", GROWTH)
def test_the_same_bytes_for_any_threads_and_going_on(growth: str, more: str) -> None:
    X, y = _rows()[0], _rows()[1] if growth != "symmetric" else _labels(growth)
    X[::7, 2] = np.nan
    data = kb.DMatrix(X, label=y)
    params = {"max_depth": 4, **GROWTH[growth], **MORE[more], "feature_cost": [20, 5, 60, 10, 0, NEVER]}
    models = [kb.train({**params, "nthread": n}, data, 6, **QUIET) for n in (1, 2, 5)]
    assert len({bytes(model.save_raw()) for model in models}) == 1
    assert "f5" not in used(models[0])
    free = kb.train({**params, "feature_cost": []}, data, 6, **QUIET)
    assert free.save_raw() != models[0].save_raw()
    for first in (1, 3):
        part = kb.train(params, data, first, **QUIET)
        assert kb.train(params, data, 6 - first, xgb_model=part, **QUIET).save_raw() == models[0].save_raw()


def test_the_books_are_kept_in_the_trees() -> None:
    """Copies, pickles, files, slices and files of other libraries have exactly the costs that were paid."""
    X, y = _rows()
    data = kb.DMatrix(X, label=y[:, 0])
    params = {"max_depth": 2, "feature_cost": [0, 30, 30, 30, 30, 30], "base_score": 0}
    whole = kb.train(params, data, 8, **QUIET)
    columns = [used(whole[number]) for number in range(8)]
    assert len(set().union(*columns)) > len(columns[0])
    half = kb.train(params, data, 4, **QUIET)
    read = kb.Booster(params)
    read.load_model(half.save_raw())
    for booster in (half.copy(), pickle.loads(pickle.dumps(half)), read, whole[:4]):
        booster.set_param(params)
        for number in range(4, 8):
            booster.update(data, number)
        assert booster.save_raw() == whole.save_raw()


def test_what_was_paid_is_told_from_the_trees_of_each_round() -> None:
    """If parameters change between rounds, costs that are set later do not apply to columns in use."""
    X, y = _rows()
    data = kb.DMatrix(X, label=y[:, 0])
    model = kb.Booster({"max_depth": 1, "feature_cost": [0, 0, NEVER, NEVER, NEVER, NEVER]}, [data])
    model.update(data, 0)
    first = used(model)
    assert first < {"f0", "f1"}
    model.set_param({"feature_cost": [NEVER] * 6})
    for number in range(1, 5):
        model.update(data, number)
        assert used(model) == first
    model.set_param({"feature_cost": []})
    model.update(data, 5)
    model.set_param({"max_depth": 6})
    model.update(data, 6)
    assert used(model) > first


@pytest.mark.parametrize("growth", ["hist", "approx", "lossguide", "symmetric", "vectors"])
def test_several_ranks_train_the_model_of_one_process(growth: str) -> None:
    X, y = _rows()
    y = y[:, :1] if growth == "symmetric" else y
    params = {"max_depth": 4, "nthread": 1, **GROWTH[growth], "feature_cost": [20, 5, 60, 10, 0, NEVER]}
    alone = bytes(kb.train(params, kb.DMatrix(X, label=y), 4, **QUIET).save_raw())

    def of_rank(collective: Any) -> bytes:
        bounds = np.linspace(0, len(X), collective.size + 1).astype(int)
        rows = slice(bounds[collective.rank], bounds[collective.rank + 1])
        data = kb.DMatrix(X[rows], label=y[rows])
        data.set_info(global_rows=np.array([[rows.start, rows.stop - rows.start]]))
        return bytes(kb.train(params, data, 4, collective=collective, **QUIET).save_raw())

    assert run_ranks(3, of_rank) == [alone] * 3


@pytest.mark.parametrize("method", ["exact", "hist", "approx"])
def test_categories_and_missing_values(method: str) -> None:
    rng = np.random.default_rng(5)
    X = rng.integers(0, 12, size=(900, 4)).astype(np.float32)
    X[rng.random(X.shape) < 0.2] = np.nan
    y = np.nan_to_num(X[:, 0]) % 3 + np.isnan(X[:, 1]) + 0.5 * np.nan_to_num(X[:, 2])
    data = kb.DMatrix(X, label=y, feature_types=["c", "c", "q", "c"], enable_categorical=True)
    params = {"tree_method": method, "max_depth": 4}
    for onehot in (1, 100):
        more = {**params, "max_cat_to_onehot": onehot}
        assert used(kb.train(more, data, 6, **QUIET)) >= {"f0", "f1", "f2"}
        assert not used(kb.train({**more, "feature_cost": [NEVER, 0, NEVER, 0]}, data, 6, **QUIET)) & {"f0", "f2"}
        gain = kb.train({**more, "max_depth": 1}, data, 1, **QUIET).trees_to_dataframe()["Gain"][0]
        less = kb.train({**more, "max_depth": 1, "feature_cost": [10.0] * 4}, data, 1, **QUIET)
        assert less.trees_to_dataframe()["Gain"][0] == pytest.approx(gain - 10, rel=1e-5)


def test_methods_agree_where_they_look_at_the_same() -> None:
    """With few distinct values each has its own bin. Thresholds differ, but the rows of leaves do not."""
    rng = np.random.default_rng(8)
    X = rng.integers(0, 9, size=(500, 5)).astype(np.float32)
    y = X[:, 0] + X[:, 1] * X[:, 2] / 5 + rng.normal(size=500)
    data = kb.DMatrix(X, label=y.astype(np.float32))
    leaves = []
    for method in ("exact", "hist", "approx"):
        params = {"tree_method": method, "max_depth": 4, "feature_cost": [300, 40, 40, 0, 20]}
        leaves.append(kb.train(params, data, 6, **QUIET).predict(data, pred_leaf=True))
    np.testing.assert_array_equal(leaves[0], leaves[1])
    np.testing.assert_array_equal(leaves[0], leaves[2])


@pytest.mark.parametrize("growth", [name for name in GROWTH if name != "vectors"])
def test_dearer_columns_are_fewer_on_real_data(growth: str) -> None:
    for load, objective in ((load_breast_cancer, "binary:logistic"), (load_diabetes, "reg:squarederror")):
        X, y = load(return_X_y=True)
        data = kb.DMatrix(X, label=y)
        params = {**GROWTH[growth], "objective": objective, "eta": 0.3, "max_depth": 3}
        gains = kb.train(params, data, 20, **QUIET).get_score(importance_type="total_gain")
        unit = max(gains.values())
        n_used = []
        for scale in (0, 1e-3, 1e-2, 0.1, 10):
            costs = [scale * unit] * X.shape[1]
            n_used.append(len(used(kb.train({**params, "feature_cost": costs}, data, 20, **QUIET))))
        assert n_used == sorted(n_used, reverse=True)
        assert n_used[0] > 5
        assert n_used[2] < n_used[0]
        assert n_used[-1] == 0


def test_updates_take_no_notice() -> None:
    X, y = _rows()
    data = kb.DMatrix(X, label=y[:, 0])
    model = kb.train({"max_depth": 4}, data, 3, **QUIET)
    params = {"process_type": "update", "updater": "refresh,prune", "gamma": 1.0}
    bytes_of = [
        kb.train({**params, **more}, data, 3, xgb_model=model, **QUIET).save_raw()
        for more in ({}, {"feature_cost": [NEVER] * 6})
    ]
    assert bytes_of[0] == bytes_of[1]
