"""XGBoost's own Dask interface over Kauri's library, on a cluster of processes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import xgboost

PROGRAM = Path(__file__).with_name("xgboost_dask_program.py")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Return a folder with XGBoost's Python files and our library under its name."""
    source = Path(xgboost.__file__).parent
    shutil.copytree(source, tmp_path / "xgboost", ignore=shutil.ignore_patterns("lib", "__pycache__"))
    (tmp_path / "xgboost" / "lib").mkdir()
    (tmp_path / "xgboost" / "lib" / "libxgboost.so").symlink_to(Path(os.environ["KAURI_LIBRARY"]).resolve())
    return tmp_path


def test_a_cluster_of_two(package: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(package)}
    done = subprocess.run(
        [sys.executable, str(PROGRAM)], env=environment, capture_output=True, text=True, timeout=280, check=False
    )
    assert "the cluster works" in done.stdout, done.stdout + done.stderr
