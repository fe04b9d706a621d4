"""Workers on GPUs: each gets the one that Spark's resources give it, and predictions need none."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import kauriboost as kb
import pytest

ks = pytest.importorskip("kauriboost.spark")
from conftest import HERE, PATH  # noqa: E402
from kauriboost._spark.gpus import device_of_task, uses_gpus  # noqa: E402
from spark_problems import NUMBERS, in_pieces, rows  # noqa: E402
from test_spark_faults import LONG  # noqa: E402


def given(*addresses: str) -> dict[str, Any]:
    return {"gpu": SimpleNamespace(name="gpu", addresses=list(addresses))}


@pytest.mark.parametrize(
    ("visible", "address", "device"),
    [
        (None, "3", "cuda:3"),
        ("1,3", "3", "cuda:1"),
        ("5, 3", "3", "cuda:1"),
        ("5,6", "1", "cuda:1"),
        ("GPU-a,GPU-b", "GPU-b", "cuda:1"),
    ],
)
def test_the_device_of_a_task(visible: str | None, address: str, device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if visible is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert device_of_task(given(address, "9"), 0) == device


def test_in_the_local_mode_workers_have_the_gpu_of_their_number() -> None:
    assert [device_of_task({}, rank) for rank in range(2)] == ["cuda:0", "cuda:1"]


def test_an_address_that_is_no_number_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    with pytest.raises(kb.ParameterError, match=r"address of a worker's GPU is 'MIG-1'.*discoveryScript"):
        device_of_task(given("MIG-1"), 0)


def test_the_parameter_names_no_single_gpu() -> None:
    assert [uses_gpus(device) for device in (None, "cpu", "cuda", "gpu")] == [False, False, True, True]
    with pytest.raises(kb.ParameterError, match=r"device is 'cuda:1', and Spark chooses.*set device=\"cuda\""):
        ks.KauriRegressor(device="cuda:1").local()
    with pytest.raises(kb.ParameterError, match=r"takes no use_gpu: set device=\"cuda\""):
        ks.KauriRegressor(use_gpu=True)


def test_a_session_without_gpus_is_named(session: Any) -> None:
    frame = in_pieces(session, rows(200), [200])
    with pytest.raises(kb.ParameterError, match=r"executors have 0 GPUs.*spark.task.resource.gpu.amount of 1"):
        ks.KauriRegressor(features_col=NUMBERS, label_col="score", device="cuda").fit(frame)


def test_a_model_for_gpus_predicts_without_one(session: Any) -> None:
    frame = in_pieces(session, rows(200), [150, 50])
    model = ks.KauriRegressor(features_col=NUMBERS, label_col="score", n_estimators=3).fit(frame)
    alone = [row["prediction"] for row in model.transform(frame).collect()]
    assert [row["prediction"] for row in model.setParams(device="cuda").transform(frame).collect()] == alone


@pytest.mark.parametrize("amount", ["0.25", pytest.param("1", marks=LONG)])
def test_each_worker_has_a_gpu_of_its_own(amount: str) -> None:
    environment = {**os.environ, "PYTHONPATH": PATH}
    environment.pop("SPARK_HOME", None)  # of the session of the other tests
    environment.pop("CUDA_VISIBLE_DEVICES", None)
    done = subprocess.run(
        [sys.executable, str(HERE / "gpus_program.py"), amount],
        capture_output=True,
        text=True,
        env=environment,
        timeout=300,
        check=False,
    )
    lines = done.stdout.splitlines()
    assert lines[:2] == ["devices cuda:4 cuda:7", "workers 2"], done.stderr[-2000:]
    assert lines[2].startswith("DeviceError device=cuda"), lines
