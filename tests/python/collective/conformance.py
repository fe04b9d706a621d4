"""Tests for any kind of group, independent of its transport; each rank runs them with its own end."""

from __future__ import annotations

import numpy as np
from kauriboost.collective import Collective

LENGTHS = (0, 1, 2, 7, 1000, 8192, 8193, 150_003)  # numbers of int64; the last one goes round the ring


def values_of(rank: int, length: int, dtype: type) -> np.ndarray:
    return np.random.default_rng((rank, length)).integers(0, 2**64, length, dtype=np.uint64).astype(dtype)


def check_sums_and_maxima(group: Collective) -> None:
    for length in LENGTHS:
        mine = values_of(group.rank, length, np.int64)
        group.sum(mine)
        expected = np.zeros(length, dtype=np.uint64)
        for rank in range(group.size):
            expected += values_of(rank, length, np.uint64)
        np.testing.assert_array_equal(mine.view(np.uint64), expected)

        ends = np.linspace(0, length, group.size + 1).astype(np.int64)
        ends[1:-1] = np.sort(ends[1:-1] // 3)  # uneven; the last part is the largest
        parts = values_of(group.rank, length, np.int64)
        group.sum_parts(parts, ends)
        mine_of = slice(ends[group.rank], ends[group.rank + 1])
        np.testing.assert_array_equal(parts[mine_of].view(np.uint64), expected[mine_of])

        largest = values_of(group.rank, length, np.uint64)
        group.max(largest)
        every = np.array([values_of(rank, length, np.uint64) for rank in range(group.size)])
        np.testing.assert_array_equal(largest, every.max(axis=0))


def check_gathers(group: Collective) -> None:
    """Gather uneven lengths; rank 1 has no bytes."""
    for scale in (0, 1, 77, 50_000):
        texts = [
            bytes([rank + 1]) * (scale * (rank % 3 if rank % 3 != 1 else 0) + rank // 2) for rank in range(group.size)
        ]
        assert group.gather_bytes(texts[group.rank]) == texts


def check_agreements(group: Collective) -> None:
    assert group.any(group.rank == group.size - 1)
    assert not group.any(False)


def check_all(group: Collective) -> None:
    check_sums_and_maxima(group)
    check_gathers(group)
    check_agreements(group)
