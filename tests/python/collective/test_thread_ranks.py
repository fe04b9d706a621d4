"""Ranks that are threads, which also test the algorithms for messages between ranks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import conformance
import numpy as np
import pytest
from kauriboost.collective import Collective, CollectiveError, rows_in_order_of_ranks, thread_group


def run_ranks(n: int, run: Callable[[Collective], Any], timeout: float = 20.0) -> list[Any]:
    """Return the result of `run`, or its error, by rank."""

    def kept(collective: Collective) -> Any:
        try:
            return run(collective)
        except Exception as error:
            return error

    with ThreadPoolExecutor(n) as pool:
        return list(pool.map(kept, thread_group(n, timeout)))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 8])
def test_conformance(n: int) -> None:
    assert run_ranks(n, conformance.check_all) == [None] * n


def test_volume_of_a_long_sum_does_not_grow_with_the_ranks() -> None:
    values = conformance.values_of(0, 160_000, np.int64)  # 64 bits each
    numbers = values >> 36  # their sums take four bytes

    def sent(collective: Any) -> list[int]:
        volumes = []
        for call in (
            lambda: collective.sum(values.copy()),
            lambda: collective.sum(numbers.copy()),
            lambda: collective.sum_parts(
                values.copy(), np.linspace(0, len(values), collective.size + 1).astype(np.int64)
            ),
        ):
            before = collective.bytes_sent
            call()
            volumes.append(collective.bytes_sent - before)
        return volumes

    for n in (2, 5, 8):
        whole = 2 * values.nbytes * (n - 1) / n
        for volumes in run_ranks(n, sent):
            assert volumes == pytest.approx([whole, whole / 2, whole / 2], rel=0.05 if n == 2 else 0.15)


def test_ranks_that_lose_step_are_told_both_sides() -> None:
    def lose_step(collective: Collective) -> None:
        if collective.rank == 1:
            collective.max(np.zeros(3, dtype=np.uint64))
        else:
            collective.sum(np.zeros(2, dtype=np.int64))

    errors = run_ranks(2, lose_step)
    assert all(isinstance(error, CollectiveError) for error in errors)
    assert any("call 1 (sum, step 1, 16 bytes" in str(e) and "call 1 (max, step 1, 24 bytes" in str(e) for e in errors)


def test_a_rank_that_says_nothing_is_waited_for_in_vain() -> None:
    errors = run_ranks(
        3, lambda collective: None if collective.rank == 2 else collective.sum(np.ones(1, dtype=np.int64)), timeout=0.3
    )
    assert errors[2] is None
    assert all(isinstance(error, CollectiveError) and "waited 0.3 s for rank" in str(error) for error in errors[:2])


def test_abort_ends_calls_that_wait() -> None:
    def abort_or_wait(collective: Collective) -> None:
        if collective.rank == 0:
            time.sleep(0.2)
            collective.abort("no room on the disk")
        else:
            collective.sum(np.ones(1, dtype=np.int64))

    begin = time.monotonic()
    errors = run_ranks(3, abort_or_wait, timeout=60)
    assert time.monotonic() - begin < 10
    assert [str(error) for error in errors] == ["None", "no room on the disk", "no room on the disk"]
    assert threading.active_count() < 20


def test_calls_after_the_end_fail() -> None:
    (collective,) = thread_group(1)
    collective.sum(np.ones(1, dtype=np.int64))
    collective.abort("over")
    two = thread_group(2)
    two[0].abort("over")
    with pytest.raises(CollectiveError, match="over"):
        two[1].sum(np.ones(1, dtype=np.int64))


def test_rows_in_order_of_ranks() -> None:
    rows = run_ranks(3, lambda collective: rows_in_order_of_ranks(collective, 10 * collective.rank).tolist())
    assert rows == [[[0, 0]], [[0, 10]], [[10, 20]]]
