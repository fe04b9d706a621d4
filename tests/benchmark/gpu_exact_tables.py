"""Measurements of exact training on the device: one command per table of Mitchell & Frank 2017, with README's figures.

    python tests/benchmark/gpu_exact_tables.py --headline           # 200 k, 1 M and 10.5 M rows
    python tests/benchmark/gpu_exact_tables.py --table 22           # test metric, CPU and device (23: sorting phase)
    python tests/benchmark/gpu_exact_tables.py --table 25           # training time (24: of subsets)
    python tests/benchmark/gpu_exact_tables.py --table 26           # interleaved levels (--figure 11: as a line)
    python tests/benchmark/gpu_exact_tables.py --table 27           # device memory (28: host memory on the CPU)
    python tests/benchmark/gpu_exact_tables.py --table 8            # precision of float32 sums, by gpu_float_sums_bench
    python tests/benchmark/gpu_exact_tables.py --figure 9           # time against rows; --plot figure9.json draws it
    python tests/benchmark/gpu_exact_tables.py --figure 10          # threads of the CPU against one device
    python tests/benchmark/gpu_exact_tables.py --roofline           # bytes and milliseconds of each kernel, by ncu

Each prints a markdown table and writes all its numbers as JSON into the folder --out. Times are medians of five windows
of rounds after a first round. The exit status is 1 if the models of device and CPU differ by a byte. Tables 22 and 23
read real data sets by a module load.py in the folder --data (or KAURI_DATA) whose load(name) returns features, labels
and extras. --device cpu --scale 0.001 tries everything without a device.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python-package"))

from paper_tables import accuracy, arguments, host_memory, line_figures, roofline, rows_figure, speed, sums

TABLES: dict[int, Callable[[argparse.Namespace], int]] = {
    8: sums.table_8,
    22: accuracy.table_22,
    23: accuracy.table_23,
    24: speed.table_24,
    25: speed.table_25,
    26: speed.table_26,
    27: speed.table_27,
    28: host_memory.table_28,
}
FIGURES: dict[int, Callable[[argparse.Namespace], int]] = {
    9: rows_figure.figure_9,
    10: line_figures.figure_10,
    11: line_figures.figure_11,
}


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = arguments.make_parser(__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--table", type=int, choices=TABLES)
    what.add_argument("--figure", type=int, choices=FIGURES)
    what.add_argument("--headline", action="store_true")
    what.add_argument("--roofline", action="store_true")
    what.add_argument("--plot", metavar="JSON", type=Path, help="draw the figure of a JSON file beside it")
    parser.add_argument("--rounds", type=int, help="on the device (tables 24, 25: up to 500); repeats of table 8")
    parser.add_argument("--peer-rounds", type=int, default=1, help="rounds of the CPU's methods; 0: none (default: 1)")
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the numbers of rows of synthetic data")
    parser.add_argument("--sums-bench", type=Path, help="the program of table 8 (default: in the build folder)")
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    args = make_parser().parse_args(argv)
    if args.plot is not None:
        return line_figures.plot(args.plot)
    if args.figure is not None:
        return FIGURES[args.figure](args)
    if args.headline:
        return speed.headline(args)
    if args.roofline:
        return roofline.roofline(args)
    return TABLES[args.table](args)


if __name__ == "__main__":
    sys.exit(main())
