"""Build time, and the slowest translation units, from ninja's log.

    CCACHE_DISABLE=1 cmake --build --preset release --clean-first && python tests/benchmark/build_times.py [FOLDER]

Each output counts with its last time. The sum is the time on one core, provided that the machine was otherwise idle.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
N_SHOWN = 10


class Step(NamedTuple):
    """One output of a build command, with its times."""

    output: str
    begin: float  # seconds since ninja's start
    end: float


def read_log(text: str) -> dict[str, Step]:
    """Return the last step of every output. Log version 5 or later: begin, end, time, output and hash, between tabs."""
    steps = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        begin, end, _, output, _ = line.split("\t")
        steps[output] = Step(output, int(begin) / 1000, int(end) / 1000)
    return steps


def report(steps: dict[str, Step]) -> str:
    """Return the sums by kind, and the slowest objects."""
    objects = sorted((step for step in steps.values() if step.output.endswith(".o")), key=lambda s: s.begin - s.end)
    device = [step for step in objects if step.output.endswith((".cu.o", ".cuh.o"))]
    lines = [
        f"{len(objects)} objects, {sum(s.end - s.begin for s in objects):.0f} s of one core; "
        f"of CUDA {len(device)}, {sum(s.end - s.begin for s in device):.0f} s"
    ]
    for step in objects[:N_SHOWN]:
        before, after = step.output.split("CMakeFiles/")
        lines.append(f"{step.end - step.begin:7.1f} s  {before}{after.split('/', 1)[1].removesuffix('.o')}")
    return "\n".join(lines)


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build"
    log = folder / ".ninja_log"
    if not log.is_file():
        sys.exit(f"no {log}: build with Ninja first")
    print(report(read_log(log.read_text(encoding="utf-8"))))
