"""How uniform the bijective shuffle is, beside NumPy's: probabilities of a chi-square as large or larger.

    python tests/benchmark/shuffle_tables.py [--seeds 100000]

Each seed gives a permutation of n elements. "all permutations": how often each of the n! comes up. "positions": how
often each element comes to each position. "parity": how many permutations are odd, which a network of the bijection's
kind does not mix by itself. A fair shuffle gives probabilities spread evenly over 0 to 1; below 0.001 is suspicious.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from scipy.stats import chi2

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python-package"))
import kauriboost as kb

Shuffler = Callable[[int, int], np.ndarray]


def probability(counts: np.ndarray, degrees: int) -> float:
    """Of a chi-square as large as that of counts which should be equal."""
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=100_000)
    seeds = parser.parse_args().seeds
    numpys = np.random.default_rng(0)
    shufflers: dict[str, Shuffler] = {"Kauri": kb.shuffle, "NumPy": lambda n, _: numpys.permutation(n)}
    print(f"{seeds:,} permutations each\n\n| test | n | " + " | ".join(shufflers) + " |\n|---|---|---|---|")
    for name, n, test in lines():
        found = [test(np.stack([shuffle(n, seed) for seed in range(seeds)])) for shuffle in shufflers.values()]
        print(f"| {name} | {n} | " + " | ".join(f"{value:.3f}" for value in found) + " |", flush=True)


if __name__ == "__main__":
    main()
