"""Symmetric trees over all classes with random thresholds: structure and compatible options."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import numpy as np
import pytest

QUIET = {"verbose_eval": False}
PARAMS: dict[str, Any] = {
    "objective": "multi:softprob",
    "num_class": 4,
    "multi_strategy": "multi_output_tree",
    "grow_policy": "symmetric",
    "extra_trees": 1,
    "max_depth": 5,
    "nthread": 2,
}


def _problem(n_rows: int = 1500) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n_rows, 6)).astype(np.float32)
    y = np.digitize(X[:, 0] + X[:, 1] * X[:, 2], [-1, 0, 1])
    X[rng.random(X.shape) < 0.1] = np.nan
    X[:, 4] = rng.normal(size=n_rows)
    X[:, 5] = rng.integers(0, 7, size=n_rows)
    return X, y.astype(np.float32)


def _data(X: np.ndarray, y: np.ndarray, **more: Any) -> kb.DMatrix:
    return kb.DMatrix(X, label=y, feature_types=["q"] * 5 + ["c"], enable_categorical=True, **more)


def test_every_tree_asks_one_question_a_level_and_learns() -> None:
    data = _data(*_problem())
    found: dict[str, dict[str, list[float]]] = {}
    model = kb.train(PARAMS, data, 60, evals=[(data, "train")], evals_result=found, **QUIET)
    losses = found["train"]["mlogloss"]
    assert losses[-1] < 0.6 * losses[0]
    frame = model.trees_to_dataframe()
    splits = frame[frame["Feature"] != "Leaf"]
    for _, of_tree in splits.groupby("Tree"):
        asked = {
            (row.Feature, str(row.Split), str(row.Category), row.Missing == row.Yes) for row in of_tree.itertuples()
        }
        assert len(asked) <= 5
    assert {"f4", "f5"} <= set(splits["Feature"])  # for every layout of a column


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_and_seeds(threads: int) -> None:
    data = _data(*_problem())
    first = kb.train(PARAMS, data, 8, **QUIET).save_raw("ubj")
    again = kb.train({**PARAMS, "nthread": threads}, data, 8, **QUIET)
    assert again.save_raw("ubj") == first
    assert kb.train({**PARAMS, "seed": 1}, data, 8, **QUIET).save_raw("ubj") != first


def test_a_model_is_the_same_read_again_and_goes_on() -> None:
    data = _data(*_problem())
    whole = kb.train(PARAMS, data, 10, **QUIET)
    half = kb.train(PARAMS, data, 5, **QUIET)
    again = kb.train(PARAMS, data, 5, xgb_model=kb.Booster(model_file=half.save_raw("json")), **QUIET)
    assert again.save_raw("json") == whole.save_raw("json")
    contributions = whole.predict(data, pred_contribs=True)
    margins = whole.predict(data, output_margin=True)
    np.testing.assert_allclose(contributions.sum(axis=2), margins, atol=1e-4)


def test_goes_with_samples_weights_noise_and_limits() -> None:
    X, y = _problem()
    data = _data(X, y, weight=np.arange(len(y)) % 3)
    for more in (
        {"subsample": 0.7, "colsample_bynode": 0.6},
        {"random_strength": 2},
        {"min_data_in_leaf": 40, "max_leaves": 9},
        {"interaction_constraints": "[[0, 1], [2, 3]]"},
        {"path_smooth": 3},
        {"feature_cost": "(1e6,0,0,0,0,1e6)"},
    ):
        plain = kb.train(PARAMS, data, 4, **QUIET)
        changed = kb.train({**PARAMS, **more}, data, 4, **QUIET)
        assert changed.save_raw("json") != plain.save_raw("json"), more
        assert np.isfinite(changed.predict(data)).all()


def test_one_output_is_refused_and_the_booster_stays_as_it_was() -> None:
    X, y = _problem(200)
    data = kb.DMatrix(X, label=y)
    model = kb.Booster({"multi_strategy": "multi_output_tree"}, [data])
    model.update(data, 0)
    before = model.save_raw("json")
    model.set_param({"grow_policy": "symmetric", "extra_trees": 1})
    with pytest.raises(kb.ParameterError, match="one output"):
        model.update(data, 1)
    assert model.save_raw("json") == before
    model.set_param({"extra_trees": 0})
    with pytest.raises(kb.ParameterError, match="set extra_trees=1"):
        model.update(data, 1)
    assert model.save_raw("json") == before
    model.set_param({"grow_policy": "depthwise"})
    model.update(data, 1)
    assert model.num_boosted_rounds() == 2
