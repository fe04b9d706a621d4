"""Measures the rows of the papers' tables that need a device and have no figures yet, in five minutes at most.

    python tests/benchmark/device_rows.py [--build FOLDER] [--data FOLDER] [--show]

1. chapter 3, table 2: rows of a device
2. chapter 3, table 5: rows of a device, 10^9 values of N(1000, 1)
3. chapter 3, figure 11: sums on a device against the number of values
4. chapter 4, tables 6 and 7: Fashion-MNIST large

Each command runs at most as long as the table below says; what it printed until then stays. The training of
Fashion-MNIST large ends after 40 seconds, so its model is smaller than the paper's; the tables give its leaves. --show
prints the commands. The exit status is 1 if a command failed or took too long.

Needs the programs sketch_estimators, sketch_times, gpu_sketch_estimators and gpu_sketch_bench. On an H200 with 16 cores
the first two commands do not end in time, because they measure the CPU's estimators as well.
`build/bin/gpu_sketch_estimators normal 1000000000` prints the device's rows of table 5 alone, within seconds.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent


class Step(NamedTuple):
    """A command, its words after the interpreter, and how long it may take."""

    title: str
    seconds: int
    words: tuple[str, ...]


SKETCHES = "research/sketch_tables.py"
LARGE = ("--only", "fashion_mnist-large", "--train-seconds", "40", "--no-peers")
STEPS = (
    Step("chapter 3, table 2", 75, (SKETCHES, "--table", "2", "--gpu")),
    Step("chapter 3, table 5, 10^9 values", 75, (SKETCHES, "--table", "5", "--normal", "1000000000", "--gpu")),
    Step("chapter 3, figure 11", 40, (SKETCHES, "--figure", "11")),
    Step("chapter 4, table 6, Fashion-MNIST large", 75, ("shap_tables.py", "--table", "6", *LARGE)),
    Step("chapter 4, table 7, Fashion-MNIST large", 30, ("shap_tables.py", "--table", "7", *LARGE)),
)


def command_of(step: Step, build: str, data: str) -> list[str]:
    """Return the whole command of a step."""
    script, *words = step.words
    more = ["--build", build] if script == SKETCHES else ["--data", data]
    return [sys.executable, str(HERE / script), *words, *more]


def run(step: Step, command: list[str]) -> bool:
    """Run a step, print what became of it, and return whether it is measured."""
    print(f"== {step.title}", flush=True)
    start = time.monotonic()
    try:
        status = subprocess.run(command, timeout=step.seconds, check=False).returncode
    except subprocess.TimeoutExpired:
        print(f"== not measured: it took longer than {step.seconds} s", flush=True)
        return False
    outcome = "measured" if status == 0 else f"not measured: status {status}"
    print(f"== {outcome}, {time.monotonic() - start:.0f} s", flush=True)
    return status == 0


def main(words: list[str] | None = None, steps: tuple[Step, ...] = STEPS) -> int:
    """Run all commands, or show them; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.environ.get("KAURI_BUILD_DIR", str(HERE.parents[1] / "build")))
    parser.add_argument("--data", default=os.environ.get("KAURI_DATA", "data"))
    parser.add_argument("--show", action="store_true", help="print the commands")
    given = parser.parse_args(words)
    commands = [command_of(step, given.build, given.data) for step in steps]
    if given.show:
        print("\n".join(f"timeout {step.seconds} {shlex.join(command)}" for step, command in zip(steps, commands)))
        return 0
    os.environ["KAURI_DATA"] = given.data
    measured = [run(step, command) for step, command in zip(steps, commands)]
    return 0 if all(measured) else 1


if __name__ == "__main__":
    sys.exit(main())
