"""Table 8: errors of float32 sums, in sequence and in parallel, and of fixed point, by float_sums_bench."""

from __future__ import annotations

import argparse
import os
import subprocess
from pathlib import Path

from .report import Column, Report, say

NUMBERS, REPEATS = 10_000_000, 100
COLUMNS: list[Column] = [
    ("sum of 10 million numbers in [-1, 1]", "name", "{}"),
    ("mean error", "error", "{:.3g}"),
    ("deviation", "deviation", "{:.3g}"),
    ("printed", "printed_error", "{}"),
    ("printed deviation", "printed_deviation", "{}"),
    ("ours / printed", "ratio", "{:.2f}"),
]
# Description, and the paper's mean error and deviation, of each summation method by its name in the program.
PRINTED = {
    "sequential": ("float32, in sequence", 0.0694, 0.0520),
    "parallel": ("float32, in parallel", 0.0007, 0.0005),
    "fixed": ("fixed point", None, None),
}
LARGEST_FIXED = 1e-5  # ten million roundings by half of 2^-30 each, in random directions, are 1e-6


def program(args: argparse.Namespace) -> Path:
    """Return the program from --sums-bench or the build folder; on a device it uses Thrust."""
    if args.sums_bench is not None:
        return args.sums_bench
    name = "float_sums_bench" if args.device == "cpu" else "gpu_float_sums_bench"
    build = Path(os.environ.get("KAURI_BUILD_DIR", Path(__file__).resolve().parents[3] / "build"))
    path = build / "bin" / name
    if not path.is_file():
        raise SystemExit(f"there is no {path}: cmake --build {build} --target {name}, or pass it as --sums-bench.")
    return path


def table_8(args: argparse.Namespace) -> int:
    """Report a row per summation method; returns the exit status."""
    title = "Table 8: precision of float32 sums" + (", parallel: thrust::reduce" if args.device != "cpu" else "")
    report = Report("table8", title, COLUMNS, args)
    words = [str(max(1000, int(NUMBERS * args.scale))), str(args.rounds or REPEATS)]
    say(f"({words[0]} numbers, {words[1]} repeats)")
    lines = subprocess.run([program(args), *words], check=True, capture_output=True, text=True).stdout.splitlines()
    for line in lines:
        key, error, deviation = line.split()
        name, printed_error, printed_deviation = PRINTED[key]
        row = {"name": name, "error": float(error), "deviation": float(deviation)}
        row |= {"printed_error": printed_error, "printed_deviation": printed_deviation}
        if printed_error is not None:
            row["ratio"] = row["error"] / printed_error
        else:
            row["right"] = row["error"] < LARGEST_FIXED
        report.add(row)
    return report.finish()
