"""NaN in a label table is a missing label of that row and target: in trees, metrics, intercepts and table inputs."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest
from kauriboost.sklearn import KauriClassifier, KauriRegressor, KauriRFRegressor
from sklearn.metrics import log_loss, r2_score, roc_auc_score
from sklearn.model_selection import cross_val_score

QUIET: dict[str, Any] = {"verbose_eval": False}
ROWS, STARTS = 900, [0.5, -0.25, 1.0]
STRATEGIES = ["one_output_per_tree", "multi_output_tree"]
RNG = np.random.default_rng(21)
# The values are few, so that the rows of each target have the bin edges of all rows.
X = RNG.integers(0, 11, size=(ROWS, 5)).astype(np.float32)
FULL = np.column_stack([X[:, 0] / 5, X[:, 1] * X[:, 2] / 50, np.abs(X[:, 3] - 5) / 5]).astype(np.float32)
FULL += RNG.normal(scale=0.3, size=FULL.shape).astype(np.float32)
HIDDEN = RNG.random(FULL.shape) < [0.0, 0.4, 0.6]
HIDDEN[-40:] = True  # rows without any label
KNOWN = ~HIDDEN
Y = np.where(HIDDEN, np.nan, FULL).astype(np.float32)
BINARY = np.where(HIDDEN, np.nan, FULL > 0.6).astype(np.float32)
WEIGHTS = RNG.integers(1, 5, size=ROWS).astype(np.float32)


def labels_for(objective: str) -> np.ndarray:
    if objective.startswith("binary:"):
        return BINARY
    positive = objective in ("count:poisson", "reg:gamma", "reg:tweedie", "reg:squaredlogerror", "reg:logistic")
    return np.clip(np.abs(Y), 0.1, 1.0) if positive else Y


def trees_of(booster: kb.Booster) -> list[dict[str, Any]]:
    document = json.loads(booster.save_raw("json"))["learner"]["gradient_booster"]
    trees = document.get("gbtree", document)["model"]["trees"]  # the trees of dart are nested
    return [{key: value for key, value in tree.items() if key != "id"} for tree in trees]


OBJECTIVES = [
    "reg:squarederror",
    "reg:logistic",
    "binary:logistic",
    "binary:logitraw",
    "binary:hinge",
    "binary:focal",
    "reg:pseudohubererror",
    "reg:huber",
    "reg:fair",
    "reg:squaredlogerror",
    "reg:gamma",
    "reg:tweedie",
    "count:poisson",
]
GROWTHS: dict[str, dict[str, Any]] = {
    "hist": {"tree_method": "hist"},
    "lossguide": {"tree_method": "hist", "grow_policy": "lossguide", "max_leaves": 9},
    "symmetric": {"tree_method": "hist", "grow_policy": "symmetric"},
    "approx": {"tree_method": "approx"},
}


@pytest.mark.parametrize("growth", GROWTHS)
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_trees_of_each_target_are_those_of_its_known_rows_alone(objective: str, growth: str) -> None:
    labels = labels_for(objective)
    params = {"objective": objective, "max_depth": 4, **GROWTHS[growth]}
    together = kb.train({**params, "base_score": 0.5}, kb.DMatrix(X, label=labels, weight=WEIGHTS), 4, **QUIET)
    trees = trees_of(together)
    for target in range(3):
        rows = KNOWN[:, target]
        data = kb.DMatrix(X[rows], label=labels[rows, target], weight=WEIGHTS[rows])
        assert trees_of(kb.train({**params, "base_score": 0.5}, data, 4, **QUIET)) == trees[target::3]


@pytest.mark.parametrize("objective", ["reg:squarederror", "reg:absoluteerror", "binary:logistic"])
@pytest.mark.parametrize("method", ["hist", "approx", "exact"])
def test_known_rows_are_predicted_as_by_a_model_of_their_own(method: str, objective: str) -> None:
    """With `exact`, thresholds lie between the values of all rows of a node, including rows with missing labels."""
    labels = labels_for(objective)
    params = {"objective": objective, "max_depth": 4, "tree_method": method}
    together = kb.train(params, kb.DMatrix(X, label=labels), 5, **QUIET).predict(kb.DMatrix(X))
    for target in range(3):
        rows = KNOWN[:, target]
        data = kb.DMatrix(X[rows], label=labels[rows, target])
        alone = kb.train(params, data, 5, **QUIET).predict(data)
        np.testing.assert_allclose(together[rows, target], alone, rtol=1e-5, atol=1e-6)


SETTINGS: dict[str, dict[str, Any]] = {
    "plain": {},
    "exact": {"tree_method": "exact"},
    "approx": {"tree_method": "approx"},
    "rows": {"subsample": 0.6},
    "rows by gradients": {"subsample": 0.4, "sampling_method": "gradient_based"},
    "bootstrap": {"bagging_temperature": 1.0},
    "columns": {"colsample_bytree": 0.7, "colsample_bynode": 0.7},
    "leaves of some rows": {"min_data_in_leaf": 40},
    "no least weight": {"min_child_weight": 0, "lambda": 0},
    "extra trees": {"extra_trees": True},
    "path smooth": {"path_smooth": 5},
    "forest": {"num_parallel_tree": 3, "subsample": 0.6},
    "dart": {"booster": "dart", "rate_drop": 0.5, "one_drop": True},
    "constraints": {"monotone_constraints": "(1,0,-1)"},
    "linear": {"booster": "gblinear"},
}


NUMBERS_ONLY = ("exact", "approx", "linear")  # these have no vector leaves
CASES = [(name, strategy) for name in SETTINGS for strategy in STRATEGIES[: 1 if name in NUMBERS_ONLY else 2]]


@pytest.mark.parametrize(("setting", "strategy"), CASES)
def test_gradients_are_zeros_where_labels_are_missing(setting: str, strategy: str) -> None:
    params = {**SETTINGS[setting], "base_score": 0.5, "multi_strategy": strategy, "seed": 4, "nthread": 2}
    data = kb.DMatrix(X, label=Y)

    def squared(margins: np.ndarray, of: kb.DMatrix) -> tuple[np.ndarray, np.ndarray]:
        assert np.array_equal(of.get_label(), Y, equal_nan=True)
        return np.where(KNOWN, margins - Y, 0), np.where(KNOWN, 1, 0)

    built_in, own = (kb.train(params, data, 4, obj=obj, **QUIET) for obj in (None, squared))
    assert np.isfinite(built_in.predict(data)).all()
    np.testing.assert_array_equal(built_in.predict(data), own.predict(data))
    if setting != "linear":
        assert trees_of(built_in) == trees_of(own)
    assert built_in.save_raw() == kb.train({**params, "nthread": 1}, data, 4, **QUIET).save_raw()


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_rows_that_say_nothing_are_rows_without_weight(strategy: str) -> None:
    rows = np.arange(ROWS) % 3 == 0
    hidden = np.where(rows[:, None], np.nan, FULL)
    params = {"multi_strategy": strategy, "max_depth": 4}
    by_nan = kb.train(params, kb.DMatrix(X, label=hidden), 4, **QUIET)
    by_weight = kb.train(params, kb.DMatrix(X, label=FULL, weight=np.where(rows, 0, 1)), 4, **QUIET)
    assert by_nan.save_raw() == by_weight.save_raw()


def test_intercepts_are_those_of_known_labels() -> None:
    config = json.loads(kb.train({}, kb.DMatrix(X, label=Y, weight=WEIGHTS), 1, **QUIET).save_config())
    found = json.loads(config["learner"]["learner_model_param"]["base_score"])
    expected = [np.average(Y[KNOWN[:, t], t], weights=WEIGHTS[KNOWN[:, t]]) for t in range(3)]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


# ---- metrics ----


def poisson(p: np.ndarray, y: np.ndarray) -> np.ndarray:
    return p - y * np.log(p) + np.vectorize(math.lgamma)(y + 1)


MEANS: dict[str, Any] = {
    "rmse": lambda p, y: (p - y) ** 2,
    "mae": lambda p, y: np.abs(p - y),
    "mape": lambda p, y: np.abs((p - y) / y),
    "rmsle": lambda p, y: (np.log1p(p) - np.log1p(y)) ** 2,
    "logloss": lambda p, y: -(y * np.log(p) + (1 - y) * np.log(1 - p)),
    "error@0.4": lambda p, y: np.where(p > np.float32(0.4), 1 - y, y),
    "poisson-nloglik": poisson,
    "gamma-deviance": lambda p, y: 2 * (np.log((p + 1e-6) / (y + 1e-6)) + (y + 1e-6) / (p + 1e-6) - 1),
    "gamma-nloglik": lambda p, y: y / p + np.log(p),
    "tweedie-nloglik@1.5": lambda p, y: 2 * y / np.sqrt(p) + 2 * np.sqrt(p),
    "huber": lambda p, y: np.where(np.abs(p - y) > 1, np.abs(p - y) - 0.5, (p - y) ** 2 / 2),
    "fair": lambda p, y: np.abs(p - y) - np.log1p(np.abs(p - y)),
    "mphe": lambda p, y: np.sqrt(1 + (p - y) ** 2) - 1,
}
BY_COLUMN: dict[str, Any] = {"auc": roc_auc_score, "r2": r2_score}


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_metrics_are_numpys_over_known_cells(strategy: str, weights: np.ndarray | None) -> None:
    shares = np.clip(np.abs(Y), 0.05, 0.95)
    data = kb.DMatrix(X, label=shares, weight=weights)
    params = {"objective": "reg:logistic", "multi_strategy": strategy, "eval_metric": list(MEANS)}
    log: Any = {}
    booster = kb.train(params, data, 3, evals=[(data, "d")], evals_result=log, **QUIET)
    predictions = booster.predict(data).astype(np.float64)
    of_cells = np.broadcast_to((np.ones(ROWS) if weights is None else weights)[:, None], Y.shape)
    for name, loss in MEANS.items():
        expected = np.average(loss(predictions[KNOWN], shares[KNOWN].astype(np.float64)), weights=of_cells[KNOWN])
        expected = math.sqrt(expected) if name in ("rmse", "rmsle") else expected
        assert log["d"][name][-1] == pytest.approx(expected, rel=2e-6), name


@pytest.mark.parametrize("name", BY_COLUMN)
def test_metrics_by_column_are_scikit_learns_over_known_rows(name: str) -> None:
    data = kb.DMatrix(X, label=BINARY, weight=WEIGHTS)
    booster = kb.train({"objective": "binary:logistic", "eval_metric": name, "max_depth": 2}, data, 5, **QUIET)
    predictions = booster.predict(data)
    values = []
    for target in range(3):
        rows = KNOWN[:, target]
        values.append(BY_COLUMN[name](BINARY[rows, target], predictions[rows, target], sample_weight=WEIGHTS[rows]))
    assert float(booster.eval(data).split(":")[1]) == pytest.approx(np.mean(values), abs=1e-5)


def test_sets_with_and_without_missing_labels_beside_each_other() -> None:
    partial, full = kb.DMatrix(X, label=Y), kb.DMatrix(X, label=FULL)
    for train, label in ((partial, Y), (full, FULL)):
        log: Any = {}
        booster = kb.train({"max_depth": 3}, train, 3, evals=[(partial, "s"), (full, "f")], evals_result=log, **QUIET)
        assert booster.save_raw() == kb.train({"max_depth": 3}, kb.DMatrix(X, label=label), 3, **QUIET).save_raw()
        predictions = booster.predict(full)
        assert log["s"]["rmse"][-1] == pytest.approx(np.sqrt(np.nanmean((predictions - Y) ** 2)), rel=1e-5)
        assert log["f"]["rmse"][-1] == pytest.approx(np.sqrt(np.mean((predictions - FULL) ** 2)), rel=1e-5)


def test_early_stopping_by_known_cells() -> None:
    train, held = kb.DMatrix(X[:450], label=Y[:450]), kb.DMatrix(X[450:], label=Y[450:])
    log: Any = {}
    how: Any = {"evals": [(held, "h")], "evals_result": log, "early_stopping_rounds": 5, **QUIET}
    booster = kb.train({"eta": 0.5}, train, 200, **how)
    assert booster.best_iteration == int(np.argmin(log["h"]["rmse"])) < 199
    predictions = booster.predict(held, iteration_range=(0, booster.best_iteration + 1))
    assert booster.best_score == pytest.approx(np.sqrt(np.nanmean((predictions - Y[450:]) ** 2)), rel=1e-5)


# ---- other functions that take tables ----


def test_folds() -> None:
    figures = kb.cv({"max_depth": 3}, kb.DMatrix(X, label=Y), 10, nfold=4, seed=1)
    assert np.isfinite(figures.to_numpy()).all()
    means = figures["test-rmse-mean"]
    assert means.iloc[-1] < 0.8 * means.iloc[0]


def test_every_form_of_a_table() -> None:
    nullable = pd.DataFrame(Y, columns=["a", "b", "c"]).astype({"a": "Float32", "b": "Float64"})
    whole = pd.DataFrame({"a": [1, None, 3], "b": [None, 5, 6]}, dtype="Int64")
    forms = {
        "list": Y.tolist(),
        "float64": Y.astype(np.float64),
        "columns": np.asfortranarray(Y),
        "masked": np.ma.masked_array(FULL, HIDDEN),
        "objects": np.where(HIDDEN, None, Y.astype(object)),
        "frame": pd.DataFrame(Y),
        "nullable": nullable,
    }
    expected = kb.train({}, kb.DMatrix(X, label=Y), 2, **QUIET).save_raw()
    for name, table in forms.items():
        data = kb.DMatrix(X, label=table)
        assert np.array_equal(data.get_label(), Y, equal_nan=True), name
        assert kb.train({}, data, 2, **QUIET).save_raw() == expected, name
    label = kb.DMatrix(X[:3], label=whole).get_label()
    assert np.array_equal(label, [[1, np.nan], [np.nan, 5], [3, 6]], equal_nan=True)


def test_matrices_of_every_kind(tmp_path: Path) -> None:
    data = kb.DMatrix(X, label=Y)
    expected = kb.train({}, data, 3, **QUIET).save_raw()
    data.save_binary(tmp_path / "table.bin")
    read = kb.DMatrix(tmp_path / "table.bin")
    assert np.array_equal(read.get_label(), Y, equal_nan=True)
    assert kb.train({}, read, 3, **QUIET).save_raw() == expected
    assert kb.train({}, kb.QuantileDMatrix(X, label=Y), 3, **QUIET).save_raw() == expected
    rows = np.arange(0, ROWS, 2)
    assert np.array_equal(data.slice(rows).get_label(), Y[rows], equal_nan=True)

    class Halves(kb.DataIter):
        part = 0

        def reset(self) -> None:
            self.part = 0

        def next(self, input_data: Any) -> bool:
            if self.part == 2:
                return False
            half = slice(450 * self.part, 450 * (self.part + 1))
            input_data(data=X[half], label=Y[half])
            self.part += 1
            return True

    assert kb.train({}, kb.QuantileDMatrix(Halves()), 3, **QUIET).save_raw() == expected


def test_regressors_learn_from_tables_with_missing_labels() -> None:
    model = KauriRegressor(n_estimators=30, max_depth=3, early_stopping_rounds=3, validation_fraction=0.2)
    model.fit(X, Y)
    predictions = model.predict(X)
    scores = [r2_score(Y[KNOWN[:, t], t], predictions[KNOWN[:, t], t]) for t in range(3)]
    assert min(scores) > 0.3
    assert model.score(X, Y) == pytest.approx(np.mean(scores))
    weighted = [r2_score(Y[k, t], predictions[k, t], sample_weight=WEIGHTS[k]) for t, k in enumerate(KNOWN.T)]
    assert model.score(X, Y, WEIGHTS) == pytest.approx(np.mean(weighted))
    assert model.score(X, FULL) == pytest.approx(r2_score(FULL, predictions))
    assert np.isfinite(cross_val_score(KauriRegressor(n_estimators=3), X, Y, cv=3)).all()
    masked = KauriRegressor(n_estimators=5).fit(X, np.ma.masked_array(FULL, HIDDEN))
    plain = KauriRegressor(n_estimators=5).fit(X, Y, eval_set=[(X, Y)])
    np.testing.assert_array_equal(masked.predict(X), plain.predict(X))
    assert np.isfinite(plain.evals_result()["validation_0"]["rmse"]).all()
    assert KauriRFRegressor(n_estimators=5).fit(X, Y).predict(X).shape == Y.shape


def test_classifiers_learn_from_tables_with_missing_labels() -> None:
    model = KauriClassifier(n_estimators=10, max_depth=3).fit(X, BINARY, eval_set=[(X, BINARY)])
    chances = model.predict_proba(X)
    expected = log_loss(BINARY[KNOWN], chances[KNOWN].astype(np.float64))
    assert model.evals_result()["validation_0"]["logloss"][-1] == pytest.approx(expected, rel=1e-5)
    assert set(np.unique(model.predict(X))) == {0, 1}
    with pytest.raises(ValueError, match=r"holds 2\.0; expected 1 \(the row has the label\), 0 \(it has not\) or NaN"):
        model.fit(X, np.where(HIDDEN, np.nan, 2 * (FULL > 0)))


def test_losses_of_rows_are_those_of_known_targets() -> None:
    booster = kb.train({"objective": "binary:logistic", "max_depth": 2}, kb.DMatrix(X, label=BINARY), 3, **QUIET)
    rows = kb.DMatrix(X[:4], label=BINARY[:4])
    explained = kb.explain(booster, rows, background=X[:20], output="loss")
    chances = booster.predict(rows).astype(np.float64)
    losses = np.where(KNOWN[:4], -np.log(np.where(BINARY[:4] == 1, chances, 1 - chances)), np.nan)
    totals = explained.values.sum(axis=1) + explained.base_values
    np.testing.assert_allclose(totals, np.nanmean(losses, axis=1), rtol=1e-5)


# ---- sequences and errors ----


def test_failures_leave_matrices_and_boosters_as_they_were() -> None:
    data = kb.DMatrix(X, label=FULL)
    booster = kb.Booster({"max_depth": 3}, [data])
    booster.update(data, 0)
    before = booster.save_raw()
    for wrong in (np.where(HIDDEN, np.inf, FULL), Y[:, 1], Y[:, 1:2]):
        with pytest.raises(kb.DataError, match="Label contains NaN, infinity"):
            data.set_label(wrong)
    np.testing.assert_array_equal(data.get_label(), FULL)
    nothing = kb.DMatrix(X, label=np.full_like(Y, np.nan))
    with pytest.raises(kb.DataError, match="all 2700 labels are NaN"):
        booster.eval(nothing)
    assert booster.save_raw() == before
    booster.update(kb.DMatrix(X, label=Y), 1)  # missing labels come later
    data.set_label(Y)
    booster.update(data, 2)
    data.set_label(FULL)
    booster.update(data, 3)
    again = kb.Booster({"max_depth": 3}, [data])
    for iteration, label in enumerate((FULL, Y, Y, FULL)):
        again.update(kb.DMatrix(X, label=label), iteration)
    assert booster.save_raw() == again.save_raw()


def test_a_target_of_which_nothing_is_known() -> None:
    table = Y.copy()
    table[:, 1] = np.nan
    data = kb.DMatrix(X, label=table)
    booster = kb.Booster({}, [data])
    for objective in ("reg:squarederror", "reg:absoluteerror", "reg:huber", "reg:pseudohubererror"):
        booster.set_param("objective", objective)
        with pytest.raises(kb.DataError, match=r"the labels of target 1 are NaN in all 900 rows.*set base_score"):
            booster.update(data, 0)
    booster.set_param({"objective": "reg:squarederror", "base_score": STARTS})
    booster.update(data, 0)
    predictions = booster.predict(data)
    np.testing.assert_array_equal(predictions[:, 1], np.full(ROWS, STARTS[1], np.float32))
    assert booster.predict(data, pred_contribs=True).shape == (ROWS, 3, 6)
    other = kb.train({"base_score": STARTS}, kb.DMatrix(X, label=Y), 1, **QUIET).predict(data)
    np.testing.assert_array_equal(predictions[:, [0, 2]], other[:, [0, 2]])
    continued = kb.train({}, kb.DMatrix(X, label=Y), 2, **QUIET)  # a later batch need not know each target
    assert kb.train({}, data, 2, xgb_model=continued, **QUIET).num_boosted_rounds() == 4


def test_one_column_takes_no_nan() -> None:
    for label in (Y[:, 1], Y[:, 1:2], pd.Series(Y[:, 1])):
        with pytest.raises(kb.DataError, match=r"label of row .* is nan.*only a table of two label columns or more"):
            kb.DMatrix(X, label=label)
    with pytest.raises(ValueError, match="only a table of two label columns or more may have NaN"):
        KauriRegressor().fit(X, Y[:, 1])
    with pytest.raises(ValueError, match="masked elements"):
        KauriRegressor().fit(X, np.ma.masked_array(FULL[:, 1], HIDDEN[:, 1]))
    with pytest.raises(kb.DataError, match="label columns"):
        kb.train({"objective": "multi:softprob", "num_class": 3}, kb.DMatrix(X, label=Y), 1)


def test_probabilities_outside_their_range_are_named_beside_missing_labels() -> None:
    with pytest.raises(kb.DataError, match="target 0, is not in"):
        kb.train({"objective": "binary:logistic"}, kb.DMatrix(X, label=np.where(HIDDEN, np.nan, 3)), 1)
