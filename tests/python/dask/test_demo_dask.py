"""The demo of "From one machine to many" works as its page states; tests/site runs the page's code blocks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
DATA = Path(os.environ.get("KAURI_DATA", ROOT.parent / "shared" / "data"))
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "python-package")}


def demo(**environment: str) -> str:
    command = [sys.executable, str(ROOT / "demo" / "dask" / "flights.py"), "california"]
    variables = {**ENVIRONMENT, **environment}
    return subprocess.run(
        command, capture_output=True, text=True, check=True, env=variables, timeout=300, cwd=ROOT
    ).stdout


def test_the_demo(tmp_path: Path) -> None:
    assert "there are no real data sets at" in demo(KAURI_DATA=str(tmp_path))
    if not (DATA / "load.py").is_file():
        pytest.skip(f"no real data sets at {DATA}")
    out = demo(KAURI_DATA=str(DATA))
    assert out.count("the same bytes: True") == 2
