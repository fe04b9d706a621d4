"""AdaBoost.M1 and the exponential loss, compared with their definitions and scikit-learn's AdaBoostClassifier."""

from __future__ import annotations

import json
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

PARAMS: dict[str, Any] = {"booster": "adaboost", "objective": "binary:logitraw", "max_depth": 1, "tree_method": "exact"}
Table = tuple[np.ndarray, np.ndarray]


@pytest.fixture(scope="module")
def cancer() -> Table:
    features, labels = load_breast_cancer(return_X_y=True)
    return features.astype(np.float32), labels.astype(np.float32)


def fit(rows: Table, n_rounds: int = 20, weight: np.ndarray | None = None, **more: Any) -> kb.Booster:
    data = kb.DMatrix(rows[0], label=rows[1], weight=weight)
    return kb.train({**PARAMS, **more}, data, n_rounds, verbose_eval=False)


def steps_of(booster: kb.Booster) -> np.ndarray:
    """Return the absolute value of each tree's leaves: alpha / 2."""
    trees = json.loads(booster.save_raw("json"))["learner"]["gradient_booster"]["model"]["trees"]
    steps = []
    for tree in trees:
        leaves = [v for v, left in zip(tree["split_conditions"], tree["left_children"], strict=True) if left == -1]
        assert len({abs(leaf) for leaf in leaves}) == 1
        steps.append(abs(leaves[0]))
    return np.array(steps)


def votes_of(booster: kb.Booster, features: np.ndarray) -> np.ndarray:
    """Return the vote of each tree, [n_rounds, n_rows]."""
    data = kb.DMatrix(features)
    n_rounds = booster.num_boosted_rounds()
    return np.array([booster.predict(data, iteration_range=(i, i + 1)) for i in range(n_rounds)])


@pytest.mark.parametrize(("method", "depth"), [("exact", 1), ("hist", 2), ("approx", 3)])
def test_the_algorithm(method: str, depth: int, cancer: Table) -> None:
    booster = fit(cancer, tree_method=method, max_depth=depth)
    signs, steps, votes = 2.0 * cancer[1] - 1, steps_of(booster), votes_of(booster, cancer[0])
    weights, margins, bound = np.ones(len(signs)), np.zeros(len(signs)), 1.0
    for step, vote in zip(steps, votes, strict=True):
        wrong = np.sign(vote) != signs
        eps = weights[wrong].sum() / weights.sum()
        alpha = np.log((1 - eps) / eps)
        np.testing.assert_allclose(2 * step, alpha, rtol=2e-5)
        losses = [
            np.sum(weights * np.exp(-signs * t * np.sign(vote))) for t in (0.5 * alpha + d for d in (-1e-3, 0, 1e-3))
        ]
        assert losses[1] == min(losses)  # alpha is twice the step of the line search
        bound *= 2 * np.sqrt(eps * (1 - eps))
        weights *= np.exp(2 * step * wrong)
        margins += step * np.sign(vote)
        shares = np.exp(-signs * margins)
        np.testing.assert_allclose(weights / weights.sum(), shares / shares.sum(), rtol=1e-12)
        assert np.mean(np.sign(margins) != signs) <= bound + 1e-6


def test_stumps_are_those_of_scikit_learn(cancer: Table) -> None:
    theirs = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=50, random_state=0).fit(*cancer)
    alphas = 2 * steps_of(fit(cancer, 50))
    np.testing.assert_allclose(alphas, theirs.estimator_weights_, rtol=1e-4)
    np.testing.assert_allclose(1 / (1 + np.exp(alphas)), theirs.estimator_errors_, atol=1e-5)


def test_an_ordinary_model_that_goes_on(cancer: Table) -> None:
    whole = fit(cancer, 20)
    assert json.loads(whole.save_raw("json"))["learner"]["gradient_booster"]["name"] == "gbtree"
    assert whole.save_raw(dialect="1.7")
    first = kb.Booster()
    first.load_model(fit(cancer, 8).save_raw("json"))
    data = kb.DMatrix(cancer[0], label=cancer[1])
    rest = kb.train(PARAMS, data, 12, xgb_model=first, verbose_eval=False)
    assert rest.save_raw() == whole.save_raw()
    other = kb.Booster()
    other.load_config(whole.save_config())
    assert json.loads(other.save_config())["learner"]["learner_train_param"]["booster"] == "adaboost"


@pytest.mark.parametrize("method", ["exact", "hist", "approx"])
def test_the_same_bytes_for_any_threads(method: str, cancer: Table) -> None:
    one = fit(cancer, tree_method=method, max_depth=3, nthread=1)
    assert one.save_raw() == fit(cancer, tree_method=method, max_depth=3, nthread=3).save_raw()


def test_weights_are_repeated_rows(cancer: Table) -> None:
    counts = np.random.default_rng(0).integers(1, 4, len(cancer[1]))
    repeated = (np.repeat(cancer[0], counts, axis=0), np.repeat(cancer[1], counts))
    weighted = fit(cancer, weight=counts.astype(np.float32))
    np.testing.assert_allclose(steps_of(weighted), steps_of(fit(repeated)), rtol=1e-4)


def test_evaluation_and_early_stopping(cancer: Table) -> None:
    train = kb.DMatrix(cancer[0][:400], label=cancer[1][:400])
    test = kb.DMatrix(cancer[0][400:], label=cancer[1][400:])
    seen: dict[str, Any] = {}
    booster = kb.train(
        {**PARAMS, "eval_metric": "error@0"},
        train,
        200,
        evals=[(test, "test")],
        evals_result=seen,
        early_stopping_rounds=10,
        verbose_eval=False,
    )
    wrong = (booster.predict(test, iteration_range=(0, booster.best_iteration + 1)) > 0) != cancer[1][400:]
    assert seen["test"]["error@0"][booster.best_iteration] == pytest.approx(wrong.mean())
    assert len(seen["test"]["error@0"]) < 200


def test_a_tree_without_errors_is_the_last_that_speaks() -> None:
    rows = (np.arange(10, dtype=np.float32)[:, None], (np.arange(10) > 3).astype(np.float32))
    booster = fit(rows, 4)
    np.testing.assert_allclose(steps_of(booster), [0.5 * np.log(1e10), 0, 0, 0], rtol=1e-6)
    turned = kb.DMatrix(rows[0], label=1 - rows[1])
    on = kb.train(PARAMS, turned, 1, xgb_model=booster, verbose_eval=False)
    assert steps_of(on)[-1] > 0  # other rows can be learnt from


def test_no_better_than_chance_says_nothing() -> None:
    rows = (np.zeros((8, 1), np.float32), np.tile([0, 1], 4).astype(np.float32))
    np.testing.assert_array_equal(steps_of(fit(rows, 3)), np.zeros(3))


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"objective": "binary:logistic"}, "booster=adaboost.*binary:logistic.*set objective=binary:logitraw"),
        ({"lambda": 1}, "lambda=1.*lambda=0"),
        ({"reg_alpha": 2}, "alpha=2.*alpha=0"),
        ({"max_delta_step": 0.5}, "max_delta_step=0.5"),
        ({"path_smooth": 1, "tree_method": "hist"}, "path_smooth=1"),
        ({"subsample": 0.5}, "subsample=0.5.*subsample=1"),
        ({"num_parallel_tree": 2}, "num_parallel_tree=2"),
        ({"monotone_constraints": "(1)"}, "monotone_constraints"),
    ],
)
def test_refused(params: dict[str, Any], words: str, cancer: Table) -> None:
    data = kb.DMatrix(cancer[0][:, :1], label=cancer[1])
    booster = kb.Booster({**PARAMS, **params}, [data])
    with pytest.raises(kb.ParameterError, match=words):
        booster.update(data, 0)
    assert booster.num_boosted_rounds() == 0


def test_failures_leave_the_model_as_it_was(cancer: Table) -> None:
    data = kb.DMatrix(cancer[0], label=cancer[1])
    booster = kb.Booster(PARAMS, [data])
    for i in range(3):
        booster.update(data, i)
    before = booster.save_raw()
    with pytest.raises(kb.DataError, match=r"0\.5.*0 or 1"):
        booster.update(kb.DMatrix(cancer[0], label=np.full(len(cancer[1]), 0.5)), 3)
    with pytest.raises(kb.ParameterError, match="built-in loss"):
        booster.boost(data, 3, np.ones(len(cancer[1])), np.ones(len(cancer[1])))
    assert booster.save_raw() == before
    booster.update(data, 3)
    assert booster.save_raw() == fit(cancer, 4).save_raw()


def test_exponential_objective(cancer: Table) -> None:
    features, labels = cancer
    data = kb.DMatrix(features, label=labels)
    params = {"objective": "binary:exponential", "max_depth": 2, "eval_metric": ["exploss", "error"]}
    seen: dict[str, Any] = {}
    booster = kb.train(params, data, 20, evals=[(data, "train")], evals_result=seen, verbose_eval=False)
    margins = booster.predict(data, output_margin=True).astype(np.float64)
    np.testing.assert_allclose(booster.predict(data), 1 / (1 + np.exp(-2 * margins)), rtol=1e-6)
    loss = np.exp(-(2 * labels - 1) * margins).mean()
    assert seen["train"]["exploss"][-1] == pytest.approx(loss, rel=1e-3)
    assert seen["train"]["exploss"] == sorted(seen["train"]["exploss"], reverse=True)
    start = kb.train({**params, "max_depth": 1, "gamma": 1e9}, data, 1, verbose_eval=False)
    np.testing.assert_allclose(start.predict(data), labels.mean(), rtol=1e-6)
    loaded = kb.Booster()
    loaded.load_model(booster.save_raw())
    np.testing.assert_array_equal(loaded.predict(data), booster.predict(data))
    with pytest.raises(kb.ParameterError, match=r"binary:exponential.*leave the dialect out"):
        booster.save_raw(dialect="3.4")
