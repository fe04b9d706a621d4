"""Monotone constraints of distributions: the mean obeys them, and parameters that it does not depend on are free."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from distribution_rows import NAMES, rows_of, train

BOUND = {"lognormal": [0, 1], "zero_inflated_poisson": [0, 1], "zero_inflated_gamma": [0, 2]}
BOUND["zero_inflated_negative_binomial"] = [0, 2]
STRATEGIES = ["multi_output_tree", "one_output_per_tree"]
WAYS: dict[str, dict[str, Any]] = {
    "vectors": {},
    "scalars": {"multi_strategy": "one_output_per_tree"},
    "exact": {"multi_strategy": "one_output_per_tree", "tree_method": "exact"},
    "lossguide": {"grow_policy": "lossguide", "max_leaves": 9, "max_depth": 0},
    "dart": {"booster": "dart", "rate_drop": 0.2},
    "thresholds": {"extra_trees": 1},
    "shared thresholds": {"extra_trees": 1, "grow_policy": "symmetric"},
}
# Symmetric trees with random thresholds have vector leaves, so that one parameter has none.
PAIRS = [(name, way) for name in NAMES for way in WAYS if (name, way) != ("poisson", "shared thresholds")]


def swept(booster: kb.Booster, column: int, seed: int) -> kb.DMatrix:
    """Return 40 random rows, each at 80 places of a column."""
    rng = np.random.default_rng(seed)
    rows = np.repeat(rng.normal(size=(40, 4)).astype(np.float32), 80, axis=0)
    rows[:, column] = np.tile(np.linspace(-3, 3, 80, dtype=np.float32), 40)
    rows[:, 1 + column] = np.where(rng.random(40) < 0.2, np.nan, rows[::80, 1 + column]).repeat(80)
    return kb.DMatrix(rows)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("name", "way"), PAIRS)
def test_the_mean_is_monotone_with_and_against_the_labels(name: str, way: str, sign: int) -> None:
    booster, _ = train(name, 15, monotone_constraints=f"({sign},0,{-sign},0)", **{"subsample": 0.8, **WAYS[way]})
    for column, direction in ((0, sign), (2, -sign)):
        data = swept(booster, column, seed=column)
        means = kb.distribution_of(booster, data).mean.reshape(40, 80)
        assert np.all(np.diff(means, axis=1) * direction >= -1e-12 * np.abs(means[:, :-1]))
        raw = booster.predict(data, output_margin=True, strict_shape=True).reshape(40, 80, -1)
        for output in BOUND.get(name, [0]):
            assert np.all(np.diff(raw[:, :, output], axis=1) * direction >= 0)


def rows_whose_scale_falls() -> tuple[np.ndarray, np.ndarray]:
    """Return labels whose mean rises with the first column, as their spread falls."""
    rng = np.random.default_rng(3)
    X = rng.uniform(-2, 2, size=(3000, 2)).astype(np.float32)
    return X, (X[:, 0] + np.exp(-0.8 * X[:, 0]) * rng.normal(size=3000)).astype(np.float32)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("name", ["normal", "laplace", "student_t"])
def test_the_scale_is_free(name: str, strategy: str) -> None:
    """The loss is nearly the one without constraints, and lower than with any scale that does not fall."""
    X, y = rows_whose_scale_falls()
    data, losses = kb.DMatrix(X, label=y), []
    params = {"objective": f"dist:{name}", "max_depth": 3, "eta": 0.1, "multi_strategy": strategy}
    for constraints in ("(0,0)", "(1,0)"):
        booster = kb.train({**params, "monotone_constraints": constraints}, data, 80, verbose_eval=False)
        losses.append(float(booster.eval(data).split(":")[1]))
    found = kb.distribution_of(booster, kb.DMatrix(np.array([[-1.8, 0], [0, 0], [1.8, 0]], dtype=np.float32)))
    scale = found.parameters["scale"]
    assert scale[0] > 2 * scale[1] > 4 * scale[2]
    assert np.all(np.diff(found.mean) > 0)
    assert losses[1] < losses[0] + 0.03  # of the labels' 1.5
    constant = booster.predict(data)
    for scale_of_all in np.geomspace(0.3, 6, 30):  # where it should fall, the best scale that may not is constant
        constant[:, 1] = scale_of_all
        assert losses[1] < kb.Distribution(name, constant).nll(y).mean() - 0.2


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("name", ["gamma", "negative_binomial"])
def test_shapes_and_sizes_are_free(name: str, strategy: str) -> None:
    """The mean rises with the first column, and the parameter that says how narrow the labels are falls."""
    rng = np.random.default_rng(4)
    X = rng.uniform(-2, 2, size=(4000, 2)).astype(np.float32)
    mean, narrowness = 8 * np.exp(0.3 * X[:, 0]), np.exp(1 - X[:, 0])
    y = rng.gamma(narrowness, mean / narrowness).astype(np.float32) + np.float32(1e-6)
    if name == "negative_binomial":
        y = rng.poisson(y).astype(np.float32)
    params = {"objective": f"dist:{name}", "max_depth": 3, "eta": 0.1, "multi_strategy": strategy}
    booster = kb.train({**params, "monotone_constraints": "(1,0)"}, kb.DMatrix(X, label=y), 80, verbose_eval=False)
    places = np.column_stack([np.linspace(-1.9, 1.9, 100), np.zeros(100)]).astype(np.float32)
    found = kb.distribution_of(booster, kb.DMatrix(places))
    assert np.all(np.diff(found.mean) >= 0)
    assert found.mean[-1] > 2 * found.mean[0]
    free = found.parameters["shape" if name == "gamma" else "size"]
    assert free[:20].mean() > 4 * free[-20:].mean()


def test_free_outputs_are_those_of_a_training_without_constraints() -> None:
    """With a tree for each parameter, constraints do not change the tree of the scale in the first round."""
    X, y = rows_whose_scale_falls()
    data = kb.DMatrix(X, label=y)
    params = {"objective": "dist:normal", "max_depth": 3, "multi_strategy": "one_output_per_tree"}
    free = kb.train(params, data, 1, verbose_eval=False)
    bound = kb.train({**params, "monotone_constraints": "(-1,0)"}, data, 1, verbose_eval=False)
    raw = [booster.predict(data, output_margin=True) for booster in (free, bound)]
    np.testing.assert_array_equal(raw[0][:, 1], raw[1][:, 1])
    assert not np.array_equal(raw[0][:, 0], raw[1][:, 0])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["normal", "lognormal", "zero_inflated_negative_binomial"])
def test_constraints_do_not_depend_on_threads(name: str, way: str) -> None:
    how = {"monotone_constraints": "(1,0,-1,0)", **WAYS[way]}
    models = [train(name, 6, nthread=threads, **how)[0].save_raw() for threads in (1, 2, 4)]
    assert models == models[:1] * 3


@pytest.mark.skipif(not kb.build_info()["USE_CUDA"], reason="no CUDA device")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", NAMES)
def test_constraints_on_a_device_give_the_same_bytes(name: str, way: str) -> None:
    if (name, way) not in PAIRS:
        pytest.skip("symmetric trees with random thresholds have vector leaves")
    how = {"monotone_constraints": "(1,0,-1,0)", "max_delta_step": 0.9, **WAYS[way]}
    models = [train(name, 6, device=device, **how)[0].save_raw() for device in ("cuda", "cpu")]
    assert models[0] == models[1]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_constraints_of_a_training_that_goes_on(strategy: str) -> None:
    how = {"monotone_constraints": "(1,0,-1,0)", "multi_strategy": strategy}
    one, data = train("zero_inflated_gamma", 8, **how)
    begun, _ = train("zero_inflated_gamma", 3, **how)
    loaded = kb.Booster(model_file=begun.save_raw())
    again = kb.train({"max_depth": 3, "eta": 0.2, **how}, data, 5, xgb_model=loaded, verbose_eval=False)
    assert again.save_raw() == one.save_raw()


@pytest.mark.parametrize(
    "params", [{"tree_method": "exact"}, {"tree_method": "approx"}, {"linear_tree": 1}, {"gradient_bits": 8}], ids=str
)
def test_one_parameter_is_a_scalar_objective(params: dict[str, Any]) -> None:
    booster, data = train("poisson", 15, **params)
    start, _ = train("poisson", 1, **params)
    assert float(booster.eval(data).split(":")[1]) < float(start.eval(data).split(":")[1])


@pytest.mark.parametrize("name", ["poisson", "gamma", "student_t"])
def test_refits_need_scalar_leaves(name: str) -> None:
    strategy = {} if name == "poisson" else {"multi_strategy": "one_output_per_tree"}
    booster, _ = train(name, 10, **strategy)
    X, y = rows_of(name)
    other = kb.DMatrix(X[::2], label=2 * y[::2])
    refitted = kb.refit(booster, other, decay_rate=0.5)
    assert float(refitted.eval(other).split(":")[1]) < float(booster.eval(other).split(":")[1])
    params = {"objective": f"dist:{name}", "process_type": "update", "updater": "refresh", **strategy}
    updated = kb.train(params, other, 10, xgb_model=booster, verbose_eval=False)
    assert float(updated.eval(other).split(":")[1]) < float(booster.eval(other).split(":")[1])
    if name != "poisson":
        vectors, _ = train(name, 3)
        with pytest.raises(kb.ModelError, match="vector leaves"):
            kb.refit(vectors, other)
