"""Rounds trained at once, one by one, and after a pause are the same; state that a booster keeps."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pytest

QUIET = {"verbose_eval": False}
RANDOM = np.random.default_rng(5)
FEATURES = RANDOM.normal(size=(400, 5)).astype(np.float32)
SIGNAL = (FEATURES[:, 0] + FEATURES[:, 1] * FEATURES[:, 2] + 0.3 * RANDOM.normal(size=400)).astype(np.float32)
GROUPS = np.repeat(np.arange(40), 10)

DRAWING: dict[str, dict[str, Any]] = {
    "rows": {"subsample": 0.5},
    "rows by gradient": {"subsample": 0.5, "sampling_method": "gradient_based"},
    "columns": {"colsample_bytree": 0.6, "colsample_bynode": 0.6, "seed": 3},
    "forest": {"subsample": 0.7, "num_parallel_tree": 2},
    "exact": {"subsample": 0.5, "tree_method": "exact"},
    "dropout": {"booster": "dart", "rate_drop": 0.4, "seed": 2},
    "pairs": {"objective": "rank:pairwise", "lambdarank_pair_method": "mean"},
    "absolute": {"objective": "reg:absoluteerror", "subsample": 0.6},
}


def data_of(params: dict[str, Any]) -> kb.DMatrix:
    ranks = params.get("objective", "").startswith("rank")
    return kb.DMatrix(FEATURES, np.digitize(SIGNAL, [-1, 0, 1]) if ranks else SIGNAL, qid=GROUPS if ranks else None)


def trees_of(booster: kb.Booster) -> list[str]:
    return booster.get_dump(with_stats=True)


@pytest.mark.parametrize("name", DRAWING)
def test_continued_training_draws_as_training_at_once(name: str, tmp_path: Path) -> None:
    params = {"max_depth": 3, **DRAWING[name]}
    data = data_of(params)
    at_once = trees_of(kb.train(params, data, 8, **QUIET))
    half = kb.train(params, data, 4, **QUIET)
    half.save_model(tmp_path / "half.json")
    for start in (half, tmp_path / "half.json", pickle.loads(pickle.dumps(half))):
        assert trees_of(kb.train(params, data, 4, xgb_model=start, **QUIET)) == at_once
    one_by_one = kb.Booster(params, [data])
    for _ in range(8):
        one_by_one.update(data, 0)
    assert trees_of(one_by_one) == at_once


@pytest.mark.parametrize("booster", ["gbtree", "gblinear"])
def test_a_file_without_rounds_leaves_the_intercept_open(booster: str, tmp_path: Path) -> None:
    data = kb.DMatrix(FEATURES, SIGNAL + 7)
    params = {"booster": booster}
    kb.train(params, data, 0).save_model(tmp_path / "empty.json")
    fresh = kb.train(params, data, 3, **QUIET)
    continued = kb.train(params, data, 3, xgb_model=tmp_path / "empty.json", **QUIET)
    np.testing.assert_array_equal(continued.predict(data), fresh.predict(data))
    given = {**params, "base_score": 1.0}
    kb.train(given, data, 0).save_model(tmp_path / "given.json")
    kept = kb.train(params, data, 3, xgb_model=tmp_path / "given.json", **QUIET)
    np.testing.assert_array_equal(kept.predict(data), kb.train(given, data, 3, **QUIET).predict(data))


def names_in(line: str) -> list[str]:
    return [part.split(":")[0].removeprefix("eval-") for part in line.split("\t")[1:]]


def test_metrics_that_are_set_before_training_replace_it() -> None:
    data = kb.DMatrix(FEATURES, SIGNAL)
    booster = kb.Booster({}, [data])
    booster.set_param("eval_metric", "mae")
    booster.update(data, 0)
    assert names_in(booster.eval(data)) == ["mae"]
    loaded = kb.Booster(model_file=bytes(kb.train({}, data, 1).save_raw()))
    loaded.set_param("eval_metric", "mae")
    assert names_in(loaded.eval(data)) == ["mae"]
    silent = kb.train({"disable_default_eval_metric": True}, data, 1)
    silent.set_param("eval_metric", "mae")
    assert names_in(silent.eval(data)) == ["mae"]


def _towards(target: float) -> Any:
    return lambda margins, _: (margins - target, np.ones_like(margins))


def test_num_target_is_the_width_of_a_model_of_ones_own_gradients() -> None:
    data = kb.DMatrix(FEATURES, SIGNAL)
    booster = kb.train({"num_target": 3}, data, 2, obj=_towards(2.0))
    assert booster.predict(data).shape == (400, 3)
    both = kb.DMatrix(FEATURES, np.stack([SIGNAL, -SIGNAL], axis=1))
    for params in ({}, {"num_target": 1}, {"num_target": 2}):
        assert kb.train(params, both, 1, obj=_towards(2.0)).predict(both).shape == (400, 2)
        assert kb.train(params, both, 1).predict(both).shape == (400, 2)


@pytest.mark.parametrize(("columns", "own"), [(2, True), (2, False), (1, False)])
def test_num_target_that_the_labels_contradict(columns: int, own: bool) -> None:
    data = kb.DMatrix(FEATURES, np.stack([SIGNAL] * columns, axis=1))
    with pytest.raises(kb.ParameterError, match=r"Inconsistent configuration of the `num_target`.* 3"):
        kb.train({"num_target": 3}, data, 1, obj=_towards(0.0) if own else None)


def test_the_area_under_the_curve_of_several_labels_is_their_mean() -> None:
    labels = (FEATURES[:, :3] > 0).astype(np.float32)
    weights = RANDOM.uniform(0.2, 2, 400)
    params = {"objective": "binary:logistic", "max_depth": 1, "eval_metric": ["auc", "aucpr"]}
    data = kb.DMatrix(FEATURES, labels, weight=weights)
    booster = kb.train(params, data, 2)
    predicted = booster.predict(data)
    names, values = zip(*(part.split(":") for part in booster.eval(data).split("\t")[1:]), strict=True)
    assert names == ("eval-auc", "eval-aucpr")
    for name, value in zip(("auc", "aucpr"), values, strict=True):
        single = [_area(name, labels[:, k], predicted[:, k], weights) for k in range(3)]
        assert 0.5 < float(value) < 1.0
        assert float(value) == pytest.approx(np.mean(single), rel=1e-9)
    labels[:, 1] = 0
    assert "eval-auc:nan" in booster.eval(kb.DMatrix(FEATURES, labels))


def _area(name: str, label: np.ndarray, predicted: np.ndarray, weight: np.ndarray) -> float:
    """Return the metric of one column, as given by a booster without rounds that starts from these margins."""
    data = kb.DMatrix(FEATURES, label, weight=weight, base_margin=np.log(predicted / (1 - predicted)))
    params = {"objective": "binary:logistic", "eval_metric": name, "eta": 0.0}
    return float(kb.train(params, data, 1).eval(data).rsplit(":", 1)[1])


def test_names_of_another_number_are_an_error_where_they_are_set() -> None:
    data = kb.DMatrix(FEATURES, SIGNAL)
    booster = kb.train({}, data, 1)
    before = booster.get_dump()
    for names in (["a"], list("abcdefgh")):
        with pytest.raises(kb.ParameterError, match=rf"Incorrect number of feature names: {len(names)} .* 5 features"):
            booster.feature_names = names
        assert booster.feature_names is None
        assert booster.get_dump() == before
    booster.feature_names = list("abcde")
    assert booster.get_dump() != before
    booster.feature_names = None
    assert booster.get_dump() == before
