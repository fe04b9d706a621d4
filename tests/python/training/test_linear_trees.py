"""Linear leaves (linear_tree): compared with ridge regression per leaf in NumPy, sequences, files, and refusals."""

from __future__ import annotations

import json

import kauriboost as kb
import numpy as np
import pytest

PLAIN = {"max_depth": 3, "eta": 0.5, "lambda": 0.7, "base_score": 0.25}
LINEAR = {**PLAIN, "linear_tree": True, "linear_lambda": 0.3}


def make_rows(n: int = 600, missing: float = 0.0, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of five columns, one of them far from 0, and a target with slopes."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 5)).astype(np.float32)
    X[:, 1] = 2000 + 10 * X[:, 1]
    y = 2 * X[:, 0] + 0.1 * (X[:, 1] - 2000) * (X[:, 2] > 0) + 0.1 * random.normal(size=n)
    X[random.random(X.shape) < missing] = np.nan
    return X, y.astype(np.float32)


def paths_of(booster: kb.Booster) -> dict[int, list[int]]:
    """Return for each leaf of the first tree the features on its path, from the saved document."""
    tree = json.loads(booster.save_raw("json"))["learner"]["gradient_booster"]["model"]["trees"][0]
    paths = {}
    for node, left in enumerate(tree["left_children"]):
        if left != -1:
            continue
        features, at = set(), node
        while at != 0:
            at = tree["parents"][at]
            features.add(tree["split_indices"][at])
        paths[node] = sorted(features)
    return paths


def ridge(X: np.ndarray, g: np.ndarray, l2: float, slopes_l2: float) -> tuple[float, np.ndarray, np.ndarray]:
    """Return base, slopes and centre for squared error with hessians of 1."""
    centre = X.mean(axis=0)
    D = X - centre
    slopes = -np.linalg.solve(D.T @ D + slopes_l2 * np.eye(X.shape[1]), D.T @ g)
    return -g.sum() / (len(g) + l2), slopes, centre


def expected_margins(booster: kb.Booster, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Compute one round of squared error, leaf by leaf."""
    leaves = booster.predict(kb.DMatrix(X), pred_leaf=True).reshape(-1).astype(int)
    g = 0.25 - y.astype(np.float64)
    margins = np.full(len(y), 0.25)
    for leaf, features in paths_of(booster).items():
        rows = np.flatnonzero(leaves == leaf)
        values = X[rows][:, features].astype(np.float64)
        whole = np.isfinite(values).all(axis=1)
        margins[rows] += 0.5 * -g[rows].sum() / (len(rows) + 0.7)
        if whole.sum() < len(features) + 1:
            continue
        base, slopes, centre = ridge(values[whole], g[rows[whole]], 0.7, 0.3)
        margins[rows[whole]] = 0.25 + 0.5 * (base + (values[whole] - centre) @ slopes)
    return margins


@pytest.mark.parametrize("tree_method", ["hist", "approx", "exact"])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_leaves_are_ridge_regressions(tree_method: str, missing: float) -> None:
    X, y = make_rows(missing=missing)
    booster = kb.train({**LINEAR, "tree_method": tree_method}, kb.DMatrix(X, label=y), 1, verbose_eval=False)
    margins = booster.predict(kb.DMatrix(X), output_margin=True)
    np.testing.assert_allclose(margins, expected_margins(booster, X, y), rtol=1e-4, atol=1e-4)
    assert "kauri_linear_leaves" in booster.save_raw("json").decode()


def test_structure_and_constants_are_those_of_plain_trees() -> None:
    X, y = make_rows()
    data = kb.DMatrix(X, label=y)
    trees = [
        json.loads(kb.train(params, data, 1, verbose_eval=False).save_raw("json"))["learner"]["gradient_booster"]
        for params in (LINEAR, PLAIN)
    ]
    assert trees[0] == trees[1]


def test_collinear_and_constant_columns() -> None:
    X, y = make_rows()
    X[:, 3] = 2 * X[:, 0]
    X[:, 4] = 1.0
    booster = kb.train({**LINEAR, "linear_lambda": 0, "max_depth": 6}, kb.DMatrix(X, label=y), 20, verbose_eval=False)
    predicted = booster.predict(kb.DMatrix(X))
    assert np.isfinite(predicted).all()
    assert np.mean((predicted - y) ** 2) < np.var(y)


def test_few_rows() -> None:
    X, y = make_rows(4)
    params = {**LINEAR, "max_depth": 6, "min_child_weight": 0}
    booster = kb.train(params, kb.DMatrix(X, label=y), 3, verbose_eval=False)
    assert np.isfinite(booster.predict(kb.DMatrix(X))).all()


def test_threads_give_the_same_bytes() -> None:
    X, y = make_rows(20000, missing=0.05)
    data = kb.DMatrix(X, label=y)
    models = [
        kb.train({**LINEAR, "subsample": 0.7, "nthread": n}, data, 5, verbose_eval=False).save_raw("json")
        for n in (1, 8)
    ]
    assert models[0].replace(b'"nthread":"1"', b"") == models[1].replace(b'"nthread":"8"', b"")


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"num_parallel_tree": 3, "subsample": 0.5},
        {"grow_policy": "symmetric"},
        {"booster": "dart", "rate_drop": 0.3},
    ],
)
def test_sequences(more: dict) -> None:
    X, y = make_rows(missing=0.1)
    data, again = kb.DMatrix(X, label=y), kb.DMatrix(X)
    params = {**LINEAR, **more}
    history: dict = {}
    booster = kb.train(params, data, 8, evals=[(data, "train")], evals_result=history, verbose_eval=False)
    predicted = booster.predict(again)
    assert history["train"]["rmse"][-1] == pytest.approx(np.sqrt(np.mean((predicted - y) ** 2)), rel=1e-5)
    np.testing.assert_array_equal(booster.predict(data), predicted)
    np.testing.assert_array_equal(booster.inplace_predict(X), predicted)
    np.testing.assert_array_equal(
        np.concatenate([booster.predict(kb.DMatrix(X[i : i + 3])) for i in range(0, 600, 3)]), predicted
    )
    for file_format in ("json", "ubj"):
        loaded = kb.Booster(model_file=booster.save_raw(file_format))
        np.testing.assert_array_equal(loaded.predict(again), predicted)
        assert loaded.save_raw(file_format) == booster.save_raw(file_format)
    np.testing.assert_array_equal(booster[:5].predict(again), booster.predict(again, iteration_range=(0, 5)))
    if "booster" in more:
        return
    np.testing.assert_array_equal(
        kb.train(params, data, 4, xgb_model=booster[:4], verbose_eval=False).predict(again), predicted
    )


def test_classes() -> None:
    X, y = make_rows()
    labels = np.digitize(y, np.quantile(y, [0.3, 0.6]))
    data = kb.DMatrix(X, label=labels)
    params = {**LINEAR, "objective": "multi:softprob", "num_class": 3, "base_score": 0.5}
    booster = kb.train(params, data, 6, verbose_eval=False)
    np.testing.assert_array_equal(booster.predict(data), booster.predict(kb.DMatrix(X)))
    assert np.mean(booster.predict(data).argmax(axis=1) == labels) > 0.8


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"monotone_constraints": "(1)"}, "monotone_constraints"),
        ({"max_delta_step": 1}, "max_delta_step"),
        ({"multi_strategy": "multi_output_tree"}, "multi_strategy"),
    ],
)
def test_parameters_that_are_refused(params: dict, words: str) -> None:
    X, y = make_rows(50)
    with pytest.raises(ValueError, match=f"linear_tree=1.*{words}"):
        kb.train({**LINEAR, **params}, kb.DMatrix(X, label=y), 1, verbose_eval=False)


def test_uses_that_are_refused() -> None:
    X, y = make_rows()
    data = kb.DMatrix(X, label=y)
    booster = kb.train(LINEAR, data, 2, verbose_eval=False)
    before = booster.save_raw("json")
    for kind in ("pred_contribs", "pred_interactions"):
        with pytest.raises(ValueError, match="linear leaves"):
            booster.predict(data, **{kind: True})
    with pytest.raises(ValueError, match="linear leaves"):
        booster.get_dump()
    with pytest.raises(ValueError, match="linear leaves"):
        kb.train({"process_type": "update", "updater": "refresh"}, data, 1, xgb_model=booster, verbose_eval=False)
    with pytest.raises(ValueError, match="linear_tree=1"):
        kb.train(LINEAR, kb.QuantileDMatrix(X, label=y), 1, verbose_eval=False)
    assert booster.save_raw("json") == before


@pytest.mark.parametrize(
    "damage",
    [
        lambda a: a["feature"][0].__setitem__(0, 99),
        lambda a: a["feature"][0].__setitem__(0, -1),
        lambda a: a["slope"][0].pop(),
        lambda a: a["node"][0].__setitem__(0, 10**6),
        lambda a: a["node"][0].__setitem__(0, -5),
        lambda a: a["size"][0].__setitem__(0, 2**31 - 1),
        lambda a: a["size"][0].__setitem__(0, 0),
        lambda a: a["base"][0].__setitem__(0, None),
        lambda a: a["trees"].__setitem__(0, 1),
        lambda a: a["trees"].pop(),
        lambda a: a.pop("centre"),
        lambda a: a.__setitem__("base", 7),
    ],
)
def test_damaged_attributes_are_refused(damage) -> None:
    X, y = make_rows()
    booster = kb.train(LINEAR, kb.DMatrix(X, label=y), 2, verbose_eval=False)
    document = json.loads(booster.save_raw("json"))
    attribute = json.loads(document["learner"]["attributes"]["kauri_linear_leaves"])
    damage(attribute)
    document["learner"]["attributes"]["kauri_linear_leaves"] = json.dumps(attribute)
    with pytest.raises(ValueError, match="kauri_linear_leaves"):
        kb.Booster(model_file=bytearray(json.dumps(document).encode()))
