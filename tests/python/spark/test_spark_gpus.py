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
from kauriboost._spark.gpus import device_of_task, uses_gpus  # noqa: E402
from spark_problems import NUMBERS, in_pieces, rows  # noqa: E402
from test_spark_faults import HERE, LONG  # noqa: E402


def given(*addresses: str) -> dict[str, Any]:
    return {"gpu": SimpleNamespace(name="gpu", addresses=list(addresses))}


@pytest.mark.parametrize(
    ("visible", "address", "device"),
    [
        (None, "3", "cuda:3"),
        ("1,3", "3", "cuda:1"),
        ("5, 3", "3", "cuda:1"),
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


@pytest.mark.parametrize(("visible", "address"), [(None, "MIG-1"), ("1,2", "0"), ("", "0"), ("5,6", "1")])
def test_an_address_that_names_no_visible_gpu_is_refused(
    visible: str | None, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if visible is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    with pytest.raises(kb.ParameterError, match=f"GPU is '{address}', and CUDA_VISIBLE_DEVICES.*discoveryScript"):
        device_of_task(given(address), 0)


def test_the_parameter_names_no_single_gpu() -> None:
    assert [uses_gpus(device) for device in (None, "cpu", "cuda", "gpu")] == [False, False, True, True]
    for device in ("cuda:1", "gpu:0"):
        with pytest.raises(kb.ParameterError, match=rf"device is '{device}', and Spark chooses.*set device=\"cuda\""):
            ks.KauriRegressor(device=device).local()
    for device in ("CPU", "CUDA", " cuda", "cuda ", "sycl", "", "cpu:0", True, 0):
        with pytest.raises(kb.ParameterError, match="device is "):
            ks.KauriRegressor(device=device).local()
    with pytest.raises(kb.ParameterError, match="arbitrary_params_dict has device, which is a parameter by itself"):
        ks.KauriRegressor(arbitrary_params_dict={"device": "cuda"}).local()
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


def lines_of_program(*arguments: str) -> list[str]:
    """Return what the program of a session with two GPUs prints."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parents[2] / "python-package")])}
    environment.pop("SPARK_HOME", None)  # of the session of the other tests
    environment.pop("CUDA_VISIBLE_DEVICES", None)
    program = [sys.executable, str(HERE / "gpus_program.py"), *arguments]
    done = subprocess.run(program, capture_output=True, text=True, env=environment, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()


@pytest.mark.parametrize("amount", ["0.25", pytest.param("1", marks=LONG), pytest.param("2", marks=LONG)])
def test_each_worker_has_a_gpu_of_its_own(amount: str) -> None:
    lines = lines_of_program(amount, "4", "7")
    assert lines[:2] == ["devices cuda:4 cuda:7", "workers 2"]
    assert lines[2].startswith("DeviceError device=cuda"), lines


@LONG
def test_a_worker_whose_gpu_has_no_number_ends_the_training_in_words() -> None:
    assert "ParameterError the address of a worker's GPU is 'MIG-" in lines_of_program("1", "MIG-1", "MIG-2")[1]
