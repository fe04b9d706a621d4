"""The interface for communication between ranks that train one model together."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from .._public import described, public


@public("kauriboost.collective")
class Collective(ABC):
    """One rank's communicator with the others: processes or threads that train one model, each from some of the rows.

    Every rank makes the same calls in the same order, with arrays of the same lengths. A call blocks until all ranks
    have made it; only one thread of a rank calls at a time. There is no sum of floating-point numbers, because it would
    depend on the order. So the model does not depend on the number of ranks or on the distribution of rows.

    A subclass sets `rank` and `size` and implements the four abstract calls. An exception from a call ends the calls of
    all ranks: a training that waits for them raises `kauriboost.CollectiveError`.

    Attributes
    ----------
    rank
        This rank: 0 to ``size - 1``.
    size
        Number of ranks.
    """

    rank: int
    size: int

    @abstractmethod
    def sum(self, values: np.ndarray) -> None:
        """Replace int64 values, ``[n]``, by their sums over the ranks, modulo 2^64."""

    def sum_parts(self, values: np.ndarray, begins: np.ndarray) -> None:
        """Replace this rank's part of int64 values by its sums over the ranks, modulo 2^64; the rest is undefined.

        It sends half as much as `sum`. The default implementation calls `sum`.

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
        """Write the bytes of all ranks to `everything`, concatenated in rank order.

        Parameters
        ----------
        mine
            This rank's bytes, uint8.
        sizes
            Number of bytes of each rank, ``[size]``; known to all ranks.
        everything
            uint8, ``[sum of sizes]``.
        """

    @abstractmethod
    def abort(self, why: str) -> None:
        """End the communication: all current and later calls fail with the message `why`. Callable from any thread."""

    def __repr__(self) -> str:
        return described(self, rank=self.rank, size=self.size)

    def gather_bytes(self, mine: bytes) -> list[bytes]:
        """Return the bytes of every rank, by rank; their lengths may differ."""
        sizes = np.zeros(self.size, dtype=np.int64)
        sizes[self.rank] = len(mine)
        self.sum(sizes)
        everything = np.empty(int(sizes.sum()), dtype=np.uint8)
        self.gather(np.frombuffer(mine, dtype=np.uint8), sizes, everything)
        ends = np.cumsum(sizes).tolist()
        return [everything[end - size : end].tobytes() for end, size in zip(ends, sizes.tolist())]

    def any(self, here: bool) -> bool:
        """Return whether `here` is true on any rank."""
        flag = np.array([here], dtype=np.uint64)
        self.max(flag)
        return bool(flag[0])


def rows_in_order_of_ranks(collective: Collective, n_rows: int) -> np.ndarray:
    """Return ``global_rows``, ``[1, 2]``, for `n_rows` rows of this rank that follow the rows of earlier ranks."""
    counts = np.zeros(collective.size, dtype=np.int64)
    counts[collective.rank] = n_rows
    collective.sum(counts)
    return np.array([[int(counts[: collective.rank].sum()), n_rows]], dtype=np.int64)
