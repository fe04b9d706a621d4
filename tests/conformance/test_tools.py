"""Tools that know XGBoost take Kauri's boosters and estimators, once these stand in for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import kauriboost as kb
import pytest

PEERS = Path(__file__).resolve().parents[1] / "peers"
sys.path.insert(0, str(PEERS))

import environments  # noqa: E402

TOOLS = ["shap", "mlflow", "optuna", "onnxmltools", "dtreeviz", "treelite", "skops"]


@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_takes_ours(tool: str) -> None:
    python = environments.interpreter("tools")
    if python is None:
        pytest.skip("tools is not there; python tests/peers/environments.py tools makes it")
    found = {**os.environ, "PYTHONPATH": str(Path(kb.__path__[0]).parent)}
    command = [str(python), str(PEERS / "use_tools.py"), tool]
    done = subprocess.run(command, env=found, capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout.endswith("used\n"), done.stderr
