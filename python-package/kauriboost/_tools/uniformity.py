"""Test whether the permutations of a file are uniform.

    python -m kauriboost.uniformity FILE [--strength 5] [--level 0.01]

FILE holds a permutation per line, the numbers 0 to d - 1 in some order, with spaces or commas between them; or it is an
array of NumPy (.npy). The exit status is 1 if uniform permutations would differ as much with a probability below the
level, and 2 if the file cannot be read.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from .._binding.errors import KauriError
from .._data.uniformity import shuffle_uniformity


def read_permutations(path: Path) -> np.ndarray:
    """Return the table of a file, one permutation per row; raise ValueError or OSError."""
    if path.suffix == ".npy":
        table: np.ndarray = np.load(path, allow_pickle=False)
        return table
    lines = path.read_text(encoding="utf-8").replace(",", " ").splitlines()
    rows = [(number, line.split()) for number, line in enumerate(lines, 1) if line.strip()]
    if not rows:
        raise ValueError("there is no permutation in it")
    for number, row in rows:
        if len(row) != len(rows[0][1]):
            raise ValueError(f"line {number} has {len(row)} numbers, the first has {len(rows[0][1])}")
        wrong = next((word for word in row if not word.isdecimal()), None)
        if wrong is not None:
            raise ValueError(f"line {number} has {wrong!r}; expected the whole numbers 0 to {len(row) - 1}")
    return np.array([[int(word) for word in row] for _, row in rows], dtype=np.int64)


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m kauriboost.uniformity", description=(__doc__ or "").split("\n", maxsplit=1)[0]
    )
    parser.add_argument("file", type=Path, help="a permutation per line, or an array of NumPy (.npy)")
    parser.add_argument("--strength", type=float, default=5.0, help="lambda of the Mallows kernel (5)")
    parser.add_argument("--level", type=float, default=0.01, help="the p-value below which the status is 1 (0.01)")
    given = parser.parse_args(arguments)
    if not 0 < given.level < 1:
        parser.error(f"--level is {given.level}; expected a number between 0 and 1")
    try:
        permutations = read_permutations(given.file)
        found = shuffle_uniformity(permutations, given.strength)
    except (OSError, ValueError, KauriError) as problem:
        print(f"error: {given.file}: {problem}", file=sys.stderr)
        return 2
    n, d = permutations.shape
    verdict = "not uniform" if found.p_value < given.level else "no sign of a bias"
    print(f"{n} permutations of {d} elements: statistic {found.statistic:.3e}, p-value {found.p_value:.3g}: {verdict}")
    return 1 if found.p_value < given.level else 0
