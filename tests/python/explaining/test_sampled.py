"""kauriboost.explain on scales other than the margin, and margins from sampled coalitions."""

from __future__ import annotations

from typing import Any, Callable

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest
from kauriboost.sklearn import KauriClassifier, KauriRegressor

RNG = np.random.default_rng(11)
N_FEATURES = 6
X = RNG.normal(size=(300, N_FEATURES)).astype(np.float32)
X[RNG.random(X.shape) < 0.1] = np.nan
SCORE = np.nan_to_num(X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + (X[:, 3] > 0) * X[:, 4])
ROWS, BACKGROUND = X[:8], X[100:120]
LABELS: dict[str, np.ndarray] = {
    "reg:squarederror": SCORE,
    "reg:absoluteerror": SCORE,
    "binary:logistic": (SCORE > 0).astype(float),
    "count:poisson": np.floor(np.exp(np.clip(SCORE, -1, 1.5))),
    "multi:softprob": np.digitize(SCORE, [-0.5, 0.5]).astype(float),
}


def trained(objective: str, **params: Any) -> kb.Booster:
    """Return a model of ten rounds."""
    given = {"objective": objective, "max_depth": 4, "eta": 0.5, **params}
    if objective.startswith("multi"):
        given["num_class"] = 3
    matrix = kb.DMatrix(X, label=LABELS[objective.replace("softmax", "softprob")])
    return kb.train(given, matrix, 10, verbose_eval=False)


def predictor(model: kb.Booster, **how: Any) -> Callable[[np.ndarray], np.ndarray]:
    """Return the model as a function of rows."""
    return lambda rows: model.predict(kb.DMatrix(rows.astype(np.float32)), **how)


def losses(objective: str, predicted: np.ndarray, label: float) -> np.ndarray:
    """Return the losses of predictions, from their definitions."""
    if objective == "reg:squarederror":
        return (predicted - label) ** 2
    if objective == "reg:absoluteerror":
        return np.abs(predicted - label)
    if objective == "binary:logistic":
        return -np.log(predicted if label else 1 - predicted)
    if objective == "multi:softprob":
        return -np.log(predicted[:, int(label)])
    from scipy.special import gammaln

    return predicted - label * np.log(predicted) + gammaln(label + 1)


@pytest.mark.parametrize("objective", LABELS)
def test_values_are_those_of_the_predictions(objective: str) -> None:
    model = trained(objective)
    found = kb.explain(model, ROWS, background=BACKGROUND, output="value", method="exact")
    expected = kb.explain_function(predictor(model), ROWS, BACKGROUND, method="exact")
    assert np.allclose(found.values, expected.values, rtol=0, atol=2e-6)
    assert np.allclose(found.base_values, expected.base_values, rtol=0, atol=2e-6)
    assert np.allclose(found.values.sum(axis=1) + found.base_values, predictor(model)(ROWS), rtol=1e-5)
    assert found.shape == expected.shape
    assert (found.method, found.adds_up) == ("exact", True)


@pytest.mark.parametrize("objective", LABELS)
def test_losses_are_those_of_the_rows(objective: str) -> None:
    model, y = trained(objective), LABELS[objective][: len(ROWS)]
    found = kb.explain(model, ROWS, background=BACKGROUND, output="loss", y=y, method="exact")
    assert found.shape == (8, N_FEATURES)
    for row in (0, 3, 7):
        expected = kb.explain_function(
            lambda rows, label=y[row]: losses(objective, predictor(model)(rows), label),
            ROWS[row : row + 1],
            BACKGROUND,
            method="exact",
        )
        assert np.allclose(found.values[row], expected.values[0], rtol=1e-4, atol=2e-5)
        assert found.base_values[row] == pytest.approx(expected.base_values[0], rel=1e-4)
    given = kb.explain(model, kb.DMatrix(ROWS, label=y), background=BACKGROUND, output="loss", method="exact")
    assert np.array_equal(given.values, found.values)


@pytest.mark.parametrize("objective", ["reg:squarederror", "multi:softprob"])
def test_sampled_margins_come_to_the_exact_ones(objective: str) -> None:
    model = trained(objective)
    exact = kb.explain(model, ROWS, background=BACKGROUND)
    assert exact.method is None
    all_sets = kb.explain(model, ROWS, background=BACKGROUND, method="exact")
    assert np.allclose(all_sets.values, exact.values, rtol=0, atol=1e-5)
    assert np.allclose(all_sets.base_values, exact.base_values, rtol=0, atol=1e-5)
    sampled = kb.explain(model, ROWS, background=BACKGROUND, method="orthogonal", n_orders=200)
    assert (np.abs(sampled.values - exact.values) < 6 * sampled.std_error + 1e-5).all()
    assert sampled.n_evals.max() <= 200 * (N_FEATURES - 1) + 2


def test_pairs_are_exact_after_an_order_and_its_reverse() -> None:
    model = trained("reg:squarederror", max_depth=2)
    exact = kb.explain(model, ROWS, background=BACKGROUND)
    sampled = kb.explain(model, ROWS, background=BACKGROUND, method="antithetic", n_orders=2)
    assert np.allclose(sampled.values, exact.values, rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    "params",
    [
        {"booster": "dart", "rate_drop": 0.3},
        {"num_parallel_tree": 3, "subsample": 0.5},
        {"tree_method": "hist", "grow_policy": "lossguide", "max_leaves": 20, "max_depth": 0},
        {"tree_method": "exact", "max_depth": 9},
    ],
)
def test_models_of_every_kind(params: dict[str, Any]) -> None:
    model = trained("binary:logistic", **params)
    found = kb.explain(model, ROWS, background=BACKGROUND, output="value", method="mc", n_orders=9, seed=3)
    expected = kb.explain_function(predictor(model), ROWS, BACKGROUND, method="mc", n_orders=9, seed=3)
    # Orders cover only the features with an effect, which are the same in both.
    assert np.allclose(found.values, expected.values, rtol=0, atol=2e-6)


def test_vector_leaves_and_several_targets() -> None:
    y = np.column_stack([SCORE, SCORE**2])
    params = {"multi_strategy": "multi_output_tree", "tree_method": "hist"}
    model = kb.train(params, kb.DMatrix(X, label=y), 6, verbose_eval=False)
    found = kb.explain(model, ROWS, background=BACKGROUND, output="value", method="exact")
    expected = kb.explain_function(predictor(model), ROWS, BACKGROUND, method="exact")
    assert np.allclose(found.values, expected.values, rtol=0, atol=1e-5)
    loss = kb.explain(model, ROWS, background=BACKGROUND, output="loss", y=y[:8], method="exact")
    whole = ((predictor(model)(ROWS) - y[:8]) ** 2).mean(axis=1)
    assert np.allclose(loss.values.sum(axis=1) + loss.base_values, whole, rtol=1e-4)


def test_categories_and_frames() -> None:
    table = pd.DataFrame(X[:, :3], columns=["a", "b", "c"])
    table["kind"] = pd.Categorical(RNG.choice(["x", "y", "z", "w"], len(X)))
    y = (np.nan_to_num(X[:, 0]) + (table["kind"] == "x") > 0.3).astype(int)
    model = KauriClassifier(n_estimators=8, max_depth=4, enable_categorical=True).fit(table, y)
    rows, background = table[:6], table[60:80]
    found = kb.explain(model, rows, background=background, output="value", method="exact")
    expected = kb.explain_function(lambda t: model.predict_proba(t)[:, 1], rows, background, method="exact")
    assert np.allclose(found.values, expected.values, rtol=0, atol=2e-6)
    assert found.feature_names == ["a", "b", "c", "kind"]
    assert found.display_data()[:, 3].tolist() == rows["kind"].tolist()
    loss = kb.explain(model, rows, background=background, output="loss", y=y[:6], method="exact")
    p = model.predict_proba(rows)[:, 1]
    assert np.allclose(loss.values.sum(axis=1) + loss.base_values, -np.log(np.where(y[:6], p, 1 - p)), rtol=1e-4)


def test_groups() -> None:
    model = trained("binary:logistic")
    groups = {"first": ["f0", "f1"], "rest": [3, 4, 5]}
    found = kb.explain(model, ROWS, background=BACKGROUND, output="value", groups=groups)
    expected = kb.explain_function(predictor(model), ROWS, BACKGROUND, groups=groups)
    assert found.feature_names == ["first", "f2", "rest"] == expected.feature_names
    assert np.allclose(found.values, expected.values, rtol=0, atol=2e-6)


def test_what_the_background_has_is_exactly_zero() -> None:
    model = trained("binary:logistic")
    background = BACKGROUND.copy()
    background[:, 0] = np.nan
    rows = ROWS.copy()
    rows[2, 0] = np.nan
    found = kb.explain(model, rows, background=background, output="value", method="exact")
    assert found.values[2, 0] == 0
    assert found.n_evals[2] == 32
    assert found.n_evals[3] == 64


def test_base_margins_and_rounds() -> None:
    model = trained("binary:logistic")
    margin = np.linspace(-1, 1, 8).astype(np.float32)
    matrix = kb.DMatrix(ROWS, base_margin=margin)
    found = kb.explain(model, matrix, background=BACKGROUND, output="value", method="exact", iteration_range=(0, 4))
    whole = found.values.sum(axis=1) + found.base_values
    assert np.allclose(whole, model.predict(matrix, iteration_range=(0, 4)), rtol=1e-5)


@pytest.mark.parametrize("method", ["exact", "orthogonal", "stratified"])
def test_bits_do_not_depend_on_threads_or_other_rows(method: str) -> None:
    model = trained("multi:softprob")
    how = {"background": BACKGROUND, "output": "value", "method": method, "n_orders": 14}

    def explained(threads: int, rows: np.ndarray) -> np.ndarray:
        model.set_param({"nthread": threads})
        return kb.explain(model, rows, **how).values

    one = explained(1, ROWS)
    assert np.array_equal(explained(4, ROWS), one)
    assert np.array_equal(explained(16, ROWS), one)  # more threads than rows
    assert np.array_equal(explained(4, ROWS[5:6]), one[5:6])


def test_large_backgrounds_and_batches() -> None:
    model = trained("binary:logistic")
    found = kb.explain(model, ROWS, background=X, output="value", method="mc", n_orders=5)
    expected = kb.explain_function(predictor(model), ROWS, X, method="mc", n_orders=5)
    assert np.allclose(found.values, expected.values, rtol=0, atol=2e-6)
    parts = list(kb.explain_batches(model, [ROWS[:3], ROWS[3:]], background=X, output="value", method="mc", n_orders=5))
    assert np.array_equal(np.concatenate([part.values for part in parts]), found.values)


def test_a_failed_call_leaves_the_model_as_it_was() -> None:
    model = trained("binary:logistic")
    before = model.save_raw("json")
    first = kb.explain(model, ROWS, background=BACKGROUND, output="value").values
    with pytest.raises(kb.ParameterError):
        kb.explain(model, ROWS, background=BACKGROUND, output="value", method="stratified", n_orders=2)
    assert np.array_equal(kb.explain(model, ROWS, background=BACKGROUND, output="value").values, first)
    assert model.save_raw("json") == before


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"output": "probability"}, "output is 'probability'; expected 'margin'"),
        ({"background": None, "output": "value"}, "need a background"),
        ({"background": None, "method": "mc"}, "need a background"),
        ({"background": BACKGROUND[:0], "output": "value"}, "background has 0 rows"),
        ({"output": "loss"}, "needs the labels"),
        ({"output": "value", "interactions": True}, "Shapley values of all features"),
        ({"output": "value", "features": [1]}, "Shapley values of all features"),
        ({"output": "value", "n_orders": 0}, "n_orders is 0"),
        ({"output": "value", "method": "best"}, "method is 'best'"),
        ({"output": "value", "groups": [[0], [0]]}, "twice"),
    ],
)
def test_refuses(change: dict[str, Any], words: str) -> None:
    model = trained("binary:logistic")
    with pytest.raises(kb.KauriError, match=words):
        kb.explain(model, ROWS, **{"background": BACKGROUND, **change})


def test_refuses_models_that_have_no_such_thing() -> None:
    linear = trained("reg:squarederror", booster="gblinear")
    with pytest.raises(kb.ParameterError, match="linear"):
        kb.explain(linear, ROWS, background=BACKGROUND, output="value")
    classes = trained("multi:softmax")
    with pytest.raises(kb.ParameterError, match="class"):
        kb.explain(classes, ROWS, background=BACKGROUND, output="value")
    ranks = kb.train(
        {"objective": "rank:ndcg"}, kb.DMatrix(X, label=SCORE > 0, group=[150, 150]), 3, verbose_eval=False
    )
    with pytest.raises(kb.ParameterError, match=r"ndcg.* is none"):
        kb.explain(ranks, ROWS, background=BACKGROUND, output="loss", y=np.zeros(8))
    assert kb.explain(ranks, ROWS, background=BACKGROUND, output="value").shape == (8, N_FEATURES)


def test_estimators() -> None:
    model = KauriRegressor(n_estimators=5).fit(X, SCORE)
    found = kb.explain(model, ROWS, background=BACKGROUND, output="value", method="exact")
    assert np.allclose(found.values.sum(axis=1) + found.base_values, model.predict(ROWS), rtol=1e-4, atol=1e-5)
    labels = np.array(["no", "yes", "so"])[LABELS["multi:softprob"].astype(int)]
    classes = KauriClassifier(n_estimators=5).fit(X, labels)
    several = kb.explain(classes, ROWS, background=BACKGROUND, output="value", method="exact")
    assert several.output_names == ["no", "so", "yes"]
    loss = kb.explain(classes, ROWS, background=BACKGROUND, output="loss", y=labels[:8], method="exact")
    chosen = classes.predict_proba(ROWS)[np.arange(8), np.searchsorted(classes.classes_, labels[:8])]
    assert np.allclose(loss.values.sum(axis=1) + loss.base_values, -np.log(chosen), rtol=1e-4)
