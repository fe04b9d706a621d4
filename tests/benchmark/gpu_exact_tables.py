"""Exact training on the device, measured: one command per table of Mitchell & Frank 2017, each with README's figures.

    python tests/benchmark/gpu_exact_tables.py --headline           # 200 k, 1 M and 10.5 M rows
    python tests/benchmark/gpu_exact_tables.py --table 22           # test metric, CPU and device (23: sorting phase)
    python tests/benchmark/gpu_exact_tables.py --table 25           # training time (26: interleaved levels; 27: memory)
    python tests/benchmark/gpu_exact_tables.py --figure 9           # time against rows; --plot figure9.json draws it
    python tests/benchmark/gpu_exact_tables.py --roofline           # bytes and milliseconds of each kernel, by ncu

Each prints a markdown table and writes all its numbers as JSON into the folder --out. Times are medians of five windows
of rounds after a first round. The exit status is 1 when the device's model is not the CPU's, byte for byte. Tables 22
and 23 read real data sets by a module load.py in the folder --data (or KAURI_DATA) whose load(name) returns features,
labels and extras. --device cpu --scale 0.001 tries everything without a device.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python-package"))

from paper_tables import accuracy, arguments, roofline, rows_figure, speed

TABLES: dict[int, Callable[[argparse.Namespace], int]] = {
    22: accuracy.table_22,
    23: accuracy.table_23,
    25: speed.table_25,
    26: speed.table_26,
    27: speed.table_27,
}


def make_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = arguments.make_parser(__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--table", type=int, choices=TABLES)
    what.add_argument("--figure", type=int, choices=[9])
    what.add_argument("--headline", action="store_true")
    what.add_argument("--roofline", action="store_true")
    what.add_argument("--plot", metavar="JSON", type=Path, help="draw the figure of a JSON file beside it")
    parser.add_argument("--rounds", type=int, help="rounds on the device; fewer than 500 are extrapolated in table 25")
    parser.add_argument("--peer-rounds", type=int, default=1, help="rounds of the CPU's methods; 0: none (default: 1)")
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the numbers of rows of synthetic data")
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    args = make_parser().parse_args(argv)
    if args.plot is not None:
        return rows_figure.plot(args.plot)
    if args.figure is not None:
        return rows_figure.figure_9(args)
    if args.headline:
        return speed.headline(args)
    if args.roofline:
        return roofline.roofline(args)
    return TABLES[args.table](args)


if __name__ == "__main__":
    sys.exit(main())
