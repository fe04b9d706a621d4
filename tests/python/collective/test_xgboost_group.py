"""XGBoost's own tracker and communicator in several processes, over Kauri's library."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import xgboost

PROGRAM = Path(__file__).with_name("xgboost_program.py")
# Packages that XGBoost imports if they are installed. Without them it starts in a quarter of the time.
OPTIONAL = ("dask", "distributed", "pandas", "pyarrow", "sklearn")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Return a folder with XGBoost's Python files and our library under its name."""
    source = Path(xgboost.__file__).parent
    shutil.copytree(source, tmp_path / "xgboost", ignore=shutil.ignore_patterns("lib", "__pycache__"))
    (tmp_path / "xgboost" / "lib").mkdir()
    (tmp_path / "xgboost" / "lib" / "libxgboost.so").symlink_to(Path(os.environ["KAURI_LIBRARY"]).resolve())
    (tmp_path / "sitecustomize.py").write_text(f"import sys\nsys.modules.update(dict.fromkeys({OPTIONAL}))\n")
    return tmp_path


def test_three_processes(package: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(package)}
    done = subprocess.run(
        [sys.executable, str(PROGRAM)], env=environment, capture_output=True, text=True, timeout=240, check=False
    )
    assert "the group works" in done.stdout, done.stdout + done.stderr
