"""Sketches on every column of the real sets: NIAE, time and bytes; tables and figures of the thesis's chapter 3.

    python tests/benchmark/research/sketch_tables.py [set ...] [--build build] [--rows 200000] [--max-bin 256]
    python tests/benchmark/research/sketch_tables.py [set ...] --table 2 3 4 5 6 [--rows 20000] [--normal N] [--gpu]
    python tests/benchmark/research/sketch_tables.py [set ...] --figure 1 3 5 6 7 8 9 10 11 12 [--plot FOLDER]
    python tests/benchmark/research/sketch_tables.py --times [--sizes 1000 10000 100000 1000000]

Needs the programs sketch_bench, sketch_estimators and sketch_times (`ninja -C build sketch_bench ...`) and the real
data sets (`KAURI_DATA`, by default `../shared/data` beside the project). The default is ten sets with 390 columns that
are not constant; `--every` takes all sets except two that repeat columns of others and one of 55,197 word columns,
nearly all 0. NIAE: the mean distance between the sketch's distribution and the true one over the range of a column.
"over 0.05": the fraction of columns with a larger NIAE, for which a sketch must not be used.

Tables 2 to 4 print our statistics for each estimator, the ratio of the means, and the thesis's statistics of its own
columns (14,072 of OpenML-CC18). The order of the estimators is comparable, the numbers are not. Failures are counted
separately and left out of the statistics: moments that no distribution has, quantiles that decrease or lie outside the
range, and ("fewer") densities with fewer moments than were asked for, which the thesis does not count. "kept" is the
most numbers that a sketch keeps at a time. `kll` is the library's sketch, whose size is the capacity of its highest
compactor; `kll-total` has room for as many values in all, as the thesis counts them (26 at least); `sample` is a plain
random sample. Rows that end in "-gpu" are measured on a device with `--gpu` (program gpu_sketch_estimators). Without
it, central sums stand there, whose bits are the same on a device, and naive sums added by a tree. Table 5 is N(1000,
1), by --normal values (10^7); the thesis has 10^9. Table 6 has rows of tables 2 and 3.

The pictures of the thesis are lost, so its figures are drawn after their captions and text: 1 (densities of 10
moments), 3 (values of the inputs, with 4, their distinct values), 5 (two forms of NIAE), 6 to 9 (violins of the
errors), 10 and 12 (time by the number of values, one pass and two), 11 (a device, by gpu_sketch_bench). Figures 10 to
12 take --sizes.
The statements of the text follow as claims, which hold here or do not.
"""

from __future__ import annotations

import argparse
import os
import sys

import numpy as np
from sketch_cases import figures, tables, times
from sketch_cases.inputs import ROOT, SETS, columns_of, estimates, every_set, lines_of, normal_estimates, program

from permutation_cases.claims import Sheet  # isort: skip - sketch_cases finds it

FIGURES = {1: figures.figure_1, 3: figures.figures_3_4, 4: figures.figures_3_4}


def sketches(columns: np.ndarray, options: argparse.Namespace) -> dict[str, list[list[float]]]:
    """Return by sketch, for every column: ns per value, us of the ranks, bytes, NIAE, bound."""
    found: dict[str, list[list[float]]] = {}
    for _, name, *numbers in lines_of(program(options.build, "sketch_bench"), columns, after=(str(options.max_bin),)):
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


def print_tables(sheet: Sheet) -> None:
    """Print the requested tables and figures of errors."""
    options = sheet.args
    found = {}
    if set(options.table) - {5} or set(options.figure) & set(figures.OF_ESTIMATES):
        found = estimates(options.sets, options.rows or 20_000, options.build, options.gpu)
    for number in options.table:
        if number == 5:
            sheet.line(f"\n{options.normal:,} values of N(1000, 1)")
            tables.table_5(sheet, normal_estimates(options.normal, options.build, options.gpu))
        else:
            tables.MAKERS[number](sheet, found)
    for number in options.figure:
        if number in figures.OF_ESTIMATES:
            figures.OF_ESTIMATES[number](sheet, found)


def print_figures(sheet: Sheet) -> None:
    """Print the requested figures of inputs and of times."""
    options = sheet.args
    for make in dict.fromkeys(FIGURES[number] for number in options.figure if number in FIGURES):
        make(sheet)
    of_times = [number for number in options.figure if number in times.MAKERS]
    if of_times:
        found = times.measure(options.build, options.sizes)
        for number in of_times:
            times.MAKERS[number](sheet, found)


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


def main(words: list[str] | None = None) -> int:
    """Print what is requested; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--build", default=os.environ.get("KAURI_BUILD_DIR", str(ROOT / "build")))
    parser.add_argument("--rows", type=int, help="200,000 for costs, 20,000 for tables, 100,000 for figure 1")
    parser.add_argument("--max-bin", type=int, default=256)
    parser.add_argument("--table", type=int, nargs="+", choices=sorted(tables.MAKERS), default=[])
    parser.add_argument("--figure", type=int, nargs="+", default=[],
                        choices=sorted({**FIGURES, **figures.OF_ESTIMATES, **times.MAKERS}))  # fmt: skip
    parser.add_argument("--plot", metavar="FOLDER", help="draw the figures there, as PNG")
    parser.add_argument("--gpu", action="store_true", help="measure the rows of a device on one")
    parser.add_argument("--normal", type=int, default=10_000_000)
    parser.add_argument("--every", action="store_true", help="all sets")
    parser.add_argument("--times", action="store_true")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000, 1_000_000])
    options = parser.parse_args(words)
    if options.every:
        options.sets = every_set()
    sheet = Sheet(options)
    if options.times:
        times.print_times(sheet)
    elif options.table or options.figure:
        print_tables(sheet)
        print_figures(sheet)
    else:
        print_costs(options)
    return sheet.end()


if __name__ == "__main__":
    sys.exit(main())
