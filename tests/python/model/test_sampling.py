"""Row sampling by gradients, and column sampling by weights."""

from __future__ import annotations

import kauriboost as kb
import numpy as np
import pytest
from kauriboost.sklearn import KauriRegressor
from sklearn.metrics import roc_auc_score

QUIET = {"verbose_eval": False}
PARAMS = {"nthread": 1, "objective": "binary:logistic", "max_depth": 4, "eta": 0.2, "sampling_method": "gradient_based"}
ONE_TREE = {"max_depth": 1, "eta": 1, "lambda": 0, "base_score": 0, "min_child_weight": 0}


def _problem(n_rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return labels with five percent of ones, at the edge of a noisy surface."""
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


@pytest.mark.parametrize("tree_method", ["hist", "exact", "approx"])
@pytest.mark.parametrize(
    ("n_rows", "subsample", "count"), [(1000, 0.5, 500), (999, 0.5, 499), (10, 0.7, 7), (10, 0.01, 1)]
)
def test_an_exact_number_of_rows(tree_method: str, n_rows: int, subsample: float, count: int) -> None:
    X, y = _problem(n_rows, 5)
    params = {**ONE_TREE, "tree_method": tree_method, "sampling_method": "without_replacement", "subsample": subsample}
    model = kb.train({**params, "num_parallel_tree": 3}, kb.DMatrix(X, y), 2, **QUIET)
    assert model.trees_to_dataframe().query("Node == 0")["Cover"].tolist() == [count] * 6


def test_an_exact_number_of_rows_is_of_the_same_bytes_for_any_threads_and_going_on() -> None:
    X, y = _problem(2000, 6)
    data = kb.DMatrix(X, y)
    for more in ({}, {"bagging_temperature": 0.5}, {"tree_method": "exact"}):
        params = {**PARAMS, "sampling_method": "without_replacement", "subsample": 0.6, **more}
        models = [kb.train({**params, "nthread": n}, data, 4, **QUIET) for n in (1, 2, 5)]
        assert len({bytes(model.save_raw("json")) for model in models}) == 1
        half = kb.train(params, data, 2, **QUIET)
        assert kb.train(params, data, 2, xgb_model=half, **QUIET).save_raw("json") == models[0].save_raw("json")
        assert kb.train({**params, "seed": 1}, data, 4, **QUIET).save_raw("json") != models[0].save_raw("json")


def _grouped(n_groups: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return groups of 20 rows that share an offset, identified by a feature that is constant in each group."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(n_groups), 20)
    X = rng.normal(size=(len(group), 4)).astype(np.float32)
    X[:, 3] = rng.normal(size=n_groups)[group]
    y = X[:, 0] + rng.normal(size=n_groups)[group] + 0.1 * rng.normal(size=len(group))
    return X, y.astype(np.float32), group


@pytest.mark.parametrize("tree_method", ["hist", "exact", "approx"])
def test_rows_of_a_query_are_drawn_together(tree_method: str) -> None:
    X, y, group = _grouped(30, 1)
    data = kb.DMatrix(X, y, qid=group)
    params = {**ONE_TREE, "tree_method": tree_method, "sampling_method": "by_query", "subsample": 0.5}
    model = kb.train(params, data, 1, **QUIET)
    cover = model.trees_to_dataframe()["Cover"][0]
    assert cover % 20 == 0
    assert 0 < cover < 600
    uniform = kb.train({**params, "sampling_method": "uniform"}, data, 1, **QUIET)
    assert uniform.trees_to_dataframe()["Cover"][0] % 20 != 0


def test_queries_drawn_together_are_of_the_same_bytes_for_any_threads_and_going_on() -> None:
    X, y, group = _grouped(100, 2)
    data = kb.DMatrix(X, y, qid=group)
    for objective in ("reg:squarederror", "rank:ndcg"):
        label = np.clip(np.round(y + 2), 0, 4) if objective == "rank:ndcg" else y
        data.set_label(label)
        params = {"objective": objective, "sampling_method": "by_query", "subsample": 0.6, "bagging_temperature": 0.5}
        models = [kb.train({**params, "nthread": n}, data, 4, **QUIET) for n in (1, 2, 5)]
        assert len({bytes(model.save_raw("json")) for model in models}) == 1
        half = kb.train(params, data, 2, **QUIET)
        assert kb.train(params, data, 2, xgb_model=half, **QUIET).save_raw("json") == models[0].save_raw("json")


def test_queries_are_asked_for_and_the_booster_stays_as_it_was() -> None:
    X, y, group = _grouped(10, 3)
    booster = kb.Booster({"subsample": 0.5}, [kb.DMatrix(X, y)])
    booster.update(kb.DMatrix(X, y), 0)
    before = booster.save_raw("json")
    booster.set_param({"sampling_method": "by_query"})
    with pytest.raises(kb.ParameterError, match="the data have no queries; set qid or group"):
        booster.update(kb.DMatrix(X, y), 1)
    assert booster.save_raw("json") == before
    booster.update(kb.DMatrix(X, y, qid=group), 1)
    assert booster.num_boosted_rounds() == 2
    kb.train({"sampling_method": "by_query"}, kb.DMatrix(X, y), 1, **QUIET)  # it does not sample by default


@pytest.mark.parametrize("tree_method", ["hist", "exact", "approx"])
def test_weights_of_the_bootstrap_are_exponential(tree_method: str) -> None:
    X, y, _ = _grouped(500, 4)
    data = kb.DMatrix(X, y)
    params = {**ONE_TREE, "tree_method": tree_method, "bagging_temperature": 1, "seed": 5}
    covers = kb.train({**params, "eta": 0}, data, 40, **QUIET).trees_to_dataframe().query("Node == 0")["Cover"] / len(y)
    # Means of 10,000 exponential weights have mean 1 and standard deviation 1 / 100.
    assert covers.mean() == pytest.approx(1, abs=0.01)
    assert 0.005 < covers.std() < 0.02
    plain = kb.train({**params, "bagging_temperature": 0}, data, 3, **QUIET)
    params.pop("bagging_temperature")
    assert plain.save_raw("json") == kb.train(params, data, 3, **QUIET).save_raw("json")


def test_the_bootstrap_weighs_queries_alike_and_goes_with_every_kind_of_tree() -> None:
    X, y, group = _grouped(2, 6)
    X[:, 0] = group  # two leaves of one query each
    params = {**ONE_TREE, "sampling_method": "by_query", "bagging_temperature": 2}
    model = kb.train(params, kb.DMatrix(X[:, :1], y, qid=group), 1, **QUIET)
    leaves = model.trees_to_dataframe().query("Feature == 'Leaf'")
    np.testing.assert_allclose(leaves["Gain"], [y[group == 0].mean(), y[group == 1].mean()], rtol=1e-4)
    steps = leaves["Cover"].to_numpy() * 1024 / 20
    np.testing.assert_allclose(steps, np.round(steps), atol=0.01)
    targets = np.column_stack([y, -y])
    for more in (
        {"multi_strategy": "multi_output_tree"},
        {"multi_strategy": "one_output_per_tree", "num_parallel_tree": 2},
        {"booster": "dart", "rate_drop": 0.5},
        {"grow_policy": "symmetric", "subsample": 0.8},
    ):
        data = kb.DMatrix(X, targets)
        models = [kb.train({"bagging_temperature": 0.7, "nthread": n, **more}, data, 3, **QUIET) for n in (1, 3)]
        assert models[0].save_raw("json") == models[1].save_raw("json")


def test_one_weight_a_row() -> None:
    X, y = _problem(50, 8)
    both = {**PARAMS, "subsample": 0.5, "bagging_temperature": 1}
    with pytest.raises(kb.ParameterError, match="both weight the gradients of the sampled rows"):
        kb.train(both, kb.DMatrix(X, y), 1, **QUIET)
    for bad in (-0.1, 5, float("nan"), float("inf")):
        with pytest.raises(kb.ParameterError, match="bagging_temperature"):
            kb.train({"bagging_temperature": bad}, kb.DMatrix(X, y), 1, **QUIET)


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
