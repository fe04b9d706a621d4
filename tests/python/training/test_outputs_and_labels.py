"""Metrics, averages and models without rounds know the number and meaning of their outputs."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from kauriboost._binding.calls import call_handle, handles_in
from kauriboost._binding.library import LIB

RNG = np.random.default_rng(3)
ROWS = RNG.normal(size=(400, 4)).astype(np.float32)
LABELS = (RNG.random((400, 3)) < 0.5).astype(np.float32)
METRICS = ["rmse", "mae", "logloss", "error", "auc", "aucpr", "merror", "mlogloss", "ndcg", "map", "pre@1", "ams@0.15"]
METRICS += [
    "cox-nloglik",
    "aft-nloglik",
    "quantile",
    "expectile",
    "rmsle",
    "mphe",
    "huber",
    "fair",
    "focal",
    "auc_mu",
    "r2",
]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("n_threads", [1, 3])
def test_more_label_columns_than_outputs_are_refused(metric: str, n_threads: int) -> None:
    """auc and aucpr once read beyond the predictions."""
    model = kb.train({"max_depth": 2}, kb.DMatrix(ROWS, LABELS[:, 0]), 2)
    model.set_param({"eval_metric": metric, "nthread": n_threads, "quantile_alpha": 0.5, "expectile_alpha": 0.5})
    with pytest.raises(kb.KauriError, match=metric):
        model.eval_set([(kb.DMatrix(ROWS, LABELS), "e")])


@pytest.mark.parametrize("metric", ["auc", "aucpr"])
def test_a_label_column_for_each_output_is_taken(metric: str) -> None:
    model = kb.train({"max_depth": 2, "objective": "binary:logistic"}, kb.DMatrix(ROWS, LABELS), 2)
    model.set_param("eval_metric", metric)
    assert 0.5 < float(model.eval_set([(kb.DMatrix(ROWS, LABELS), "e")]).split(":")[-1]) <= 1.0


def mean_of(boosters: list[kb.Booster]) -> kb.Booster:
    mean = kb.Booster.__new__(kb.Booster)
    mean.handle = call_handle(LIB.KauriBoosterAverage, handles_in([one.handle for one in boosters]), len(boosters))
    return mean


def test_means_go_by_the_objective_that_was_set_last() -> None:
    """The same base score is another margin for another objective, so such boosters cannot be averaged."""
    data = kb.DMatrix(ROWS, LABELS[:, 0] + 0.5)
    params = {"objective": "count:poisson", "base_score": 0.5, "max_depth": 2}
    boosters = [kb.train({**params, "seed": seed}, data, 2) for seed in (1, 2)]
    expected = np.mean([one.predict(data, output_margin=True) for one in boosters], axis=0)
    np.testing.assert_allclose(mean_of(boosters).predict(data, output_margin=True), expected, rtol=1e-5)
    boosters[1].set_param("objective", "reg:absoluteerror")
    with pytest.raises(kb.ParameterError, match="not the same objective"):
        mean_of(boosters)
    boosters[0].set_param("objective", "reg:absoluteerror")
    expected = np.mean([one.predict(data, output_margin=True) for one in boosters], axis=0)
    np.testing.assert_allclose(mean_of(boosters).predict(data, output_margin=True), expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("params", "n_outputs"),
    [
        ({"objective": "reg:quantileerror", "quantile_alpha": [0.1, 0.5, 0.9]}, 3),
        ({"objective": "reg:expectileerror", "expectile_alpha": [0.1, 0.9]}, 2),
        ({"objective": "multi:softprob", "num_class": 4}, 4),
        ({"num_target": 2}, 2),
        ({}, 1),
    ],
)
def test_a_booster_without_rounds_has_the_outputs_of_its_parameters(params: dict[str, Any], n_outputs: int) -> None:
    data = kb.DMatrix(ROWS)
    booster = kb.Booster(params, [data])
    for training in (False, True):
        margins = booster.predict(data, output_margin=True, strict_shape=True, training=training)
        assert margins.shape == (len(ROWS), n_outputs)
