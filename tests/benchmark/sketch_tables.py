"""Sketches on every column of the real sets: NIAE, time and bytes.

    python tests/benchmark/sketch_tables.py [set ...] [--build build] [--rows 200000] [--max-bin 256]

Needs the program sketch_bench (`ninja -C build sketch_bench`) and the real data sets (`KAURI_DATA`, by default
`../shared/data` beside the project). NIAE: the mean distance between the sketch's and the true distribution over the
range of a column. "over 0.05": the share of columns where it is larger, which is where a sketch must not be used.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("KAURI_DATA", ROOT.parent / "shared" / "data"))
sys.path.insert(0, str(DATA))
from load import load  # noqa: E402

SETS = ["adult", "california", "protein", "credit_default", "ames", "spambase", "letter", "yeast", "covtype", "higgs"]


def columns_of(name: str, rows: int) -> np.ndarray:
    """[n_cols, n_rows] of float32."""
    features = load(name)[0]
    some = np.random.default_rng(0).permutation(features.shape[0])[:rows]
    features = features[np.sort(some)]
    return np.ascontiguousarray(np.asarray(features, np.float32).T)


def sketches(columns: np.ndarray, options: argparse.Namespace) -> dict[str, list[list[float]]]:
    """By sketch, of every column: ns per value, us of the ranks, bytes, NIAE, bound."""
    program = Path(options.build) / "bin" / "sketch_bench"
    found: dict[str, list[list[float]]] = {}
    with tempfile.NamedTemporaryFile() as file:
        columns.tofile(file)
        file.flush()
        command = [str(program), file.name, str(columns.shape[1]), str(options.max_bin)]
        for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
            _, name, *numbers = line.split()
            found.setdefault(name, []).append([float(number) for number in numbers])
    return found


def print_sketches(found: dict[str, list[list[float]]]) -> None:
    heads = ("sketch", "columns", "mean NIAE", "median", "largest", "over 0.05", "ns / value", "us ranks", "bytes")
    print("".join(f"{head:>12}" for head in heads))
    for name, rows in found.items():
        add, ranks, size, niae, _ = np.array(rows).T
        print(
            f"{name:>12}{len(rows):12}{niae.mean():12.6f}{np.median(niae):12.6f}{niae.max():12.6f}"
            f"{np.mean(niae > 0.05):12.1%}{np.median(add):12.1f}{np.median(ranks):12.0f}{np.mean(size):12.0f}"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--max-bin", type=int, default=256)
    options = parser.parse_args()
    total: dict[str, list[list[float]]] = {}
    for name in options.sets:
        columns = columns_of(name, options.rows)
        found = sketches(columns, options)
        print(f"\n{name}: {columns.shape[0]} columns of {columns.shape[1]} rows")
        print_sketches(found)
        for sketch, rows in found.items():
            total.setdefault(sketch, []).extend(rows)
    print("\nall columns")
    print_sketches(total)
    return 0


if __name__ == "__main__":
    sys.exit(main())
