"""Synthetic rows near the given rows, for the teacher to label.

A teacher memorises part of its training rows, so its results there say little about it elsewhere. The student needs
rows such as the teacher will meet: near the given ones, and none of them. MUNGE (Bucila, Caruana and Niculescu-Mizil,
"Model Compression", 2006) makes them by swapping cells of near rows. Here:

1. Each column becomes whole numbers: ranks of numbers, indicators of categories and of missing values.
2. Each parent row gets a few near rows among a sample of the rows, by the squared distance of these numbers.
3. A synthetic row takes each cell from its parent or, with some probability, from one of the parent's near rows.

All sums are of whole numbers in float64, so they are exact and the rows are the same on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

_LEVELS = 255  # ranks are 0 .. _LEVELS, so that sums of squares are exact
_MOST_INDICATORS = 30  # per categorical column; rarer categories share none
_MOST_CELLS = 1 << 24  # of a block of distances


class Mixing(NamedTuple):
    """How synthetic rows are made."""

    n_neighbours: int = 10  # near rows of a parent
    n_candidates: int = 4096  # sample of the rows in which they are searched
    share: float = 0.5  # probability that a cell is taken from the near row


MIXING = Mixing()


def encoded(columns: np.ndarray, categorical: list[bool]) -> np.ndarray:
    """Return columns ``[n_rows, n_cols]`` (NaN: missing) as whole numbers ``[n_rows, n_numbers]`` for distances."""
    parts = []
    for values, is_categorical in zip(columns.T, categorical):
        missing = np.isnan(values)
        if missing.any():
            parts.append(missing * float(_LEVELS))
        parts += _indicators(values, missing) if is_categorical else [_ranks(values, missing)]
    return np.column_stack(parts)


def _ranks(values: np.ndarray, missing: np.ndarray) -> np.ndarray:
    """Return the middle rank of each value among the known ones; a missing value has the rank in the middle."""
    known = np.sort(values[~missing])
    middle = np.searchsorted(known, values, "left") + np.searchsorted(known, values, "right")
    ranks: np.ndarray = np.floor(middle * (_LEVELS / (2.0 * max(len(known), 1))))
    ranks[missing] = _LEVELS // 2
    return ranks


def _indicators(values: np.ndarray, missing: np.ndarray) -> list[np.ndarray]:
    names, counts = np.unique(values[~missing], return_counts=True)
    kept = names[np.argsort(-counts, kind="stable")[:_MOST_INDICATORS]]
    return [(values == name) * np.floor(_LEVELS / np.sqrt(2.0)) for name in kept]


def neighbours(numbers: np.ndarray, how: Mixing, generator: np.random.Generator) -> np.ndarray:
    """Return near rows of each row, ``[n_rows, n_neighbours]``, without the row itself unless there is no other."""
    n_rows = len(numbers)
    sample = np.sort(generator.permutation(n_rows)[: how.n_candidates])
    n_near = min(how.n_neighbours, max(len(sample) - 1, 1))
    found = np.empty((n_rows, n_near), dtype=np.int64)
    squares = (numbers[sample] ** 2).sum(axis=1)
    step = max(1, _MOST_CELLS // len(sample))
    for begin in range(0, n_rows, step):
        block = numbers[begin : begin + step]
        distances = squares - 2.0 * (block @ numbers[sample].T)
        distances[np.arange(begin, begin + len(block))[:, None] == sample] = np.inf
        found[begin : begin + step] = sample[np.argsort(distances, axis=1, kind="stable")[:, :n_near]]
    return found


@dataclass(frozen=True)
class Synthetic:
    """Synthetic rows: the parent and the near row of each, and which cells come from the near row."""

    parents: np.ndarray
    others: np.ndarray
    swapped: np.ndarray  # [n, n_cols]
    held: np.ndarray  # whether the row is made of held-out rows

    def __len__(self) -> int:
        return len(self.parents)

    def sources(self, numbers: np.ndarray) -> np.ndarray:
        """Return the given row from which each cell is taken, ``[n, n_cols]``, for some synthetic rows."""
        result: np.ndarray = np.where(self.swapped[numbers], self.others[numbers, None], self.parents[numbers, None])
        return result

    def column(self, feature: int, values: np.ndarray) -> np.ndarray:
        """Return a column of the synthetic rows, from its values in the given rows."""
        result: np.ndarray = np.where(self.swapped[:, feature], values[self.others], values[self.parents])
        return result


def synthetic_rows(numbers: np.ndarray, n_cols: int, held: np.ndarray, n_rows: int, seed: int) -> Synthetic:
    """Return synthetic rows, none of which mixes held-out rows with others. The held-out ones are the last.

    Parameters
    ----------
    numbers
        The given rows, `encoded`.
    n_cols
        Number of columns of a row.
    held
        Which of the given rows are held out. Synthetic rows are made of them in the same proportion.
    n_rows
        Number of synthetic rows.
    seed
        Seed of all choices.
    """
    of_held = int(n_rows * held.mean())
    generator = np.random.default_rng([seed, 1])
    parents, others = [], []
    for rows, n_part in ((np.flatnonzero(~held), n_rows - of_held), (np.flatnonzero(held), of_held)):
        near = rows[neighbours(numbers[rows], MIXING, generator)]
        family = np.arange(n_part) % len(rows)
        parents.append(rows[family])
        others.append(near[family, generator.integers(near.shape[1], size=n_part)])
    swapped = generator.random((n_rows, n_cols), dtype=np.float32) < MIXING.share
    return Synthetic(np.concatenate(parents), np.concatenate(others), swapped, np.arange(n_rows) >= n_rows - of_held)
