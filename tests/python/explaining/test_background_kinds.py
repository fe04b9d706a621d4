"""Interactions and Banzhaf values against a background, and Banzhaf interactions without one."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest
from kauriboost.sklearn import KauriClassifier

Worth = dict[frozenset[int], float]
N = 5
SETS = [frozenset(some) for size in range(N + 1) for some in itertools.combinations(range(N), size)]
KINDS = [
    {"interactions": True},
    {"values": "banzhaf"},
    {"values": "banzhaf", "interactions": True},
    {"values": "taylor"},
]


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(7)
    table = rng.normal(size=(400, N - 1))
    table[rng.random(table.shape) < 0.15] = np.nan
    made = pd.DataFrame(table, columns=["ash", "birch", "cedar", "elm"])
    made["fir"] = pd.Categorical(rng.choice(["red", "green", "blue", "grey"], 400))
    return made


@pytest.fixture(scope="module")
def booster(frame: pd.DataFrame) -> kb.Booster:
    numbers = frame[["ash", "birch", "cedar"]].fillna(0.3).to_numpy()
    y = numbers[:, 0] * numbers[:, 1] + numbers[:, 2] * (frame["fir"] == "red")
    parameters = {"max_depth": 5, "max_cat_to_onehot": 1, "learning_rate": 0.5}
    return kb.train(parameters, kb.DMatrix(frame, label=y), 8, verbose_eval=False)


def mean_worths(booster: kb.Booster, row: pd.DataFrame, background: pd.DataFrame) -> Worth:
    """Return each coalition's worth: the mean margin of the background with the coalition's columns from the row."""
    worth = {}
    for known in SETS:
        mixed = background.copy()
        for column in known:
            name = mixed.columns[column]
            mixed[name] = pd.Series([row[name].iloc[0]] * len(mixed), index=mixed.index, dtype=mixed[name].dtype)
        worth[known] = float(booster.predict(kb.DMatrix(mixed), output_margin=True).astype(float).mean())
    return worth


@pytest.fixture(scope="module")
def worths(booster: kb.Booster, frame: pd.DataFrame) -> dict[int, Worth]:
    return {row: mean_worths(booster, frame.iloc[[row]], frame.iloc[100:107]) for row in (0, 5)}


def index(worth: Worth, players: set[int], weight: Callable[[int], float]) -> float:
    """Return the weighted mean effect of one player or two over the coalitions of the others."""
    total = 0.0
    for known in SETS:
        if not known & players:
            effect = sum(
                (-1) ** (len(players) - size) * worth[known | set(some)]
                for size in range(len(players) + 1)
                for some in itertools.combinations(players, size)
            )
            total += weight(len(known)) * effect
    return total


def shapley(n: int) -> Callable[[int], float]:
    return lambda size: math.factorial(size) * math.factorial(n - size - 1) / math.factorial(n)


def by_definition(worth: Worth, how: dict[str, Any]) -> np.ndarray:
    values = how.get("values", "shapley")
    single, pair = {
        "shapley": (shapley(N), shapley(N - 1)),
        "banzhaf": (lambda _: 2.0 ** (1 - N), lambda _: 2.0 ** (2 - N)),
        "taylor": (lambda size: float(size == 0), lambda size: 2 * shapley(N)(size)),
    }[values]
    of_features = np.array([index(worth, {i}, single) for i in range(N)])
    if values == "banzhaf" and "interactions" not in how:
        return of_features
    cells = np.zeros((N, N))
    for i, j in itertools.combinations(range(N), 2):
        cells[i, j] = cells[j, i] = index(worth, {i, j}, pair) / 2
    np.fill_diagonal(cells, of_features - (0 if values == "taylor" else cells.sum(axis=1)))
    return cells


@pytest.mark.parametrize("how", KINDS)
def test_by_definition(booster: kb.Booster, frame: pd.DataFrame, worths: dict[int, Worth], how: dict[str, Any]) -> None:
    for row, worth in worths.items():
        expected = by_definition(worth, how)
        explanation = kb.explain(booster, frame.iloc[[row]], background=frame.iloc[100:107], **how)
        np.testing.assert_allclose(explanation.values[0], expected, atol=2e-6)
        assert explanation.adds_up == (how.get("values") != "banzhaf")
        assert explanation.kind == how.get("values", "shapley")


def test_rows_add_up_to_values(booster: kb.Booster, frame: pd.DataFrame) -> None:
    margins = booster.predict(kb.DMatrix(frame), output_margin=True)
    for background, values in itertools.product([frame.iloc[:50], None], ["shapley", "banzhaf"]):
        pairs = kb.explain(booster, frame, background=background, values=values, interactions=True)
        of_features = kb.explain(booster, frame, background=background, values=values)
        scale = np.abs(of_features.values).max()
        np.testing.assert_allclose(pairs.values.sum(axis=2), of_features.values, rtol=0, atol=1e-6 * scale)
        np.testing.assert_array_equal(pairs.base_values, of_features.base_values)
        np.testing.assert_array_equal(pairs.values, np.swapaxes(pairs.values, 1, 2))
        if values == "shapley":
            np.testing.assert_allclose(pairs.values.sum(axis=(1, 2)) + pairs.base_values, margins, atol=5e-6)


@pytest.mark.parametrize("how", KINDS)
def test_batches_threads_and_columns_do_not_show(booster: kb.Booster, frame: pd.DataFrame, how: dict[str, Any]) -> None:
    background = frame.iloc[:90]
    whole = kb.explain(booster, frame, background=background, **how)
    batches = kb.explain_batches(booster, (frame[:133], frame[133:]), background=background, **how)
    np.testing.assert_array_equal(np.concatenate([part.values for part in batches]), whole.values)
    three = kb.Booster({"nthread": 3}, model_file=booster.save_raw("json"))
    np.testing.assert_array_equal(kb.explain(three, frame, background=background, **how).values, whole.values)
    some = kb.explain(booster, frame, background=background, features=["fir", "ash"], **how).values
    picked = whole.values[:, [4, 0]]
    np.testing.assert_array_equal(some, picked if picked.ndim == 2 else picked[:, :, [4, 0]])
    means = kb.global_importance(booster, frame, background=background, **how)
    np.testing.assert_allclose(means.values, np.abs(whole.values).mean(axis=0, dtype=float), rtol=1e-6)


@pytest.mark.skipif(not kb.build_info()["USE_CUDA"], reason="no CUDA device")
@pytest.mark.parametrize("how", [{}, *KINDS])
def test_a_device_has_the_same_bits(booster: kb.Booster, frame: pd.DataFrame, how: dict[str, Any]) -> None:
    on_device = kb.Booster({"device": "cuda"}, model_file=booster.save_raw("json"))
    for background in (frame.iloc[:90], frame.iloc[5:6]):
        expected = kb.explain(booster, frame, background=background, **how)
        explanation = kb.explain(on_device, frame, background=background, **how)
        np.testing.assert_array_equal(explanation.values, expected.values)
        np.testing.assert_array_equal(explanation.base_values, expected.base_values)


def test_classes_and_vector_leaves(multiclass: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = multiclass
    for strategy in ("one_output_per_tree", "multi_output_tree"):
        model = KauriClassifier(n_estimators=4, max_depth=3, multi_strategy=strategy).fit(X, y)
        of_features = kb.explain(model, X[:40], background=X[40:60]).values
        pairs = kb.explain(model, X[:40], background=X[40:60], interactions=True).values
        assert pairs.shape == (40, 4, 4, 3)
        np.testing.assert_allclose(pairs.sum(axis=2), of_features, atol=2e-6)


def test_banzhaf_interactions_without_background_by_definition() -> None:
    """Compare with 'a and b' of equally likely halves: E f = x_a x_b with a half for what is not known."""
    X = np.array([[a, b] for a in (0, 1) for b in (0, 1)] * 4, dtype=float)
    model = kb.train(
        {"max_depth": 2, "learning_rate": 1, "reg_lambda": 0, "min_child_weight": 0, "base_score": 0, "gamma": 0},
        kb.DMatrix(X, label=8 * X[:, 0] * X[:, 1]),
        1,
        verbose_eval=False,
    )
    pairs = kb.explain(model, [[1, 1]], values="banzhaf", interactions=True)
    # f({}) = 2, f({a}) = f({b}) = 4, f({a, b}) = 8: the pair's index is 2, and each feature's value 3.
    np.testing.assert_allclose(pairs.values[0], [[2, 1], [1, 2]], atol=1e-6)


def test_large_background(booster: kb.Booster, frame: pd.DataFrame) -> None:
    """A row of the background counts as often as it occurs."""
    some = frame.iloc[:100]
    many = kb.DMatrix(pd.concat([some] * 500, ignore_index=True))
    for how in KINDS:
        few = kb.explain(booster, frame[:20], background=some, **how).values
        np.testing.assert_allclose(kb.explain(booster, frame[:20], background=many, **how).values, few, atol=1e-6)


def test_treeshap_takes_no_background(booster: kb.Booster, frame: pd.DataFrame) -> None:
    model = booster.copy()
    model.set_param({"shap_method": "treeshap"})
    kb.explain(model, frame)
    for explain in (kb.explain, kb.global_importance):
        with pytest.raises(kb.ParameterError, match=r"shap_method=treeshap .* takes no background; .*shap_method=auto"):
            explain(model, frame, background=frame)
