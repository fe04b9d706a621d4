"""The demo of Spark works as its head says; tests/site runs the blocks of the guide's page."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyspark")
from spark_problems import spark_home
from test_spark_faults import LONG

ROOT = Path(__file__).resolve().parents[3]
DATA = Path(os.environ.get("KAURI_DATA", ROOT.parent / "shared" / "data"))


def demo(**environment: str) -> str:
    command = [sys.executable, str(ROOT / "demo" / "spark" / "california.py"), "boston"]
    variables = {**os.environ, "PYTHONPATH": str(ROOT / "python-package"), **environment}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=variables, timeout=600, cwd=ROOT)
    return done.stdout


def test_a_folder_without_data_is_named(tmp_path: Path) -> None:
    assert "there are no real data sets at" in demo(KAURI_DATA=str(tmp_path))


@LONG
def test_the_demo(tmp_path: Path) -> None:
    if not (DATA / "load.py").is_file():
        pytest.skip(f"no real data sets at {DATA}")
    out = demo(KAURI_DATA=str(DATA), SPARK_HOME=spark_home(tmp_path))
    assert out.count("the same bytes: True") == 2
