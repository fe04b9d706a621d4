"""Models, evaluations, predictions and explanations have the same bytes on every platform (model_checksums.c).

A platform is tested if cmake/cross.sh has built its program. With KAURI_LONG=1 the test builds all of them, which takes
half an hour on two cores.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("KAURI_BUILD_DIR", ROOT / "build"))
FEW_ROWS, MORE_ROWS = "400", "3000"
# The targets of cmake/cross.sh whose programs run here, and what runs them.
RUNNERS = {
    "x86_64-linux-musl": ["/lib/ld-musl-x86_64.so.1"],
    "aarch64-linux-musl": ["qemu-aarch64", "-L", "{build}/root"],
    "aarch64-linux-gnu": ["qemu-aarch64", "-L", "{build}/root"],
    "x86_64-windows-gnu": ["/usr/lib/wine/wine64"],
}


def checksums(runner: list[str], program: Path, *arguments: str, **variables: str) -> list[str]:
    """Return the lines that the program prints."""
    environment = {**os.environ, **variables}
    done = subprocess.run([*runner, program, *arguments], text=True, capture_output=True, check=True, env=environment)
    return done.stdout.splitlines()


def here(n_threads: str, n_rows: str) -> list[str]:
    """Return the lines of this platform."""
    program = BUILD / "bin" / "model_checksums"
    if not program.exists():
        pytest.skip("this build has no program model_checksums: build that target")
    return checksums([], program, n_threads, n_rows)


@pytest.mark.parametrize("n_rows", [FEW_ROWS, MORE_ROWS])
def test_every_case_trains_and_threads_do_not_matter(n_rows: str) -> None:
    lines = here("1", n_rows)
    assert len(lines) > 100
    assert not [line for line in lines if "refused" in line]
    assert here("3", n_rows) == lines


def program_of(target: str) -> Path:
    """Return the program of a target, which is built if that was asked for."""
    build = ROOT / "build-cross" / target
    if os.environ.get("KAURI_LONG", "0") != "0":
        environment = {"KAURI_CROSS_TYPE": "Quick", **os.environ}
        done = subprocess.run([ROOT / "cmake" / "cross.sh", target, "model_checksums"], env=environment, check=False)
        assert done.returncode == 0
    for program in (build / "bin" / "model_checksums", build / "bin" / "model_checksums.exe"):
        if program.exists():
            return program
    pytest.skip(f"only after cmake/cross.sh {target} model_checksums: the library is not compiled for it")


@pytest.mark.parametrize("n_rows", [FEW_ROWS, MORE_ROWS])
@pytest.mark.parametrize("target", sorted(RUNNERS))
def test_another_platform_has_the_same_bytes(target: str, n_rows: str) -> None:
    program = program_of(target)
    build = program.parents[1]
    runner = [word.format(build=build) for word in RUNNERS[target]]
    if shutil.which(runner[0]) is None:
        pytest.skip(f"only after cmake/cross.sh {target}: {runner[0]} is not there to run it")
    there = checksums(runner, program, "2", n_rows, WINEPREFIX=str(build / "wine"), WINEDEBUG="-all")
    assert there == here("2", n_rows)
