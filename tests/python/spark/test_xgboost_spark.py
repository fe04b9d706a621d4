"""XGBoost's own Spark interface over Kauri's library, with two workers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyspark")
from spark_problems import spark_home

PROGRAM = Path(__file__).with_name("xgboost_spark_program.py")


def test_two_workers(xgboost_on_kauri: Path) -> None:
    (xgboost_on_kauri / "spark").mkdir()
    paths = os.pathsep.join([str(xgboost_on_kauri), str(PROGRAM.parent)])
    environment = {**os.environ, "PYTHONPATH": paths, "SPARK_HOME": spark_home(xgboost_on_kauri / "spark")}
    done = subprocess.run(
        [sys.executable, str(PROGRAM)], env=environment, capture_output=True, text=True, timeout=280, check=False
    )
    assert "the executors work" in done.stdout, done.stdout + done.stderr
