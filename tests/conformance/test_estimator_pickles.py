"""Estimators pickled by XGBoost 1.7 to 3.4 are read by their packages over Kauri's library, and by Kauri itself."""

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

VERSIONS = [name for name in environments.ENVIRONMENTS if name.startswith("xgboost-")]


def python_of(name: str) -> Path:
    """Return the interpreter of an environment, or skip the test."""
    found = environments.interpreter(name)
    if found is None:
        pytest.skip(f"{name} is not there; python tests/peers/environments.py {name} makes it")
    return found


def run(python: str | Path, script: str, *arguments: str, package: Path | str = "") -> str:
    """Run a script of tests/peers with a folder first on the module path."""
    found = {**os.environ, "PYTHONPATH": str(package)}
    command = [str(python), str(PEERS / script), *arguments]
    done = subprocess.run(command, env=found, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def over_kauri(python: Path, folder: Path) -> Path:
    """Return a folder with the environment's package over Kauri's library."""
    (source,) = python.parents[1].glob("lib/python3*/site-packages/xgboost")
    shutil.copytree(source, folder / "xgboost", ignore=shutil.ignore_patterns("__pycache__", "lib"))
    (folder / "xgboost" / "lib").mkdir()
    (folder / "xgboost" / "lib" / "libxgboost.so").symlink_to(Path(os.environ["KAURI_LIBRARY"]).resolve())
    return folder


@pytest.mark.parametrize("name", VERSIONS)
def test_estimators_are_read(name: str, tmp_path: Path) -> None:
    python = python_of(name)
    file = str(tmp_path / "estimators")
    assert run(python, "write_estimators.py", file) == "written\n"
    assert run(python, "read_estimators.py", file, package=over_kauri(python, tmp_path)) == "read\n"
    ours = Path(kb.__path__[0]).parent
    assert run(sys.executable, "read_estimators.py", file, "kauri", package=ours) == "read\n"
