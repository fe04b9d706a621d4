"""Assignment of rows to ranks: each rank gets the rows of partitions on its worker."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._binding.errors import DataError
from .._cluster.blocks import rows_of_part
from .engine import wait_for_all
from .matrix import DaskDMatrix
from .waiting import while_there_are_workers

_SECONDS_BETWEEN_CHECKS = 0.1


class Piece(NamedTuple):
    """Consecutive rows on one worker."""

    part: Any  # a future
    first_row: int
    n_rows: int
    address: str


async def pieces_of(client: Any, matrix: DaskDMatrix, timeout: float) -> list[Piece]:
    """Return the rows of a matrix in order; partitions without rows are left out.

    Rows of a query that begins in an earlier partition go to the rank of its first row. Raises DataError if partitions
    cannot be recomputed, or if the cluster has no workers for `timeout` seconds.
    """
    holders = await while_there_are_workers(client, _holders(client, matrix), timeout)
    n_rows_of: Counter[str] = Counter()
    pieces: list[Piece] = []
    last_query: int | None = None
    for part, description, first in zip(matrix.parts, matrix.descriptions, matrix.first_rows):
        if description.n_rows == 0:
            continue
        address = min(holders[part.key], key=lambda holder: (n_rows_of[holder], holder))
        n_rows_of[address] += description.n_rows
        begin = 0
        if description.queries is not None:
            head_query, tail_query, head, is_only = description.queries
            begin = head if head_query == last_query and pieces[-1].address != address else 0
            last_query = tail_query
            if begin > 0:
                moved = part if is_only else client.submit(rows_of_part, part, 0, begin, pure=False)
                pieces.append(Piece(moved, first, begin, pieces[-1].address))
        if begin < description.n_rows:
            rest = part if begin == 0 else client.submit(rows_of_part, part, begin, description.n_rows, pure=False)
            pieces.append(Piece(rest, first + begin, description.n_rows - begin, address))
    return pieces


async def _holders(client: Any, matrix: DaskDMatrix) -> dict[str, list[str]]:
    """Wait until workers hold all partitions; return the holders. Raises DataError if one cannot be recomputed."""
    while True:
        await wait_for_all(matrix.parts)
        lost = [number for number, part in enumerate(matrix.parts) if part.status in ("lost", "cancelled")]
        if lost:
            raise DataError(
                f"the partitions {lost} were lost with their worker, and Dask cannot compute them "
                "again: data that were scattered from a client's memory have no lineage. Read them in tasks, for "
                "example with dask.dataframe.read_parquet, or dask.array.from_delayed."
            )
        for part in matrix.parts:
            if part.status == "error":
                await part  # raises the exception of the user's own code
        holders: dict[str, list[str]] = await client.who_has(matrix.parts)
        if all(holders.get(part.key) for part in matrix.parts):
            return holders
        await asyncio.sleep(_SECONDS_BETWEEN_CHECKS)  # a partition has just been lost


def ranges_of(pieces: Sequence[Piece]) -> np.ndarray:
    """Return the rows of pieces as ``global_rows``: [first, count] of each run of consecutive rows."""
    ranges: list[list[int]] = []
    for piece in pieces:
        if ranges and sum(ranges[-1]) == piece.first_row:
            ranges[-1][1] += piece.n_rows
        else:
            ranges.append([piece.first_row, piece.n_rows])
    return np.array(ranges, dtype=np.int64).reshape(-1, 2)
