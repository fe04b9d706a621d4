"""The guide "From one machine to many" and its demo do what they say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
GUIDE = ROOT / "demo" / "dask" / "README.md"
DATA = Path(os.environ.get("KAURI_DATA", ROOT.parent / "shared" / "data"))
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "python-package")}


def blocks() -> list[str]:
    found = re.findall(r"^( *)```python\n(.*?)^ *```$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [textwrap.dedent(block) for _, block in found]


def test_every_block_of_the_guide_runs(tmp_path: Path) -> None:
    """In one program, in their order; an MPI job of one process needs no mpirun."""
    assert len(blocks()) >= 8
    program = tmp_path / "guide.py"
    program.write_text('if __name__ == "__main__":\n' + textwrap.indent("\n".join(blocks()), "    "))
    done = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, check=False, env=ENVIRONMENT, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr


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
