"""Tests for any collective, independent of its transport; each rank runs them with its own end."""

from __future__ import annotations

import numpy as np
from kauriboost.collective import Collective

LENGTHS = (0, 1, 2, 7, 1000, 8192, 8193, 150_003)  # numbers of int64; the last one goes round the ring


def values_of(rank: int, length: int, dtype: type) -> np.ndarray:
    return np.random.default_rng((rank, length)).integers(0, 2**64, length, dtype=np.uint64).astype(dtype)


def check_sums_and_maxima(collective: Collective) -> None:
    for length in LENGTHS:
        mine = values_of(collective.rank, length, np.int64)
        collective.sum(mine)
        expected = np.zeros(length, dtype=np.uint64)
        for rank in range(collective.size):
            expected += values_of(rank, length, np.uint64)
        np.testing.assert_array_equal(mine.view(np.uint64), expected)

        ends = np.linspace(0, length, collective.size + 1).astype(np.int64)
        ends[1:-1] = np.sort(ends[1:-1] // 3)  # uneven; the last part is the largest
        parts = values_of(collective.rank, length, np.int64)
        collective.sum_parts(parts, ends)
        mine_of = slice(ends[collective.rank], ends[collective.rank + 1])
        np.testing.assert_array_equal(parts[mine_of].view(np.uint64), expected[mine_of])

        largest = values_of(collective.rank, length, np.uint64)
        collective.max(largest)
        every = np.array([values_of(rank, length, np.uint64) for rank in range(collective.size)])
        np.testing.assert_array_equal(largest, every.max(axis=0))


def check_gathers(collective: Collective) -> None:
    """Gather uneven lengths; rank 1 has no bytes."""
    for scale in (0, 1, 77, 50_000):
        texts = [
            bytes([rank + 1]) * (scale * (rank % 3 if rank % 3 != 1 else 0) + rank // 2)
            for rank in range(collective.size)
        ]
        assert collective.gather_bytes(texts[collective.rank]) == texts


def check_agreements(collective: Collective) -> None:
    assert collective.any(collective.rank == collective.size - 1)
    assert not collective.any(False)


def check_all(collective: Collective) -> None:
    check_sums_and_maxima(collective)
    check_gathers(collective)
    check_agreements(collective)
