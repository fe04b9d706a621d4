"""Tables and figures of "Sampling permutations for Shapley value estimation", chapter 5 of the thesis, one by one.

    python tests/benchmark/permutation_tables.py [--table 1|4|5 | --figure 5|6|9|10|11|13|14|16|17] [--quick]

Table 4 (the default), a line for each number of players d, number of orders n, and sampler: the mean discrepancy in the
space of the Mallows kernel (lambda = 4), the paper's discrepancy, their ratio, twice the standard error of the ratio,
and the seconds to draw one set on one thread, beside the paper's seconds on one thread of a Xeon E5-2698. The exit
status is 1 if a ratio differs from 1 by more than 3 % and by more than four standard errors.
Table 1: the power of n by which the time grows. Table 5: the time of the orders of an image's tiles.
Figure 5: Kendall's tau of pairs of orders. 6: the product of ranks against tau, and theorem 2's bounds.
Figures 9, 10: errors of the values of 100 trees against the number of evaluations, by existing and proposed samplers;
11: the same for a network. 13: lambda, 14: lambda for a network; 16: candidates; 17: kernels. The paper prints these as
curves without numbers.
The statements of its text follow each figure as claims, which hold here or do not.
The paper's set bank is not available, and spambase replaces it; year is synthetic data of that set's shape. Table 5's
network and figures 12 and 15 need images of ImageNet, which are not available either. FOLDER has load.py and the other
sets.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from permutation_cases import curves, kernels, spheres, tables  # must be first: it finds the package in the checkout
from permutation_cases.claims import Sheet
from permutation_cases.problems import SETS

import kauriboost as kb  # isort: skip

TABLES = {"1": tables.table_1, "4": tables.table_4, "5": tables.table_5}
FIGURES = {
    "5": spheres.figure_5,
    "6": spheres.figure_6,
    "9": curves.figure_9,
    "10": curves.figure_10,
    "11": curves.figure_11,
    "13": kernels.figure_13,
    "14": kernels.figure_14,
    "16": kernels.figure_16,
    "17": kernels.figure_17,
}


def main(words: list[str] | None = None) -> int:
    """Print the requested table or figure; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--table", choices=TABLES, default="4")
    what.add_argument("--figure", choices=FIGURES)
    parser.add_argument("--quick", action="store_true", help="few orders and seeds, to see that it runs")
    parser.add_argument("--repeats", type=int, default=None, help="seeds (25; 3 with --quick)")
    parser.add_argument("--first-seed", type=int, default=1, help="of table 4")
    parser.add_argument("--most", type=int, default=1000, help="orders of table 4 at most")
    parser.add_argument("--sets", nargs="+", default=SETS, choices=SETS, metavar="SET")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("KAURI_DATA", "data")), metavar="FOLDER")
    args = parser.parse_args(words)
    args.repeats = args.repeats or (3 if args.quick else 25)
    with kb.config_context(nthread=1):
        sheet = Sheet(args)
        (FIGURES[args.figure] if args.figure else TABLES[args.table])(sheet)
        return sheet.end()


if __name__ == "__main__":
    sys.exit(main())
