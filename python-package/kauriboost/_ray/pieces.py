"""The rows of one worker, converted from blocks piece by piece, each time that they are read.

A block stays in Ray's shared memory, from which a worker of the same node reads it without a copy. At most one piece is
converted at a time, so the values are never twice in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy as np

from .._binding.errors import DataError
from .._cluster.blocks import Part, below_each_other, describe, rows_of_part, with_categories
from .columns import as_table, part_of_table
from .table import Table
from .waiting import block_of


class Pieces(Sequence[Part]):
    """The rows of a table from `first` to before `end`, as parts for `make_matrix`; queries are whole in each.

    Parameters
    ----------
    timeout
        Seconds to wait for a block.
    classes
        The labels whose numbers are the labels of parts; None to keep the labels.
    """

    def __init__(self, table: Table, first: int, end: int, timeout: float, classes: np.ndarray | None = None) -> None:
        self._table, self._timeout, self._classes = table, timeout, classes
        starts = table.of_slices[:, 2]
        inner = [table.at_query(int(start)) for start in starts[(starts > first) & (starts < end)]]
        self._cuts = sorted({first, *(row for row in inner if first < row < end), end})
        self._seen: set[int] = set()  # slices whose checksums were compared
        self._last: tuple[int, Part] | None = None  # a slice that the next piece may begin in
        self._block: tuple[int, Any] | None = None

    def __len__(self) -> int:
        return len(self._cuts) - 1

    @overload
    def __getitem__(self, at: int) -> Part: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Part]: ...

    def __getitem__(self, at: int | slice) -> Part | Sequence[Part]:
        if isinstance(at, slice):
            return [self[i] for i in range(len(self))[at]]
        if not 0 <= at < len(self):
            raise IndexError(at)
        return self._piece(self._cuts[at], self._cuts[at + 1])

    def _piece(self, begin: int, end: int) -> Part:
        starts, counts = self._table.of_slices[:, 2], self._table.of_slices[:, 3]
        found = np.flatnonzero((starts < end) & (starts + counts > begin)).tolist()
        parts = []
        for number in found:
            start = int(starts[number])
            part = self._slice(number)
            parts.append(rows_of_part(part, max(begin - start, 0), min(end - start, int(counts[number]))))
        self._last = (found[-1], part)
        piece = {name: below_each_other([each[name] for each in parts]) for name in parts[0]}
        if self._classes is not None:
            piece["label"] = np.searchsorted(self._classes, piece["label"]).astype(np.float32)
        if "weight" in piece and "qid" in piece:  # a query has the weight of its first row
            queries = piece["qid"]
            piece["weight"] = piece["weight"][np.concatenate([[True], queries[1:] != queries[:-1]])]
        return piece

    def _slice(self, number: int) -> Part:
        if self._last is not None and self._last[0] == number:
            return self._last[1]
        self._last = None  # frees it before the next one is made
        block, begin, _, n_rows = self._table.of_slices[number].tolist()
        if self._block is None or self._block[0] != block:
            self._block = None
            self._block = (block, as_table(block_of(self._table.blocks[block], block, self._timeout)))
        part, _ = part_of_table(self._block[1].slice(begin, n_rows), self._table.columns)
        if number not in self._seen:
            self._require_same(number, part)
        part["data"] = with_categories(part["data"], self._table.categories)
        return part

    def _require_same(self, number: int, part: Part) -> None:
        """Raise DataError for rows that are others than those that were described."""
        description = describe(part)
        n_rows, digest = int(self._table.of_slices[number, 3]), self._table.digests[number]
        if (description.n_rows, description.digest) != (n_rows, digest):
            raise DataError(
                f"block {self._table.of_slices[number, 0]} of the dataset was lost, and computing it again gave "
                f"different rows: {description.n_rows} rows with checksum {description.digest:#x}, not {n_rows} with "
                f"{digest:#x}. Its source must give the same rows each time it is read."
            )
        self._seen.add(number)
