"""Pickles of XGBoost 1.7 to 3.4 are read by Kauri, by their packages over its library, and back again."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import kauriboost as kb
import numpy as np
import pytest

PEERS = Path(__file__).resolve().parents[1] / "peers"
sys.path.insert(0, str(PEERS))

import environments  # noqa: E402

VERSIONS = [name for name in environments.ENVIRONMENTS if name.startswith("xgboost-")]

# XGBoost's configurations have more fields for linear updaters and position biases than ours.
NOT_TAKEN_BACK = ("linear", "unbiased")


def python_of(name: str) -> Path:
    """Return the interpreter of an environment, or skip the test."""
    found = environments.interpreter(name)
    if found is None:
        pytest.skip(f"{name} is not there; python tests/peers/environments.py {name} makes it")
    return found


def run(python: Path, script: str, file: Path, package: Path | None = None, left_out: tuple[str, ...] = ()) -> str:
    """Run a script of tests/peers, with the XGBoost of the environment or with `package` instead."""
    found = {**os.environ, "PYTHONPATH": str(package or "")}
    command = [str(python), str(PEERS / script), str(file), *left_out]
    done = subprocess.run(command, env=found, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def over_kauri(python: Path, folder: Path) -> Path:
    """Return a folder with the environment's package over Kauri's library."""
    code = "import xgboost; print(xgboost.__path__[0])"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    shutil.copytree(done.stdout.strip(), folder / "xgboost", ignore=shutil.ignore_patterns("__pycache__", "lib"))
    (folder / "xgboost" / "lib").mkdir()
    library = Path(os.environ["KAURI_LIBRARY"]).resolve()
    (folder / "xgboost" / "lib" / "libxgboost.so").symlink_to(library)
    return folder


@pytest.mark.parametrize("name", VERSIONS)
def test_kauri_reads_them(name: str, tmp_path: Path) -> None:
    file = tmp_path / "snapshots"
    run(python_of(name), "write_snapshots.py", file)
    written = pickle.loads(file.read_bytes())
    assert len(written["kinds"]) >= 16
    for kind, (snapshot, margins, labels, more, rounds) in written["kinds"].items():
        booster = kb.Booster()
        booster._unserialize(snapshot)
        if rounds:
            found = booster.predict(kb.DMatrix(written["X"]), output_margin=True)
            np.testing.assert_allclose(found, margins, atol=1e-5, err_msg=kind)
        booster.update(kb.DMatrix(written["X"], labels, **more), rounds)
        assert booster.num_boosted_rounds() == rounds + 1, kind
        for end in (10, len(snapshot) // 2, len(snapshot) - 1):
            with pytest.raises(kb.KauriError):
                booster._unserialize(snapshot[:end])
        assert booster.num_boosted_rounds() == rounds + 1, kind


@pytest.mark.parametrize("name", VERSIONS)
def test_its_package_reads_them_over_kauri(name: str, tmp_path: Path) -> None:
    python = python_of(name)
    package = over_kauri(python, tmp_path)
    run(python, "write_snapshots.py", tmp_path / "theirs")
    assert run(python, "read_snapshots.py", tmp_path / "theirs", package) == "read\n"


def test_xgboost_takes_back_what_its_package_pickled_over_kauri(tmp_path: Path) -> None:
    python = python_of("xgboost-3.4")
    package = over_kauri(python, tmp_path)
    run(python, "write_snapshots.py", tmp_path / "ours", package)
    assert len(pickle.loads((tmp_path / "ours").read_bytes())["kinds"]) >= 16
    assert run(python, "read_snapshots.py", tmp_path / "ours", left_out=NOT_TAKEN_BACK) == "read\n"
