"""Training time while other programs run on the same machine, side by side with XGBoost and LightGBM.

    python tests/benchmark/contended.py [--threads 2] [--rows N] [--busy 1,2] [--libraries a,b]
        [--parts training,search] [--kauri-library NAME=LIBRARY[:PACKAGE] ...] [--repeats 3] [--out FILE]

Every library trains on a quiet machine and beside processes that each keep a core busy, once with default settings and
once with OMP_WAIT_POLICY=passive, which makes GNU's OpenMP sleep instead of spin and has to be set before a process
starts. `search` is scikit-learn's cross_val_score and GridSearchCV with --threads jobs around estimators whose own
number of threads is the default. Each library and policy has its own process; the processes take turns within a repeat,
so that a noisy machine hurts all alike. The output is one table of medians in seconds. --kauri-library adds another
build of Kauri, for before and after; PACKAGE is the folder with the Python package that fits it, if not this
checkout's.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
POLICIES = ("default", "passive")
SEARCHES = ("cross_val_score loky", "cross_val_score threading", "GridSearchCV loky", "GridSearchCV threading")


@dataclass(frozen=True)
class Contestant:
    """A library, or a build of it, with one waiting policy."""

    name: str
    policy: str
    library: str
    environment: tuple[tuple[str, str], ...] = ()


class Process:
    """A worker process and its answers."""

    def __init__(self, who: Contestant, args: argparse.Namespace) -> None:
        command = [sys.executable, "-m", "speed_cases.contended_worker", who.library]
        command += [str(number) for number in (args.threads, args.rows, args.rounds)]
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (str(HERE), os.environ.get("PYTHONPATH"))))}
        env.pop("OMP_WAIT_POLICY", None)
        if who.policy == "passive":
            env["OMP_WAIT_POLICY"] = "passive"
        quiet = None if args.verbose else subprocess.DEVNULL
        env |= dict(who.environment)
        self.pipe = subprocess.Popen(command, env=env, text=True, stderr=quiet, stdin=-1, stdout=-1)
        self.name = who.name
        self.answer()

    def answer(self) -> float:
        line = self.pipe.stdout.readline()
        if not line:
            raise SystemExit(f"{self.name} ended with status {self.pipe.wait()}; --verbose shows what it said.")
        return json.loads(line)

    def ask(self, task: str) -> float:
        """Run a task in the worker; returns its seconds."""
        print(task, file=self.pipe.stdin, flush=True)
        return self.answer()

    def close(self) -> None:
        self.pipe.stdin.close()
        self.pipe.wait()


@contextmanager
def busy_cores(n: int) -> Iterator[None]:
    """Run `n` other processes that each keep a core busy."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(n)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def tasks_of(args: argparse.Namespace) -> dict[str, tuple[str, int]]:
    """Return the worker's task and the number of busy processes beside it, by column title."""
    tasks = {}
    if "training" in args.parts:
        tasks = {"training, quiet" if n == 0 else f"training, {n} busy": ("train", n) for n in (0, *args.busy)}
    return tasks | {search: (search, 0) for search in SEARCHES if "search" in args.parts}


def contestants(args: argparse.Namespace) -> list[Contestant]:
    found = []
    for name in args.libraries:
        found += [Contestant(name, policy, name) for policy in POLICIES]
        for build in args.kauri_library if name == "kauri" else ():
            label, _, paths = build.partition("=")
            library, _, package = paths.partition(":")
            environment = [("KAURI_LIBRARY", str(Path(library).resolve()))]
            if package:
                environment.append(("KAURI_PACKAGE", str(Path(package).resolve())))
            found += [Contestant(label, policy, name, tuple(environment)) for policy in POLICIES]
    return found


def measure(args: argparse.Namespace) -> dict[str, dict[str, list[float]]]:
    """Return the seconds of each repeat by contestant and column. One training before them is a warm-up."""
    tasks, all_of_them = tasks_of(args), contestants(args)
    found = {f"{who.name} | {who.policy}": {title: [] for title in tasks} for who in all_of_them}
    processes = {f"{who.name} | {who.policy}": Process(who, args) for who in all_of_them}
    for process in processes.values():
        process.ask("train")
    for _ in range(args.repeats):
        for title, (task, n_busy) in tasks.items():
            with busy_cores(n_busy):
                for row, process in processes.items():
                    found[row][title].append(process.ask(task))
    for process in processes.values():
        process.close()
    return found


def table(found: dict[str, dict[str, list[float]]]) -> str:
    """Return the table of medians in seconds. Rows of the default policy also show the ratio to the passive policy."""
    titles = list(next(iter(found.values())))
    lines = ["| library | waiting | " + " | ".join(titles) + " |", "|---|---|" + "---|" * len(titles)]
    for row, columns in found.items():
        name, _, policy = row.partition(" | ")
        cells = []
        for title, seconds in columns.items():
            median = statistics.median(seconds)
            passive = statistics.median(found[f"{name} | passive"][title])
            cells.append(f"{median:.2f}" + (f" ({median / passive:.2f} x)" if policy == "default" else ""))
        lines.append(f"| {name} | {policy} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def parse(words: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rows", type=int, default=200_000, help="of 28 columns; a search takes a tenth of them")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--busy", default="1", help="comma-separated numbers of busy processes")
    parser.add_argument("--libraries", default="kauri,xgboost,lightgbm", help="comma-separated")
    parser.add_argument("--parts", default="training,search", help="comma-separated")
    parser.add_argument("--kauri-library", action="append", default=[], metavar="NAME=LIBRARY[:PACKAGE]")
    parser.add_argument("--out", type=Path, help="JSON")
    parser.add_argument("--verbose", action="store_true", help="show what the libraries print")
    args = parser.parse_args(words)
    args.libraries, args.parts = args.libraries.split(","), args.parts.split(",")
    args.busy = [int(n) for n in args.busy.split(",") if n]
    if unknown := set(args.parts) - {"training", "search"}:
        parser.error(f"unknown parts {sorted(unknown)}; there are training and search")
    if wrong := [build for build in args.kauri_library if "=" not in build]:
        parser.error(f"--kauri-library {wrong[0]} has no name; expected NAME=LIBRARY")
    return args


def main(words: list[str] | None = None) -> int:
    args = parse(words)
    case = f"{args.rows:,} x 28, depth 6, {args.rounds} rounds, {args.threads} threads on {os.cpu_count()} cores"
    print(f"{case}; medians of {args.repeats}, seconds (load before: {os.getloadavg()[0]:.1f})\n", flush=True)
    found = measure(args)
    print(table(found))
    if args.out:
        args.out.write_text(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
