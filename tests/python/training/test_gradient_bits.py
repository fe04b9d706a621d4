"""Splits from gradients that are rounded to 8 or 4 bits (gradient_bits)."""

from __future__ import annotations

import json
import math
import pickle
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from kauriboost.sklearn import KauriClassifier

QUIET = {"verbose_eval": False}
GROWTH: dict[str, dict[str, Any]] = {
    "levels": {"max_depth": 5},
    "lossguide": {"grow_policy": "lossguide", "max_leaves": 20, "max_depth": 0},
    "symmetric": {"grow_policy": "symmetric", "max_depth": 4},
}
MASK = (1 << 64) - 1


def _mix(value: int) -> int:
    value = (value + 0x9E3779B97F4A7C15) & MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK
    return value ^ (value >> 31)


def _combine(key: int, value: int) -> int:
    return _mix(key ^ _mix(value))


def _draws(seed: int, iteration: int, tree: int, n_rows: int) -> list[int]:
    """Return the 64 random bits of every row."""
    key = _combine(_combine(_combine(seed, iteration), 8), tree)
    return [_mix((key + row * 0xD1342543DE82EF95) & MASK) for row in range(n_rows)]


def _fixed(values: np.ndarray, hessians: bool) -> tuple[list[int], float]:
    """Return integers below 2^30 and their unit, a power of two."""
    unit = 2.0 ** (math.frexp(float(np.abs(values).max()))[1] - 30)
    whole = [int(np.rint(float(value) / unit)) for value in values]
    if hessians:
        whole = [1 if one == 0 and value > 0 else one for one, value in zip(whole, values, strict=True)]
    return whole, unit


def _rounded(values: np.ndarray, bits: int, draws: list[int], hessians: bool) -> np.ndarray:
    """Round each value to one of the two multiples of a power of two next to it."""
    whole, unit = _fixed(values, hessians)
    most = 2 ** (bits - 1) - 1
    step = 2 ** (31 - bits)
    if np.rint(float(np.abs(values).max()) / unit) > most * step:
        step *= 2
    found = []
    for one, draw in zip(whole, draws, strict=True):
        below, rest = divmod(one, step)
        chance = (draw if hessians else draw >> 32) % step  # even in [0, step)
        found.append(below + (1 if rest + chance >= step else 0))
    assert max(map(abs, found)) <= most
    return np.array(found) * (unit * step)


def _rows(n_rows: int = 700, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 5)).astype(np.float32)
    y = (X[:, 0] + X[:, 1] * X[:, 0] + rng.normal(size=n_rows) > 0).astype(np.float32)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


def _pairs(n_rows: int, seed: int = 5) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    grad = rng.normal(size=n_rows).astype(np.float32)
    return grad, (rng.random(n_rows) * (rng.random(n_rows) > 0.1)).astype(np.float32)


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("growth", GROWTH)
def test_a_tree_is_that_of_gradients_rounded_one_by_one(growth: str, bits: int) -> None:
    """cat_l2 keeps leaf values from being renewed, so the whole tree follows from the rounded gradients."""
    X, y = _rows()
    data = kb.DMatrix(X, label=y)
    params = {**GROWTH[growth], "tree_method": "hist", "seed": 11, "cat_l2": 1.0, "base_score": 0.5}
    model = kb.Booster({**params, "gradient_bits": bits}, [data])
    naive = kb.Booster(params, [data])
    for iteration in range(3):
        grad, hess = _pairs(len(X), iteration)
        draws = _draws(11, iteration, 0, len(X))
        model.boost(data, iteration, grad, hess)
        naive.boost(data, iteration, _rounded(grad, bits, draws, False), _rounded(hess, bits, draws, True))
    assert model.get_dump(with_stats=True) == naive.get_dump(with_stats=True)
    assert model.num_boosted_rounds() == 3


@pytest.mark.parametrize("bits", [4, 8])
def test_leaf_values_come_from_gradients_that_are_not_rounded(bits: int) -> None:
    X, y = _rows()
    data = kb.DMatrix(X, label=y)
    params = {"tree_method": "hist", "max_depth": 4, "eta": 0.3, "lambda": 0.7, "base_score": 0.5}
    grad, hess = _pairs(len(X))
    model = kb.Booster({**params, "gradient_bits": bits}, [data])
    model.boost(data, 0, grad, hess)
    leaves = model.predict(data, pred_leaf=True).astype(int).ravel()
    values = model.trees_to_dataframe().set_index("Node")["Gain"]
    (gradients, g_unit), (hessians, h_unit) = _fixed(grad, False), _fixed(hess, True)
    for leaf in np.unique(leaves):
        of_leaf = np.flatnonzero(leaves == leaf)
        g = sum(gradients[row] for row in of_leaf) * g_unit
        h = sum(hessians[row] for row in of_leaf) * h_unit
        expected = np.float32(-g / (h + float(np.float32(0.7)))) * np.float32(0.3)
        assert np.float32(values[leaf]) == expected


@pytest.mark.parametrize("growth", GROWTH)
def test_the_same_bytes_for_any_threads_and_going_on(growth: str) -> None:
    X, y = _rows(9000)
    data = kb.DMatrix(X, label=y)
    params = {**GROWTH[growth], "objective": "binary:logistic", "gradient_bits": 4, "subsample": 0.8, "seed": 7}
    models = [kb.train({**params, "nthread": n}, data, 4, **QUIET) for n in (1, 3)]
    assert models[0].save_raw() == models[1].save_raw()
    half = pickle.loads(pickle.dumps(kb.train(params, data, 2, **QUIET)))
    assert kb.train(params, data, 2, xgb_model=half, **QUIET).save_raw() == models[0].save_raw()
    for other in ({"seed": 8}, {"gradient_bits": 8}, {"gradient_bits": 0}):
        assert kb.train({**params, **other}, data, 4, **QUIET).save_raw() != models[0].save_raw()


def test_zero_bits_are_the_default() -> None:
    X, y = _rows()
    data = kb.DMatrix(X, label=y)
    assert kb.train({"gradient_bits": 0}, data, 3, **QUIET).save_raw() == kb.train({}, data, 3, **QUIET).save_raw()


def test_gradients_that_are_multiples_of_the_step_are_not_changed() -> None:
    X, y = _rows()
    data = kb.DMatrix(X, label=np.where(y > 0, 1.0, -1.0))
    params = {"tree_method": "hist", "base_score": 0, "max_depth": 4}
    plain, rounded = (kb.train({**params, "gradient_bits": bits}, data, 1, **QUIET) for bits in (0, 4))
    assert plain.get_dump(with_stats=True) == rounded.get_dump(with_stats=True)


@pytest.mark.parametrize(
    "more",
    [
        {"monotone_constraints": "(1,-1)"},
        {"path_smooth": 3.0},
        {"subsample": 0.4, "sampling_method": "gradient_based"},
        {"bagging_temperature": 1.0},
        {"num_parallel_tree": 3},
        {"booster": "dart", "rate_drop": 0.5},
        {"objective": "multi:softprob", "num_class": 3},
    ],
)
def test_it_goes_with_most_parameters(more: dict[str, Any]) -> None:
    X, y = _rows(2000)
    data = kb.DMatrix(X, label=y)
    params = {"objective": "binary:logistic", "gradient_bits": 8, **more}
    log: dict[str, Any] = {}
    model = kb.train(params, data, 10, evals=[(data, "train")], evals_result=log, **QUIET)
    losses = next(iter(log["train"].values()))
    assert losses[-1] < losses[0]
    assert json.loads(model.save_config())["learner"]["gradient_booster"]
    margins = model.predict(data, output_margin=True)
    assert np.array_equal(margins, kb.Booster(model_file=model.save_raw()).predict(data, output_margin=True))


def test_monotone_constraints_hold() -> None:
    X, y = _rows(3000)
    data = kb.DMatrix(X, label=y)
    params = {"objective": "binary:logistic", "gradient_bits": 4, "monotone_constraints": "(1)"}
    model = kb.train(params, data, 20, **QUIET)
    grid = np.repeat(X[:50], 21, axis=0)
    grid[:, 0] = np.tile(np.linspace(-3, 3, 21), 50)
    margins = model.predict(kb.DMatrix(grid), output_margin=True).reshape(50, 21)
    assert (np.diff(margins, axis=1) >= 0).all()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"gradient_bits": 5}, "gradient_bits=5: gradients are rounded to 4 or 8 bits; expected 4 or 8"),
        ({"gradient_bits": 16}, "gradient_bits"),
        ({"gradient_bits": 8, "tree_method": "exact"}, "gradient_bits=8: tree_method=exact does not support"),
        ({"gradient_bits": 4, "tree_method": "approx"}, "tree_method=approx does not support rounded gradients"),
        ({"gradient_bits": 8, "linear_tree": True}, "gradient_bits=8 with linear_tree=1"),
        (
            {"gradient_bits": 8, "split_criterion": "absolute_error", "objective": "reg:absoluteerror"},
            "split_criterion=absolute_error compares errors",
        ),
        ({"gradient_bits": 8, "multi_strategy": "multi_output_tree"}, "does not support trees with several outputs"),
    ],
)
def test_what_it_does_not_go_with_is_refused(params: dict[str, Any], message: str) -> None:
    X, y = _rows(100)
    with pytest.raises(kb.KauriError, match=message):
        kb.train(params, kb.DMatrix(X, label=y), 1, **QUIET)


def test_estimators_pass_it_on() -> None:
    X, y = _rows(400)
    model = KauriClassifier(n_estimators=3, gradient_bits=8).fit(X, y)
    other = KauriClassifier(n_estimators=3).fit(X, y)
    assert model.get_booster().save_raw() != other.get_booster().save_raw()
