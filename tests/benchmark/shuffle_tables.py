"""Shuffles of chapter 6 of "High-throughput machine learning algorithms": printed rates beside ours, and uniformity.

    python tests/benchmark/shuffle_tables.py --table 1          a device, 64-bit keys; 2: the same beside an RTX 2080
    python tests/benchmark/shuffle_tables.py --table 3          the CPU: [--high 26] [--threads 2]
    python tests/benchmark/shuffle_tables.py --figure 6 7 8 9   chi-square of 5 elements; discrepancy of 5, 100, 1,000
    python tests/benchmark/shuffle_tables.py --figure 10        the gain from each fusion of passes, on a device
    python tests/benchmark/shuffle_tables.py [--seeds 100000]   tests that the thesis does not have, beside NumPy

Tables and figures come from the programs shuffle_bench, shuffle_quality_bench and gpu_shuffle_bench, which are built on
request (`cmake --build build --target shuffle_bench`). Tables: millions of keys a second, ours / printed.

The last command: each seed gives a permutation of n elements. "all permutations" counts each of the n! permutations.
"positions" counts each element at each position. "parity" counts odd permutations; a network of the bijection's kind
alone does not mix the parity. For a fair shuffle the probabilities are uniform on 0 to 1; below 0.001 is suspicious.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python-package"))
from paper_tables import shuffle_figures

Shuffler = Callable[[int, int], np.ndarray]


def probability(counts: np.ndarray, degrees: int) -> float:
    """Return the probability of a chi-square at least as large as the given counts have, which should be equal."""
    from scipy.stats import chi2

    expected = counts.mean()
    return float(chi2.sf(((counts - expected) ** 2 / expected).sum(), degrees))


def all_permutations(rows: np.ndarray) -> float:
    n = rows.shape[1]
    _, counts = np.unique(rows @ n ** np.arange(n), return_counts=True)
    missing = math.factorial(n) - len(counts)
    return probability(np.concatenate([counts, np.zeros(missing)]), math.factorial(n) - 1)


def positions(rows: np.ndarray) -> float:
    n = rows.shape[1]
    counts = np.stack([np.bincount(rows[:, place], minlength=n) for place in range(n)])
    return probability(counts, (n - 1) ** 2)


def parity(rows: np.ndarray) -> float:
    n = rows.shape[1]
    inversions = sum((rows[:, i, None] > rows[:, i + 1 :]).sum(axis=1) for i in range(n))
    odd = int((inversions % 2).sum())
    return probability(np.array([odd, len(rows) - odd]), 1)


def lines() -> Iterator[tuple[str, int, Callable[[np.ndarray], float]]]:
    for n in (3, 4, 5, 6):
        yield "all permutations", n, all_permutations
    for n in (10, 33, 100):
        yield "positions", n, positions
    for n in (5, 16, 50):
        yield "parity", n, parity


def own_tests(seeds: int) -> None:
    """Print the probabilities of our own tests, for Kauri and NumPy."""
    import kauriboost as kb

    numpys = np.random.default_rng(0)
    shufflers: dict[str, Shuffler] = {"Kauri": kb.shuffle, "NumPy": lambda n, _: numpys.permutation(n)}
    print(f"{seeds:,} permutations each\n\n| test | n | " + " | ".join(shufflers) + " |\n|---|---|---|---|")
    for name, n, test in lines():
        found = [test(np.stack([shuffle(n, seed) for seed in range(seeds)])) for shuffle in shufflers.values()]
        print(f"| {name} | {n} | " + " | ".join(f"{value:.3f}" for value in found) + " |", flush=True)


def main(words: list[str] | None = None) -> int:
    """Print the requested tables and figures; returns 1 if a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", type=int, nargs="*", choices=[1, 2, 3], default=[])
    parser.add_argument("--figure", type=int, nargs="*", choices=[6, 7, 8, 9, 10], default=[])
    parser.add_argument("--high", type=int, default=0, help="the largest power of two, 29 on a device, 26 on the CPU")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--permutations", type=int, default=100_000)
    parser.add_argument("--seeds", type=int, default=100_000)
    parser.add_argument("--first-seed", type=int, default=1, help="of the permutations of figures 6 to 9")
    build = Path(os.environ.get("KAURI_BUILD_DIR", Path(__file__).resolve().parents[2] / "build"))
    parser.add_argument("--bin", type=Path, default=build / "bin")
    args = parser.parse_args(words)
    if not args.table and not args.figure:
        own_tests(args.seeds)
    missed = []
    for table in args.table:
        if table == 3:
            missed += shuffle_figures.host_table(args.bin, args.high or 26, args.threads)
        else:
            missed += shuffle_figures.device_table(args.bin, table, args.high or 29)
    for figure in args.figure:
        if figure == 10:
            shuffle_figures.fusion(args.bin, args.high or 29)
        else:
            missed += shuffle_figures.uniformity(args.bin, figure, args.permutations, args.first_seed)
    for gate in missed:
        print(f"MISSED: {gate}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
