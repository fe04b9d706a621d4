"""XGBoost's own Dask interface over Kauri's library, on a cluster of processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).with_name("xgboost_dask_program.py")


def test_a_cluster_of_two(xgboost_on_kauri: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(xgboost_on_kauri)}
    done = subprocess.run(
        [sys.executable, str(PROGRAM)], env=environment, capture_output=True, text=True, timeout=280, check=False
    )
    assert "the cluster works" in done.stdout, done.stdout + done.stderr
