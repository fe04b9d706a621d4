"""absolute_error_sketch=moments: split errors estimated from moments, with a few of them computed exactly."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import numpy as np
import pytest

BINS: dict[str, Any] = {
    "objective": "reg:absoluteerror",
    "tree_method": "hist",
    "split_criterion": "absolute_error",
    "max_depth": 4,
    "max_bin": 32,
    "min_child_weight": 0.0,
}
MOMENTS: dict[str, Any] = {**BINS, "absolute_error_sketch": "moments"}


def skewed(rows: int = 1500, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return columns of 32 values, each with its own bin, and labels with a long tail."""
    random = np.random.default_rng(seed)
    features = random.integers(0, 32, size=(rows, 4)).astype(np.float32)
    score = features[:, 0] / 10 + np.sin(features[:, 1] / 5) + 0.3 * random.standard_normal(rows)
    return features, np.exp(1.5 * score).astype(np.float32)


def gain_of(features: np.ndarray, labels: np.ndarray, column: int, threshold: float) -> float:
    left = features[:, column] < threshold
    parts = ((1, labels), (-1, labels[left]), (-1, labels[~left]))
    return sum(sign * np.abs(part - np.median(part)).sum() for sign, part in parts if len(part) > 0)


def test_the_first_split_is_near_the_best_and_its_gain_exact() -> None:
    features, labels = skewed()
    best = max(gain_of(features, labels, column, value) for column in range(4) for value in range(1, 32))
    start = float(np.median(labels))
    booster = kb.train({**MOMENTS, "max_depth": 1, "base_score": start}, kb.DMatrix(features, label=labels), 1)
    root = booster.trees_to_dataframe().iloc[0]
    chosen = gain_of(features, labels, int(root.Feature[1:]), float(root.Split))
    assert chosen > 0.9 * best
    assert root.Gain == pytest.approx(chosen, rel=1e-3)


def test_threads_do_not_matter() -> None:
    features, labels = skewed()
    features[::7, 1] = np.nan
    weights = np.random.default_rng(1).random(len(labels)).astype(np.float32)
    data = kb.DMatrix(features, label=labels, weight=weights)
    more = {"subsample": 0.7, "colsample_bynode": 0.8, "num_parallel_tree": 2, "seed": 5}
    raw = [bytes(kb.train({**MOMENTS, **more, "nthread": n}, data, 3).save_raw("ubj")) for n in (1, 3)]
    assert raw[0] == raw[1]


def test_bins_are_the_default() -> None:
    features, labels = skewed()
    data = kb.DMatrix(features, label=labels)
    plain, named, moments = (
        kb.train(params, data, 3).get_dump() for params in (BINS, {**BINS, "absolute_error_sketch": "bins"}, MOMENTS)
    )
    assert plain == named
    assert plain != moments


def test_boosting_is_about_as_good_as_with_bins() -> None:
    features, labels = skewed()
    test_features, test_labels = skewed(seed=9)
    errors = []
    for params in (BINS, MOMENTS):
        booster = kb.train(params, kb.DMatrix(features, label=labels), 25)
        errors.append(np.abs(booster.predict(kb.DMatrix(test_features)) - test_labels).mean())
    assert errors[1] < 1.1 * errors[0]
    assert errors[1] < 0.6 * np.abs(test_labels - np.median(labels)).mean()


def test_quantiles_and_limits_of_growth() -> None:
    features, labels = skewed()
    params = {**MOMENTS, "objective": "reg:quantileerror", "quantile_alpha": 0.9, "min_data_in_leaf": 40, "gamma": 5.0}
    data = kb.DMatrix(features, label=labels)
    frame = kb.train(params, data, 2).trees_to_dataframe()
    assert frame[frame.Feature != "Leaf"].Gain.min() >= 5.0
    _, counts = np.unique(kb.train(params, data, 1).predict(data, pred_leaf=True), return_counts=True)
    assert len(counts) > 1
    assert counts.min() >= 40


def test_training_goes_on_with_another_sketch_and_from_a_file() -> None:
    features, labels = skewed(800)
    data = kb.DMatrix(features, label=labels)
    booster = kb.train(MOMENTS, data, 2)
    from_file = kb.train(BINS, data, 2, xgb_model=kb.Booster(model_file=booster.save_raw("ubj")))
    booster.set_param({"absolute_error_sketch": "bins"})
    booster.update(data, 2)
    booster.update(data, 3)
    assert booster.get_dump() == from_file.get_dump()


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ({"split_criterion": "gradient"}, "absolute_error_sketch=moments.*set split_criterion=absolute_error"),
        ({"objective": "reg:squarederror"}, "reg:absoluteerror.*got another objective"),
        ({"tree_method": "exact"}, "tree_method=exact has no bins; set tree_method=hist"),
        ({"tree_method": "exact", "split_criterion": "gradient"}, "absolute_error_sketch=moments"),
        ({"monotone_constraints": "(1,0,0,0)"}, "monotone_constraints"),
        ({"absolute_error_sketch": "kll"}, "moments"),
    ],
)
def test_refusals_leave_the_model_as_it_was(extra: dict[str, Any], message: str) -> None:
    features, labels = skewed(100)
    data = kb.DMatrix(features, label=labels)
    booster = kb.Booster(MOMENTS, [data])
    booster.update(data, 0)
    before = bytes(booster.save_raw("ubj"))

    def go_on() -> None:
        booster.set_param(extra)
        booster.update(data, 1)

    with pytest.raises(kb.ParameterError, match=message):
        go_on()
    booster.set_param({**MOMENTS, "monotone_constraints": "()"})
    assert bytes(booster.save_raw("ubj")) == before
