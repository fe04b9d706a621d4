"""Errors of `device="cuda"` if a part is missing. Each case has its own process, which looks for the plug-in once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

BUILD = Path(os.environ["KAURI_LIBRARY"]).resolve().parents[1]
FAKE_PLUGIN = BUILD / "fake_plugin" / "libkauri_cuda.so"
PROGRAM = """
import json, sys
import numpy, kauriboost as kb
train = kb.DMatrix(numpy.arange(4.0).reshape(4, 1), label=[0, 1, 0, 1])
try:
    more = dict(pair.split("=") for pair in sys.argv[2:])
    booster = kb.train({"device": sys.argv[1], "tree_method": "exact", **more}, train, num_boost_round=1)
    print(json.dumps(["none", str(len(booster.predict(train))), kb.build_info()]))
except kb.KauriError as error:
    print(json.dumps([type(error).__name__, str(error), kb.build_info()]))
"""


def ask(device: str, plugin: Path, kind: str = "", *more: str) -> tuple[str, str, dict]:
    """Train and predict there, with more `name=value`; return the exception's name and text, and build_info."""
    folders = [str(Path(__file__).resolve().parents[3] / "python-package"), os.environ.get("PYTHONPATH", "")]
    environment = {"KAURI_PLUGIN_PATH": str(plugin), "FAKE_PLUGIN": kind, "PYTHONPATH": os.pathsep.join(folders)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, device, *more],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return tuple(json.loads(done.stdout))


needs_fake = pytest.mark.skipif(not FAKE_PLUGIN.exists(), reason="the C++ tests are not built")


@needs_fake
@pytest.mark.parametrize(
    ("device", "kind", "text"),
    [
        ("cuda", "other version", "is of version 99.1.2"),
        ("cuda", "no device", "the fake driver sees no device. Invent one."),
        ("cuda:7", "one device", "device=cuda:7: there is no such device; the only one is cuda:0."),
        ("cuda:0,7", "one device", "device=cuda:7: there is no such device; the only one is cuda:0."),
    ],
)
def test_a_plugin_that_does_not_help(device: str, kind: str, text: str) -> None:
    name, message, info = ask(device, FAKE_PLUGIN, kind)
    assert name == "DeviceError"
    assert text in message
    assert message.count("device=cpu") == 1
    assert info["CUDA_PLUGIN"] == str(FAKE_PLUGIN)
    assert info["USE_CUDA"] == (kind == "one device")


@needs_fake
def test_too_little_memory() -> None:
    name, message, _ = ask("cuda", FAKE_PLUGIN, "little memory")
    assert name == "OutOfMemoryError"
    assert message == "cuda:0 has too little memory for a test: 2 bytes are needed, 1 is free."


def test_no_plugin(tmp_path: Path) -> None:
    name, message, info = ask("cuda", tmp_path)
    assert name == "DeviceError"
    assert f"the CUDA plug-in is missing: no file '{tmp_path}/libkauri_cuda.so'." in message
    assert info["CUDA_PROBLEM"] in message
    assert info["CUDA_DEVICES"] == []


@needs_fake
def test_the_predictor_of_a_device_for_the_cpu() -> None:
    assert ask("cpu", FAKE_PLUGIN, "one device", "predictor=gpu_predictor")[:2] == ("none", "4")
    name, message, _ = ask("cpu", FAKE_PLUGIN, "no device", "predictor=gpu_predictor")
    assert name == "DeviceError"
    assert message.endswith("the fake driver sees no device. Invent one. Or use predictor=cpu_predictor.")


@needs_fake
def test_predictors_are_named_in_the_error() -> None:
    name, message, _ = ask("cpu", FAKE_PLUGIN, "one device", "predictor=gpu_predicter")
    assert name == "ParameterError"
    assert "did you mean 'gpu_predictor'?" in message
    assert "cpu_predictor, linear_predictor, gpu_predictor" in message


@needs_fake
def test_what_another_method_has() -> None:
    name, message, _ = ask("cuda", FAKE_PLUGIN, "little memory", "grow_policy=symmetric")
    assert name == "ParameterError"
    assert "grow_policy=symmetric: tree_method=gpu_exact makes no symmetric trees; set" in message
    assert "tree_method=hist" in message
