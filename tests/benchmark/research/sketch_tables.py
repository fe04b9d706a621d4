"""Sketches on every column of the real sets: NIAE, time and bytes; and tables 2 to 5 of the thesis's chapter 3.

    python tests/benchmark/research/sketch_tables.py [set ...] [--build build] [--rows 200000] [--max-bin 256]
    python tests/benchmark/research/sketch_tables.py [set ...] --table 2 3 4 5 [--rows 20000] [--normal 10000000]
    python tests/benchmark/research/sketch_tables.py --times [--sizes 1000 10000 100000 1000000]

Needs the programs sketch_bench, sketch_estimators and sketch_times (`ninja -C build sketch_bench ...`) and the real
data sets (`KAURI_DATA`, by default `../shared/data` beside the project). The default is ten sets with 390 columns that
are not constant; `--every` takes all sets except two that repeat columns of others and one of 55,197 word columns,
nearly all 0. NIAE: the mean distance between the sketch's distribution and the true one over the range of a column.
"over 0.05": the fraction of columns with a larger NIAE, for which a sketch must not be used.

Tables 2 to 4 print the thesis's statistics for each estimator, beside the thesis's mean on its own columns (14,072 of
OpenML-CC18). The order of the estimators is comparable, the numbers are not. Failures are counted separately and left
out of the statistics: moments that no distribution has, no density with all moments, quantiles that decrease or lie
outside the range. Table 5 is N(1000, 1), by --normal values; the thesis has 10^9. `--times` prints times on standard
normal values, in one pass and in two; the thesis plots them without numbers.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[3]
DATA = Path(os.environ.get("KAURI_DATA", ROOT.parent / "shared" / "data"))
sys.path.insert(0, str(DATA))
from load import NAMES, load  # noqa: E402

SETS = ["adult", "california", "protein", "credit_default", "ames", "spambase", "letter", "yeast", "covtype", "higgs"]
REPEATED = {"covtype_cat", "california_raw"}
TOO_WIDE = {"sector"}

# The thesis's mean NIAE, largest NIAE and failures, by (estimator, order or size).
PRINTED: dict[int, dict[tuple[str, int], tuple[float, float, int]]] = {
    2: {
        ("kll", 10): (0.107872, 0.673525, 0),
        ("kll", 50): (0.046058, 0.242182, 0),
        ("kll", 500): (0.008104, 0.056235, 0),
        ("entropy-central", 5): (0.008444, 0.096600, 0),
        ("entropy-central", 10): (0.006171, 0.151073, 0),
        ("entropy-central", 15): (0.005955, 0.233678, 0),
        ("entropy-naive", 5): (0.008447, 0.096600, 0),
        ("entropy-naive", 10): (0.007116, 0.707496, 20),
        ("entropy-naive", 15): (0.009518, 0.982960, 155),
        ("legendre-central", 5): (0.081809, 0.163962, 0),
        ("legendre-central", 10): (0.057979, 0.120809, 0),
        ("legendre-central", 15): (0.048106, 0.100216, 0),
        ("legendre-naive", 5): (0.081811, 0.163962, 1),
        ("legendre-naive", 10): (0.059386, 0.938904, 131),
        ("legendre-naive", 15): (0.051749, 0.992505, 467),
    },
    3: {
        ("cosine", 5): (0.054256, 0.103496, 0),
        ("cosine", 10): (0.031929, 0.062232, 0),
        ("cosine", 15): (0.023803, 0.045502, 0),
        ("chebyshev", 5): (0.063520, 0.975388, 30),
        ("chebyshev", 10): (0.073640, 0.970769, 30),
        ("chebyshev", 15): (0.032477, 0.969974, 30),
        ("fourier", 5): (0.2203, 0.499986, 0),
        ("fourier", 10): (0.2168, 0.499986, 0),
        ("fourier", 15): (0.2154, 0.499986, 0),
        ("hermite", 5): (0.2276, 0.518, 0),
        ("hermite", 10): (0.2557, 0.593, 0),
        ("hermite", 15): (0.2415, 0.569, 0),
    },
    4: {
        ("entropy-central", 5): (0.009323, np.nan, 0),
        ("entropy-central", 10): (0.005444, np.nan, 0),
        ("entropy-central", 15): (0.005803, np.nan, 0),
        ("entropy-log-central", 5): (0.087116, np.nan, 1),
        ("entropy-log-central", 10): (0.085741, np.nan, 1),
        ("entropy-log-central", 15): (0.088461, np.nan, 1),
        ("entropy-log-naive", 5): (0.089040, np.nan, 1),
        ("entropy-log-naive", 10): (0.149801, np.nan, 2),
        ("entropy-log-naive", 15): (0.253283, np.nan, 35),
    },
    5: {
        ("legendre-central", 5): (0.042877, np.nan, 0),
        ("legendre-central", 10): (0.005369, np.nan, 0),
        ("legendre-central", 15): (0.000997, np.nan, 0),
        ("legendre-naive", 5): (1.0, np.nan, 0),
        ("legendre-naive", 10): (1.0, np.nan, 0),
        ("legendre-naive", 15): (1.0, np.nan, 0),
        ("entropy-central", 5): (0.001777, np.nan, 0),
        ("entropy-central", 10): (0.001777, np.nan, 0),
        ("entropy-central", 15): (0.001808, np.nan, 0),
        ("entropy-naive", 5): (0.225655, np.nan, 0),
        ("entropy-naive", 10): (1.0, np.nan, 0),
        ("entropy-naive", 15): (1.0, np.nan, 0),
    },
}

Found = dict[tuple[str, int], list[list[float]]]  # per column: above 0, NIAE of quantiles, NIAE of the cdf, failed


def columns_of(name: str, rows: int) -> np.ndarray:
    """Return the columns of a set, [n_cols, n_rows] of float32."""
    features = load(name)[0]
    some = np.random.default_rng(0).permutation(features.shape[0])[:rows]
    features = features[np.sort(some)]
    features = features.toarray() if hasattr(features, "toarray") else features
    return np.ascontiguousarray(np.asarray(features, np.float32).T)


def lines_of(program: Path, columns: np.ndarray, *more: str) -> list[list[str]]:
    """Run a program on columns; returns its output lines, split into words."""
    with tempfile.NamedTemporaryFile() as file:
        columns.tofile(file)
        file.flush()
        command = [str(program), file.name, str(columns.shape[1]), *more]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [line.split() for line in done.stdout.splitlines()]


def sketches(columns: np.ndarray, options: argparse.Namespace) -> dict[str, list[list[float]]]:
    """Return by sketch, for every column: ns per value, us of the ranks, bytes, NIAE, bound."""
    found: dict[str, list[list[float]]] = {}
    for _, name, *numbers in lines_of(Path(options.build) / "bin" / "sketch_bench", columns, str(options.max_bin)):
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


def add_estimates(lines: list[list[str]], found: Found) -> None:
    for _, above, name, size, *numbers in lines:
        found.setdefault((name, int(size)), []).append([float(above), *map(float, numbers)])


def table_line(name: str, size: int, rows: np.ndarray, printed: tuple[float, float, int]) -> str:
    """Return a line of a table."""
    fails = rows[:, 3] != 0
    of_quantiles, of_cdf = rows[~fails, 1], rows[~fails, 2]
    line = f"{name:>20}{size:4}{len(rows):8}{int(fails.sum()):7}"
    if len(of_cdf) == 0:
        numbers = f"{'all failed':>60}"
    else:
        parts = (of_cdf.mean(), of_cdf.std(), np.median(of_cdf), of_cdf.min(), of_cdf.max(), of_quantiles.mean())
        numbers = "".join(f"{part:10.6f}" if part < 100 else f"{part:10.1e}" for part in parts)
    return f"{line}{numbers}   |{printed[0]:10.6f}{printed[1]:10.6f}{printed[2]:6}"


def print_table(number: int, found: Found) -> None:
    """Print our statistics (of the cdf, the last of quantiles) beside the thesis's mean, maximum and failures."""
    print(f"\ntable {number}")
    heads = "".join(f"{head:>10}" for head in ("mean", "std", "median", "min", "max", "quantiles"))
    print(f"{'estimator':>20}{'l':>4}{'columns':>8}{'failed':>7}{heads}   |{'thesis':>10}{'max':>10}{'fails':>6}")
    for (name, size), printed in PRINTED[number].items():
        rows = np.array(found[name, size])
        if number == 4:
            rows = rows[rows[:, 0] != 0]
        if len(rows) > 0:
            print(table_line(name, size, rows, printed))


def print_tables(options: argparse.Namespace) -> None:
    program = Path(options.build) / "bin" / "sketch_estimators"
    found: Found = {}
    if set(options.table) - {5}:
        for name in options.sets:
            add_estimates(lines_of(program, columns_of(name, options.rows or 20_000)), found)
    for number in options.table:
        if number == 5:
            command = [str(program), "normal", str(options.normal)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            found = {}
            add_estimates([line.split() for line in done.stdout.splitlines()], found)
            print(f"\n{options.normal:,} of N(1000, 1): {done.stderr.strip()}")
        print_table(number, found)


def print_times(options: argparse.Namespace) -> None:
    """Print, by estimator and number of values, nanoseconds a value and microseconds to 99 quantiles."""
    command = [str(Path(options.build) / "bin" / "sketch_times"), *map(str, options.sizes)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[tuple[str, str], list[str]] = {}
    for line in done.stdout.splitlines():
        _, name, size, of_value, of_quantiles = line.split()
        found.setdefault((name, size), []).append(f"{of_value}; {of_quantiles}")
    print("| estimator | order or size | " + " | ".join(f"{n:,} values" for n in options.sizes) + " |")
    print("|---" * (2 + len(options.sizes)) + "|")
    for (name, size), cells in found.items():
        print(f"| {name} | {size} | " + " | ".join(cells) + " |")


def print_costs(options: argparse.Namespace) -> None:
    total: dict[str, list[list[float]]] = {}
    for name in options.sets:
        columns = columns_of(name, options.rows or 200_000)
        found = sketches(columns, options)
        print(f"\n{name}: {columns.shape[0]} columns of {columns.shape[1]} rows")
        print_sketches(found)
        for sketch, rows in found.items():
            total.setdefault(sketch, []).extend(rows)
    print("\nall columns")
    print_sketches(total)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--rows", type=int, help="200,000 for costs, 20,000 for tables")
    parser.add_argument("--max-bin", type=int, default=256)
    parser.add_argument("--table", type=int, nargs="+", choices=sorted(PRINTED))
    parser.add_argument("--normal", type=int, default=10_000_000)
    parser.add_argument("--every", action="store_true", help="all sets")
    parser.add_argument("--times", action="store_true")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000, 1_000_000])
    options = parser.parse_args()
    if options.every:
        options.sets = [name for name in NAMES if name not in REPEATED | TOO_WIDE]
    if options.times:
        print_times(options)
    elif options.table:
        print_tables(options)
    else:
        print_costs(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
