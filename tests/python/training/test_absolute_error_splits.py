"""split_criterion=absolute_error: splits by the errors of the best constants."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import numpy as np
import pytest

PARAMS: dict[str, Any] = {
    "objective": "reg:absoluteerror",
    "tree_method": "hist",
    "split_criterion": "absolute_error",
    "max_depth": 4,
    "max_bin": 64,
    "min_child_weight": 0.0,
}


def skewed(rows: int = 3000, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    features = random.standard_normal((rows, 5)).astype(np.float32)
    score = features[:, 0] + np.sin(2 * features[:, 1]) + 0.3 * random.standard_normal(rows)
    return features, np.exp(1.5 * score).astype(np.float32)


def gain_of(features: np.ndarray, labels: np.ndarray, column: int, threshold: float) -> float:
    left = features[:, column] < threshold
    return sum(
        sign * np.abs(part - np.median(part)).sum()
        for sign, part in ((1, labels), (-1, labels[left]), (-1, labels[~left]))
        if len(part) > 0
    )


def first_split(params: dict[str, Any], features: np.ndarray, labels: np.ndarray) -> tuple[int, float]:
    booster = kb.train({**params, "max_depth": 1}, kb.DMatrix(features, label=labels), 1)
    root = booster.trees_to_dataframe().iloc[0]
    return int(root.Feature[1:]), float(root.Split)


def test_the_first_split_reduces_errors_most() -> None:
    features, labels = skewed()
    cuts = np.quantile(features, np.arange(1, 64) / 64, axis=0)
    best = max(gain_of(features, labels, column, cut) for column in range(5) for cut in cuts[:, column])
    chosen = gain_of(features, labels, *first_split(PARAMS, features, labels))
    assert chosen > 0.985 * best  # bin edges differ slightly
    assert chosen >= gain_of(
        features, labels, *first_split({**PARAMS, "split_criterion": "gradient"}, features, labels)
    )


def test_threads_do_not_matter_and_gradient_is_what_nothing_means() -> None:
    features, labels = skewed(1500)
    features[::7, 1] = np.nan
    weights = np.random.default_rng(1).random(1500).astype(np.float32)
    data = kb.DMatrix(features, label=labels, weight=weights)
    more = {"subsample": 0.7, "colsample_bynode": 0.8, "num_parallel_tree": 2, "seed": 5}
    raw = [bytes(kb.train({**PARAMS, **more, "nthread": n}, data, 6).save_raw("ubj")) for n in (1, 3)]
    assert raw[0] == raw[1]
    plain = {name: value for name, value in PARAMS.items() if name != "split_criterion"}
    same = [kb.train(params, data, 6).get_dump() for params in (plain, {**plain, "split_criterion": "gradient"})]
    assert same[0] == same[1]
    assert same[0] != kb.train(PARAMS, data, 6).get_dump()


def test_boosting_lowers_the_error_on_new_rows() -> None:
    features, labels = skewed()
    test_features, test_labels = skewed(3000, seed=9)
    errors = {}
    for criterion in ("gradient", "absolute_error"):
        booster = kb.train({**PARAMS, "split_criterion": criterion}, kb.DMatrix(features, label=labels), 40)
        errors[criterion] = np.abs(booster.predict(kb.DMatrix(test_features)) - test_labels).mean()
    constant = np.abs(test_labels - np.median(labels)).mean()
    assert errors["absolute_error"] < 0.6 * constant
    assert errors["absolute_error"] < 1.1 * errors["gradient"]


@pytest.mark.parametrize(
    "extra", [{"grow_policy": "lossguide", "max_leaves": 9}, {"min_data_in_leaf": 40}, {"gamma": 20.0}]
)
def test_limits_of_growth_hold(extra: dict[str, Any]) -> None:
    features, labels = skewed(1200)
    data = kb.DMatrix(features, label=labels)
    booster = kb.train({**PARAMS, **extra, "max_depth": 6}, data, 1)
    frame = booster.trees_to_dataframe()
    leaves = frame[frame.Feature == "Leaf"]
    assert 1 < len(leaves) <= extra.get("max_leaves", 64)
    _, counts = np.unique(booster.predict(data, pred_leaf=True), return_counts=True)
    assert counts.min() >= extra.get("min_data_in_leaf", 1)
    assert frame[frame.Feature != "Leaf"].Gain.min() >= extra.get("gamma", 0.0)


def test_quantiles_have_trees_of_their_own() -> None:
    features, labels = skewed()
    params = {**PARAMS, "objective": "reg:quantileerror", "quantile_alpha": [0.1, 0.5, 0.9]}
    booster = kb.train(params, kb.DMatrix(features, label=labels), 40)
    predictions = booster.predict(kb.DMatrix(features))
    for alpha, column in zip((0.1, 0.5, 0.9), predictions.T):
        assert abs((labels < column).mean() - alpha) < 0.1
    roots = {booster.get_dump()[output].split("]")[0] for output in range(3)}
    assert len(roots) > 1


def test_targets_have_residuals_of_their_own() -> None:
    features, labels = skewed()
    table = np.stack([labels, -labels[::-1]], axis=1)
    table[::5, 1] = np.nan
    booster = kb.train(PARAMS, kb.DMatrix(features, label=table), 3)
    alone = kb.train(PARAMS, kb.DMatrix(features, label=labels), 3)
    assert booster.get_dump()[0].split("]")[0] == alone.get_dump()[0].split("]")[0]
    assert booster.get_dump()[0] != booster.get_dump()[1]


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ({"objective": "reg:squarederror"}, "reg:absoluteerror.*got another objective"),
        ({"monotone_constraints": "(1,0,0,0,0)"}, "monotone_constraints"),
        ({"tree_method": "approx"}, "split_criterion=absolute_error: tree_method=approx does not support it"),
        ({"grow_policy": "symmetric"}, "symmetric"),
        ({"extra_trees": True}, "extra_trees"),
        ({"feature_cost": [1.0] * 5}, "feature_cost"),
        ({"split_criterion": "median"}, "absolute_error"),
    ],
)
def test_refusals(extra: dict[str, Any], message: str) -> None:
    features, labels = skewed(100)
    with pytest.raises(kb.ParameterError, match=message):
        kb.train({**PARAMS, **extra}, kb.DMatrix(features, label=labels), 1)


def test_gradients_from_outside_and_categories_are_refused() -> None:
    features, labels = skewed(100)
    data = kb.DMatrix(features, label=labels)
    booster = kb.Booster(PARAMS, [data])
    with pytest.raises(kb.ParameterError, match="custom gradients"):
        booster.boost(data, 0, grad=np.ones(100), hess=np.ones(100))
    typed = kb.DMatrix(np.round(np.abs(features)), label=labels, feature_types=["c", "q", "q", "q", "q"])
    with pytest.raises(kb.ParameterError, match="categorical columns"):
        kb.train(PARAMS, typed, 1)


def share_of_the_real_gain(seed: int) -> float:
    """Return the recorded gain of a root relative to its true gain, on labels with a few very large values."""
    random = np.random.default_rng(seed)
    features = random.normal(size=(1000, 4)).astype(np.float32)
    score = features[:, 1] + 0.5 * features[:, 0] * features[:, 2] + random.normal(size=1000)
    labels = np.exp(2 * score / score.std()).astype(np.float32)
    params = {**PARAMS, "max_depth": 1, "max_bin": 256, "min_child_weight": 1.0, "eta": 1, "lambda": 0}
    root = kb.train(params, kb.DMatrix(features, label=labels), 1).trees_to_dataframe().iloc[0]
    real = gain_of(features, labels.astype(np.float64), int(root.Feature[1:]), np.float32(root.Split))
    return float(root.Gain) / real


def test_recorded_gains_are_real_on_skewed_labels() -> None:
    """Bins of equal counts treated the largest labels as equal: they recorded 2.5 times the true gain of seed 1002.

    Their mean over 20 sets was 1.63. With bins in the tails these sets have a mean of 1.01 and a largest ratio of 1.10,
    20 others 1.03 and 1.31.
    """
    shares = [share_of_the_real_gain(seed) for seed in range(1000, 1020)]
    assert min(shares) > 0.99
    assert np.mean(shares) < 1.05
    assert max(shares) < 1.4
