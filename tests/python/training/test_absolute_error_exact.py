"""split_criterion=absolute_error with tree_method=exact: every boundary between two values is a candidate."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from test_absolute_error_splits import gain_of

PARAMS: dict[str, Any] = {
    "objective": "reg:absoluteerror",
    "tree_method": "exact",
    "split_criterion": "absolute_error",
    "max_depth": 4,
    "min_child_weight": 0.0,
}


def skewed(rows: int = 1500, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    features = random.standard_normal((rows, 4)).astype(np.float32)
    score = features[:, 0] + np.sin(2 * features[:, 1]) + 0.3 * random.standard_normal(rows)
    return features, np.exp(1.5 * score).astype(np.float32)


def test_the_first_split_reduces_errors_as_the_best_of_all_boundaries() -> None:
    for seed in range(3):
        features, labels = skewed(500, seed)
        best = max(gain_of(features, labels, column, value) for column in range(4) for value in features[:, column])
        params = {**PARAMS, "max_depth": 1, "base_score": float(np.median(labels))}
        root = kb.train(params, kb.DMatrix(features, label=labels), 1).trees_to_dataframe().iloc[0]
        assert gain_of(features, labels, int(root.Feature[1:]), float(root.Split)) >= 0.99 * best


def test_threads_and_columns_of_few_values() -> None:
    features, labels = skewed()
    features[:, 2] = np.round(features[:, 2])
    features[::7, 1] = np.nan
    features[::5, 2] = np.nan
    weights = np.random.default_rng(1).random(len(labels)).astype(np.float32)
    data = kb.DMatrix(features, label=labels, weight=weights)
    more = {"subsample": 0.7, "colsample_bynode": 0.8, "num_parallel_tree": 2, "seed": 5}
    raw = [bytes(kb.train({**PARAMS, **more, "nthread": n}, data, 5).save_raw("ubj")) for n in (1, 2, 3, 4)]
    assert raw[1:] == raw[:1] * 3


def test_boosting_lowers_the_error_on_new_rows() -> None:
    features, labels = skewed(3000)
    test_features, test_labels = skewed(3000, seed=9)
    errors = {}
    for criterion in ("gradient", "absolute_error"):
        params = {**PARAMS, "split_criterion": criterion, "min_child_weight": 1.0}
        booster = kb.train(params, kb.DMatrix(features, label=labels), 40)
        errors[criterion] = np.abs(booster.predict(kb.DMatrix(test_features)) - test_labels).mean()
    assert errors["absolute_error"] < 0.6 * np.abs(test_labels - np.median(labels)).mean()
    assert errors["absolute_error"] < 1.1 * errors["gradient"]


def test_quantiles_and_limits_of_growth() -> None:
    features, labels = skewed()
    params = {**PARAMS, "objective": "reg:quantileerror", "quantile_alpha": 0.9, "min_data_in_leaf": 40, "gamma": 5.0}
    data = kb.DMatrix(features, label=labels)
    frame = kb.train(params, data, 2).trees_to_dataframe()
    assert frame[frame.Feature != "Leaf"].Gain.min() >= 5.0
    _, counts = np.unique(kb.train(params, data, 1).predict(data, pred_leaf=True), return_counts=True)
    assert len(counts) > 1
    assert counts.min() >= 40


def test_training_goes_on_with_another_criterion_and_from_a_file() -> None:
    features, labels = skewed(800)
    features[:, 3] = np.round(features[:, 3])  # a column that gradient-based searches sum by value
    data = kb.DMatrix(features, label=labels)
    by_gradient = {**PARAMS, "split_criterion": "gradient"}
    booster = kb.train(PARAMS, data, 2)
    from_file = kb.train(by_gradient, data, 2, xgb_model=kb.Booster(model_file=booster.save_raw("ubj")))
    again = kb.train(PARAMS, data, 2, xgb_model=kb.Booster(model_file=from_file.save_raw("ubj")))
    booster.set_param({"split_criterion": "gradient"})
    booster.update(data, 2)
    booster.update(data, 3)
    assert booster.get_dump() == from_file.get_dump()
    booster.set_param({"split_criterion": "absolute_error"})
    booster.update(data, 4)
    booster.update(data, 5)
    assert booster.get_dump() == again.get_dump()


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ({"absolute_error_sketch": "moments"}, "absolute_error_sketch=moments.*tree_method=exact has no bins"),
        ({"objective": "reg:squarederror"}, "reg:absoluteerror.*got another objective"),
        ({"monotone_constraints": "(1,0,0,0)"}, "monotone_constraints"),
        ({"extra_trees": True}, "extra_trees"),
        ({"random_strength": 1.0}, "random_strength"),
        ({"feature_cost": [1.0] * 4}, "feature_cost"),
        (
            {"tree_method": "approx"},
            "split_criterion=absolute_error: tree_method=approx does not support it.*tree_method=exact",
        ),
    ],
)
def test_refusals_leave_the_model_as_it_was(extra: dict[str, Any], message: str) -> None:
    features, labels = skewed(100)
    data = kb.DMatrix(features, label=labels)
    booster = kb.Booster(PARAMS, [data])
    booster.update(data, 0)
    before = bytes(booster.save_raw("ubj"))
    booster.set_param(extra)
    with pytest.raises(kb.ParameterError, match=message):
        booster.update(data, 1)
    assert booster.num_boosted_rounds() == 1
    unlike = kb.Booster(PARAMS, [data])
    unlike.update(data, 0)
    assert bytes(unlike.save_raw("ubj")) == before


def test_categories_and_gradients_from_outside_are_refused() -> None:
    features, labels = skewed(100)
    booster = kb.Booster(PARAMS, [kb.DMatrix(features, label=labels)])
    with pytest.raises(kb.ParameterError, match="custom gradients"):
        booster.boost(kb.DMatrix(features, label=labels), 0, grad=np.ones(100), hess=np.ones(100))
    typed = kb.DMatrix(np.round(np.abs(features)), label=labels, feature_types=["c", "q", "q", "q"])
    with pytest.raises(kb.ParameterError, match="categorical columns"):
        kb.train(PARAMS, typed, 1)
