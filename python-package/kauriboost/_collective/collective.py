"""What ranks that learn one model together say to each other."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from .._public import described, public


@public("kauriboost.collective")
class Collective(ABC):
    """One rank's way to the others of its group: processes or threads that learn one model, each from some of the rows.

    Every rank makes the same calls in the same order with arrays of the same lengths. A call blocks until all ranks
    have made it; one thread of a rank calls at a time. There is no sum of floating-point numbers, which would depend on
    the order, and so the model does not depend on how many ranks there are or on which rows each has.

    A subclass sets `rank` and `size` and gives the four abstract calls; what they raise ends the group: a training that
    waits for it raises `kauriboost.CollectiveError`.

    Attributes
    ----------
    rank
        This rank: 0 to ``size - 1``.
    size
        How many ranks there are.
    """

    rank: int
    size: int

    @abstractmethod
    def sum(self, values: np.ndarray) -> None:
        """Replace int64 values, ``[n]``, by their sums over the ranks, modulo 2^64."""

    def sum_parts(self, values: np.ndarray, begins: np.ndarray) -> None:
        """Replace this rank's part of int64 values by the sums over the ranks, modulo 2^64; others may become anything.

        It sends half of what `sum` does, which it is where a subclass knows no better.

        Parameters
        ----------
        values
            int64, ``[n]``.
        begins
            The part of rank r is ``values[begins[r] : begins[r + 1]]``: ``[size + 1]``, ascending from 0 to n.
        """
        del begins
        self.sum(values)

    @abstractmethod
    def max(self, values: np.ndarray) -> None:
        """Replace uint64 values, ``[n]``, by the largest over the ranks."""

    @abstractmethod
    def gather(self, mine: np.ndarray, sizes: np.ndarray, everything: np.ndarray) -> None:
        """Write the bytes of all ranks, one after the other, to `everything`.

        Parameters
        ----------
        mine
            This rank's bytes, uint8.
        sizes
            How many bytes each rank has, ``[size]``; known to all.
        everything
            uint8, ``[sum of sizes]``.
        """

    @abstractmethod
    def abort(self, why: str) -> None:
        """End the group: calls of all ranks fail with what `why` says, those that wait as well. From any thread."""

    def __repr__(self) -> str:
        return described(self, rank=self.rank, size=self.size)

    def gather_bytes(self, mine: bytes) -> list[bytes]:
        """Return what every rank gives, by rank; as many bytes as each likes."""
        sizes = np.zeros(self.size, dtype=np.int64)
        sizes[self.rank] = len(mine)
        self.sum(sizes)
        everything = np.empty(int(sizes.sum()), dtype=np.uint8)
        self.gather(np.frombuffer(mine, dtype=np.uint8), sizes, everything)
        ends = np.cumsum(sizes).tolist()
        return [everything[end - size : end].tobytes() for end, size in zip(ends, sizes.tolist())]

    def any(self, here: bool) -> bool:
        """Whether something holds on one of the ranks."""
        flag = np.array([here], dtype=np.uint64)
        self.max(flag)
        return bool(flag[0])


def rows_in_order_of_ranks(collective: Collective, n_rows: int) -> np.ndarray:
    """Return ``global_rows`` for `n_rows` rows of this rank that follow those of the ranks before it, ``[1, 2]``."""
    counts = np.zeros(collective.size, dtype=np.int64)
    counts[collective.rank] = n_rows
    collective.sum(counts)
    return np.array([[int(counts[: collective.rank].sum()), n_rows]], dtype=np.int64)
