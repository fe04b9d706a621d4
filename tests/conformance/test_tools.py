"""Tools for XGBoost accept Kauri's boosters and estimators, once Kauri is installed as xgboost."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import kauriboost as kb
import pytest

PEERS = Path(__file__).resolve().parents[1] / "peers"
sys.path.insert(0, str(PEERS))

import environments  # noqa: E402

TOOLS = ["shap", "mlflow", "optuna", "onnxmltools", "dtreeviz", "treelite", "skops"]


def test_hummingbird_takes_estimators_of_the_package(tmp_path: Path) -> None:
    python = environments.interpreter("hummingbird")
    if python is None:
        pytest.skip("hummingbird is not there; python tests/peers/environments.py hummingbird makes it, which is large")
    (source,) = python.parents[1].glob("lib/python3*/site-packages/xgboost")
    shutil.copytree(source, tmp_path / "xgboost", ignore=shutil.ignore_patterns("__pycache__", "lib"))
    (tmp_path / "xgboost" / "lib").mkdir()
    (tmp_path / "xgboost" / "lib" / "libxgboost.so").symlink_to(Path(os.environ["KAURI_LIBRARY"]).resolve())
    command = [str(python), str(PEERS / "use_hummingbird.py")]
    found = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, env=found, capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout.endswith("used\n"), done.stderr


@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_takes_ours(tool: str) -> None:
    python = environments.interpreter("tools")
    if python is None:
        pytest.skip("tools is not there; python tests/peers/environments.py tools makes it")
    found = {**os.environ, "PYTHONPATH": str(Path(kb.__path__[0]).parent)}
    command = [str(python), str(PEERS / "use_tools.py"), tool]
    done = subprocess.run(command, env=found, capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout.endswith("used\n"), done.stderr
