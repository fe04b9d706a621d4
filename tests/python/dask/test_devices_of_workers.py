"""Workers with devices: the same bytes as one process on the CPU, also if a worker is killed."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import distributed
import kauriboost as kb
import numpy as np
import pytest
from kauriboost import dask as kd
from kauriboost._dask import train as dask_train
from problems import features, spread, target
from test_losses import Killer

pytestmark = pytest.mark.skipif(not kb.build_info()["USE_CUDA"], reason="no CUDA device")

PARAMS = {"tree_method": "hist", "device": "cuda", "max_depth": 5, "seed": 3}
LENGTHS = (500, 1, 1199, 0, 1300)
ROUNDS = 8
X = features()
Y = target(X)


def devices() -> list[str]:
    """Return names for CUDA_VISIBLE_DEVICES: all devices of this machine."""
    listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=True)
    return [str(number) for number in range(len(listed.stdout.splitlines()))]


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Start two workers that each see one device, the same if there is only one. dask-cuda starts them in this way."""
    names = devices()
    workers = {
        number: {
            "cls": distributed.Nanny,
            "options": {"nthreads": 1, "env": {"CUDA_VISIBLE_DEVICES": names[number % len(names)]}},
        }
        for number in range(2)
    }
    scheduler = {"cls": distributed.Scheduler, "options": {"dashboard_address": ":0"}}
    with distributed.SpecCluster(workers=workers, scheduler=scheduler) as cluster, distributed.Client(cluster) as made:
        yield made


def on_the_cpu(params: dict[str, Any], y: np.ndarray) -> tuple[bytes, Any]:
    """Return the model and evaluations of one process."""
    history: Any = {}
    data = kb.DMatrix(X, label=y)
    params = {**PARAMS, **params, "device": "cpu"}
    booster = kb.train(params, data, ROUNDS, evals=[(data, "train")], evals_result=history, verbose_eval=False)
    return bytes(booster.save_raw()), history


@pytest.mark.parametrize("kind", [kd.DaskDMatrix, kd.DaskQuantileDMatrix])
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"objective": "binary:logistic", "subsample": 0.7},
        {"objective": "reg:absoluteerror", "min_data_in_leaf": 9},
        {"grow_policy": "lossguide", "max_leaves": 30, "eval_metric": ["rmse", "mae"]},
    ],
    ids=str,
)
def test_bytes(client: Any, kind: Any, params: dict[str, Any]) -> None:
    y = (np.nan_to_num(Y) > 0).astype(np.float32) if params.get("objective") == "binary:logistic" else Y
    data = kind(client, spread(X, LENGTHS), spread(y, LENGTHS))
    result = kd.train(client, {**PARAMS, **params}, data, ROUNDS, evals=[(data, "train")], verbose_eval=False)
    assert (bytes(result["booster"].save_raw()), result["history"]) == on_the_cpu(params, y)


def test_estimator(client: Any) -> None:
    model = kd.DaskKauriRegressor(n_estimators=ROUNDS, **PARAMS)
    model.client = client
    model.fit(spread(X, LENGTHS), spread(Y, LENGTHS))
    alone = kb.KauriRegressor(n_estimators=ROUNDS, **{**PARAMS, "device": "cpu"}).fit(X, Y)
    assert bytes(model.get_booster().save_raw()) == bytes(alone.get_booster().save_raw())


@pytest.mark.parametrize("kind", [kd.DaskDMatrix, kd.DaskQuantileDMatrix])
def test_partitions_in_device_memory(client: Any, kind: Any) -> None:
    """With dask-cuda, each worker's blocks are arrays on its device."""
    cupy = pytest.importorskip("cupy")
    data = kind(client, spread(X, LENGTHS).map_blocks(cupy.asarray), spread(Y, LENGTHS).map_blocks(cupy.asarray))
    result = kd.train(client, PARAMS, data, ROUNDS, evals=[(data, "train")], verbose_eval=False)
    assert (bytes(result["booster"].save_raw()), result["history"]) == on_the_cpu({}, Y)
    found = kd.predict(client, result["booster"], spread(X, LENGTHS).map_blocks(cupy.asarray)).compute()
    np.testing.assert_array_equal(cupy.asnumpy(found), result["booster"].predict(kb.DMatrix(X)))


@pytest.mark.parametrize(("when", "after"), [("before_iteration", 0.0), ("before_iteration", 0.01)])
def test_a_lost_worker(client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str, after: float) -> None:
    monkeypatch.setattr(dask_train, "SEGMENT_SECONDS", 0.05)
    client.wait_for_workers(2, timeout=120)
    before = set(client.run(os.getpid).values())
    data = kd.DaskQuantileDMatrix(client, spread(X, LENGTHS), spread(Y, LENGTHS))
    killer = Killer(tmp_path / "killed", when, 4, after)
    begin = time.monotonic()
    result = kd.train(
        client, PARAMS, data, ROUNDS, evals=[(data, "train")], verbose_eval=False, callbacks=[killer], timeout=60
    )
    assert time.monotonic() - begin < 100
    assert (tmp_path / "killed").exists()
    assert (bytes(result["booster"].save_raw()), result["history"]) == on_the_cpu({}, Y)
    client.wait_for_workers(2, timeout=120)
    assert len(before & set(client.run(os.getpid).values())) == 1
