"""Table 28: host memory of `exact` on the CPU, each library in its own process.

    python -m paper_tables.host_memory LIBRARY SHAPE SCALE THREADS ROUNDS

is one such process; it prints its numbers as JSON. The paper counted allocated memory, including the data. This script
measures the resident set: after making the data, after making the DMatrix from them, and its peak during training. The
data stay in memory, so the library's own need is the difference.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

from .machine import optional
from .report import Column, Report, Row, say
from .shapes import Problem, bosch_size, higgs_size, yltr_size
from .training import cpu_params

BENCHMARKS = Path(__file__).resolve().parents[1]
PACKAGE = BENCHMARKS.parents[1] / "python-package"
SHAPES = ["YLTR", "Higgs", "Bosch"]
PRINTED_GB = {"YLTR": 1.80, "Higgs": 6.55, "Bosch": 3.28}
LIBRARIES = {"kauriboost": "Kauri", "xgboost": "XGBoost"}
COLUMNS: list[Column] = [
    ("data", "name", "{}"),
    ("library", "library", "{}"),
    ("data alone, GB", "data_gb", "{:.2f}"),
    ("with the DMatrix", "matrix_gb", "{:.2f}"),
    ("peak of training", "peak_gb", "{:.2f}"),
    ("peak less the data", "own_gb", "{:.2f}"),
    ("printed", "printed_gb", "{:.2f}"),
    ("peak / printed", "ratio", "{:.2f}"),
]


def resident(what: str = "VmRSS") -> int:
    """Return the bytes of the resident set now, or with VmHWM their peak."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return int(next(line for line in lines if line.startswith(f"{what}:")).split()[1]) * 1024


def make_problem(shape: str, scale: float, threads: int) -> Problem:
    """Make data of one of the paper's three shapes."""
    if shape == "YLTR":
        return yltr_size(scale, threads, "rank:ndcg")
    return {"Higgs": higgs_size, "Bosch": bosch_size}[shape](scale, threads)


def forget_peak() -> None:
    """Reset VmHWM. If the kernel does not allow that, the peak may come from making the data."""
    clear = Path("/proc/self/clear_refs")
    if os.access(clear, os.W_OK):
        clear.write_text("5", encoding="ascii")


def measure_here(library: str, shape: str, scale: float, threads: int, rounds: int) -> Row:
    """Make the data, the DMatrix and some trees in this process; returns the memory."""
    module = importlib.import_module(library)
    problem = make_problem(shape, scale, threads)
    at_data = resident()
    forget_peak()
    data = module.DMatrix(problem.features, problem.labels, group=problem.group, nthread=threads)
    at_matrix = resident()
    module.train({**problem.params, **cpu_params(threads)}, data, rounds, verbose_eval=False)
    peak = resident("VmHWM")
    gigabytes = {"data_gb": at_data, "matrix_gb": at_matrix, "peak_gb": peak, "own_gb": peak - at_data}
    return {**problem.size(), **{key: value / 1e9 for key, value in gigabytes.items()}}


def measure(library: str, shape: str, args: argparse.Namespace) -> Row:
    """Run `measure_here` in a fresh process."""
    words = [library, shape, str(args.scale), str(args.threads), str(args.rounds or 3)]
    paths = os.pathsep.join([str(PACKAGE), str(BENCHMARKS), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "paper_tables.host_memory", *words]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": paths})
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def table_28(args: argparse.Namespace) -> int:
    """Report a row per shape and library; returns the exit status."""
    report = Report("table28", "Table 28: host memory, exact on the CPU", COLUMNS, args)
    peers = ["xgboost"] if args.peer_rounds > 0 and optional("xgboost") is not None else []
    for shape in SHAPES:
        for library in ["kauriboost", *peers]:
            say(f"({shape} size, {library})")
            row = {**measure(library, shape, args), "library": LIBRARIES[library], "printed_gb": PRINTED_GB[shape]}
            report.add({**row, "ratio": row["peak_gb"] / PRINTED_GB[shape]})
    report.note("Resident set; the paper's figures are XGBoost's heap by valgrind, the data included.")
    return report.finish()


if __name__ == "__main__":
    name, of_shape, *numbers = sys.argv[1:]
    print(json.dumps(measure_here(name, of_shape, float(numbers[0]), int(numbers[1]), int(numbers[2]))))
