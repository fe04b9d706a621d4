"""Whole distributions learnt on a cluster have the bytes of one process, and predictions are their parameters."""

from __future__ import annotations

from typing import Any

import dask.array as da
import kauriboost as kb
import numpy as np
import pytest
from kauriboost import dask as kd
from problems import RAGGED, features, spread, target

X = features()
Y = target(X)
LABELS = {
    "normal": Y,
    "negative_binomial": np.round(np.abs(2 * Y)).astype(np.float32),
    "zero_inflated_gamma": np.maximum(Y, 0.0).astype(np.float32),
    "poisson": np.round(np.abs(Y)).astype(np.float32),
}
METRICS = ["nll", "crps"]


def params_of(name: str) -> dict[str, Any]:
    return {"objective": f"dist:{name}", "max_depth": 3, "subsample": 0.7, "seed": 5, "eval_metric": METRICS}


@pytest.mark.parametrize("name", LABELS)
def test_any_workers_give_the_bytes_of_one_process(client: Any, name: str) -> None:
    params, labels = params_of(name), LABELS[name]
    data, history = kb.DMatrix(X, label=labels), {}
    alone = kb.train(params, data, 6, evals=[(data, "train")], evals_result=history, verbose_eval=False)
    for lengths in ((3000,), (1300, 1700), RAGGED):
        rows = kd.DaskDMatrix(client, spread(X, lengths), spread(labels, lengths))
        found = kd.train(client, params, rows, 6, evals=[(rows, "train")], verbose_eval=False)
        assert found["booster"].save_raw() == alone.save_raw()
        assert found["history"] == history


def test_predictions_are_parameters_of_which_blocks_have_quantiles(client: Any) -> None:
    rows = kd.DaskDMatrix(client, spread(X, RAGGED), spread(Y, RAGGED))
    booster = kd.train(client, params_of("normal"), rows, 6, verbose_eval=False)["booster"]
    parameters = kd.predict(client, booster, spread(X, RAGGED))
    whole = kb.distribution_of(booster, kb.DMatrix(X))
    np.testing.assert_array_equal(parameters.compute(), np.stack(list(whole.parameters.values()), axis=1))

    def ends(block: np.ndarray) -> np.ndarray:
        return kb.Distribution("normal", block).interval(0.9)

    found = da.map_blocks(ends, parameters, dtype=np.float64, meta=np.empty((0, 2))).compute()
    np.testing.assert_array_equal(found, whole.interval(0.9))


def test_regressors_refuse_distributions() -> None:
    there = kd.DaskKauriRegressor(objective="dist:normal")
    with pytest.raises(ValueError, match=r"objective dist:normal; .*train\(\) on a cluster"):
        there.fit(da.zeros((10, 2)), da.zeros(10))
