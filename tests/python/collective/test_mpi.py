"""Groups of processes in an MPI job."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mpi4py")

PROGRAM = Path(__file__).with_name("mpi_program.py")


def mpirun() -> str:
    found = shutil.which("mpirun", path=str(Path(sys.executable).parent)) or shutil.which("mpirun")
    if found is None:
        pytest.skip("there is no mpirun")
    return found


@pytest.mark.parametrize("n", [2])
def test_an_mpi_job(n: int, tmp_path: Path) -> None:
    options = ["--allow-run-as-root", "--oversubscribe", "-n", str(n)]
    command = [mpirun(), *options, sys.executable, "-m", "mpi4py", str(PROGRAM), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(path.name for path in tmp_path.glob("rank-*")) == [f"rank-{rank}" for rank in range(n)]
