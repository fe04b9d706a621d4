"""Models, evaluations, predictions and explanations have the same bytes on every platform (model_checksums.c)."""

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
}


def checksums(runner: list[str], program: Path, *arguments: str) -> list[str]:
    """Return the lines that the program prints."""
    done = subprocess.run([*runner, program, *arguments], text=True, capture_output=True, check=True)
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


@pytest.mark.parametrize("n_rows", [FEW_ROWS, MORE_ROWS])
@pytest.mark.parametrize("target", sorted(RUNNERS))
def test_another_platform_has_the_same_bytes(target: str, n_rows: str) -> None:
    build = ROOT / "build-cross" / target
    program = build / "bin" / "model_checksums"
    runner = [word.format(build=build) for word in RUNNERS[target]]
    if not program.exists():
        pytest.skip(f"only after cmake/cross.sh {target} model_checksums: the library is not compiled for it")
    if shutil.which(runner[0]) is None:
        pytest.skip(f"{runner[0]} is not there to run it")
    assert checksums(runner, program, "2", n_rows) == here("2", n_rows)
