"""The rows of one worker: read from Arrow batches, and numbered together with the other workers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from .._binding.errors import DataError
from .._cluster.arrow import part_of
from .._cluster.blocks import Part, below_each_other, with_categories
from .._collective.collective import Collective
from .._data.categories import is_categorical

BLOCK_BITS = 10  # 1024 rows with consecutive tags go to one worker
BITS_OF_POSITION = 33  # of a row in its partition, in Spark's monotonically_increasing_id


class WorkerRows:
    """The rows of one worker, those to learn from and those that are held out.

    Parameters
    ----------
    batches
        Arrow batches with the columns of `columns.placed`. Batches with tags may come in any order.
    names
        The names of the features, if each has a column.
    is_sparse
        As for `arrow.features_of`.
    partition
        The number of the partition that is read, in which rows have neither tags nor keys.

    Attributes
    ----------
    parts
        For the rows to learn from (0) and held-out ones (1): parts in the order of rows.
    """

    def __init__(
        self, batches: Iterable[pa.RecordBatch], names: list[str] | None, is_sparse: bool, partition: int = 0
    ) -> None:
        self.parts: list[list[Part]] = [[], []]
        self._names = names
        keys: list[list[np.ndarray]] = [[], []]
        for of_rows, part in _read(batches, names, is_sparse, partition):
            self._add(of_rows, part, keys)
        none = [np.empty(0, dtype=np.int64)]
        self._keys = [np.concatenate(none + of_set) for of_set in keys]  # of each row

    def _add(self, of_rows: np.ndarray, part: Part, keys: list[list[np.ndarray]]) -> None:
        held = part.pop("held", np.zeros(len(of_rows), dtype=bool))
        for number, chosen in enumerate((~held, held)):
            if chosen.all():
                self.parts[number].append(part)
            elif chosen.any():
                self.parts[number].append({name: _chosen(block, chosen) for name, block in part.items()})
            keys[number].append(of_rows[chosen])

    def use_queries(self) -> None:
        """Give the parts the query of each row, and weights of queries instead of rows.

        Weights of rows become the weight of the query's first row.
        """
        for number, parts in enumerate(self.parts):
            if not parts:
                continue
            joined, queries = _joined(parts), self._keys[number]
            if "weight" in joined:
                starts = np.flatnonzero(np.concatenate([[True], queries[1:] != queries[:-1]]))
                joined["weight"] = joined["weight"][starts]
            self.parts[number] = [{**joined, "qid": queries}]

    def number(self, collective: Collective) -> list[np.ndarray]:
        """Return ``global_rows`` of the rows to learn from and of the held-out ones.

        Raises DataError if two workers have rows of one key.
        """
        counted = [np.unique(keys, return_counts=True) for keys in self._keys]
        mine = np.unique(np.concatenate([keys for keys, _ in counted]))
        table = np.zeros((len(mine), 3), dtype=np.int64)
        table[:, 0] = mine
        for number, (keys, counts) in enumerate(counted):
            table[np.searchsorted(mine, keys), 1 + number] = counts
        texts = collective.gather_bytes(table.tobytes())
        every = np.concatenate([np.frombuffer(text, dtype=np.int64).reshape(-1, 3) for text in texts])
        every = every[np.argsort(every[:, 0], kind="stable")]
        if (every[1:, 0] == every[:-1, 0]).any():
            raise DataError("two workers have the same rows; the frame gave other rows when a part of it was lost.")
        at = np.searchsorted(every[:, 0], mine)
        firsts = np.cumsum(every[:, 1:], axis=0) - every[:, 1:]
        return [_ranges(firsts[at, number], table[:, 1 + number]) for number in range(2)]

    def n_columns(self, collective: Collective) -> int:
        """Return the number of features. Raises DataError if workers have different numbers."""
        widths = {int(part["data"].shape[1]) for parts in self.parts for part in parts}
        every = {
            width for text in collective.gather_bytes(json.dumps(sorted(widths)).encode()) for width in json.loads(text)
        }
        if len(every) > 1:
            raise DataError(f"the rows have {sorted(every)} features; all need the same number.")
        return every.pop() if every else 0

    def categories(self, collective: Collective) -> dict[str, Any]:
        """Return the texts of each column of texts over all workers, ascending, as pandas' index."""
        found = _texts_of([part for parts in self.parts for part in parts])
        mine = json.dumps({name: sorted(texts) for name, texts in found.items()}).encode()
        for text in collective.gather_bytes(mine):
            for name, texts in json.loads(text).items():
                found.setdefault(name, set()).update(texts)
        return {name: _index_of(found[name]) for name in self._names or [] if name in found}

    def encode(self, code: Callable[[np.ndarray], np.ndarray]) -> None:
        """Replace the labels of each part by their codes, as float32."""
        for parts in self.parts:
            for part in parts:
                part["label"] = np.asarray(code(part["label"]), dtype=np.float32)

    def labels(self) -> list[np.ndarray]:
        """Return the labels of all parts."""
        return [part["label"] for parts in self.parts for part in parts]


def _read(
    batches: Iterable[pa.RecordBatch], names: list[str] | None, is_sparse: bool, partition: int
) -> list[tuple[np.ndarray, Part]]:
    """Return the rows in order, as parts with the key of each row."""
    found, has_tags = [], False
    for batch in batches:
        has_tags = "tag" in batch.schema.names
        for keys, some in _runs(batch, partition):
            part = part_of(some, names, is_sparse)
            if "held" in some.schema.names:
                part["held"] = some.column("held").to_numpy(zero_copy_only=False)
            found.append((keys, part))
    return [(tags >> BLOCK_BITS, part) for tags, part in _in_order(found)] if has_tags else found


def _runs(batch: pa.RecordBatch, partition: int) -> list[tuple[np.ndarray, pa.RecordBatch]]:
    """Return the tags or keys, and the rows, of pieces of a batch. Tags in a piece ascend, and are of one partition."""
    if batch.num_rows == 0:
        return []
    if "key" in batch.schema.names:
        if batch.column("key").null_count > 0:
            raise DataError("a row has no query (null); leave such rows out.")
        return [(batch.column("key").to_numpy(zero_copy_only=False), batch)]
    if "tag" not in batch.schema.names:
        return [(np.full(batch.num_rows, partition, dtype=np.int64), batch)]
    tags = batch.column("tag").to_numpy(zero_copy_only=False)
    places = tags >> BITS_OF_POSITION
    begins = np.flatnonzero((np.diff(places) != 0) | (np.diff(tags) <= 0)) + 1
    ends = [*begins.tolist(), len(tags)]
    return [(tags[begin:end], batch.slice(begin, end - begin)) for begin, end in zip([0, *ends], ends)]


def _in_order(runs: list[tuple[np.ndarray, Part]]) -> list[tuple[np.ndarray, Part]]:
    """Return runs of rows by ascending tags. Spark's shuffle keeps the rows of a partition together; if not, copy."""
    ordered = sorted(runs, key=lambda run: int(run[0][0]))
    if all(before[-1] < tags[0] for (before, _), (tags, _) in zip(ordered, ordered[1:])):
        return ordered
    joined, tags = _joined([part for _, part in ordered]), np.concatenate([tags for tags, _ in ordered])
    order = np.argsort(tags, kind="stable")
    return [(tags[order], {name: _chosen(block, order) for name, block in joined.items()})]


def _joined(parts: list[Part]) -> Part:
    """Return parts as one, whose columns of texts have the categories of all parts."""
    texts = {name: _index_of(found) for name, found in _texts_of(parts).items()} if len(parts) > 1 else {}
    alike = [{**part, "data": with_categories(part["data"], texts)} for part in parts]
    return {name: below_each_other([part[name] for part in alike]) for name in alike[0]}


def _texts_of(parts: list[Part]) -> dict[str, set[str]]:
    """Return the different texts of each column of texts."""
    found: dict[str, set[str]] = {}
    for part in parts:
        for name, dtype in getattr(part["data"], "dtypes", {}).items():
            if is_categorical(dtype):
                found.setdefault(name, set()).update(dtype.categories)
    return found


def _index_of(texts: set[str]) -> Any:
    import pandas as pd

    return pd.Index(sorted(texts), dtype=object)


def _chosen(block: Any, chosen: np.ndarray) -> Any:
    return block.iloc[chosen] if hasattr(block, "iloc") else block[chosen]


def _ranges(firsts: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return [first, count] of each run of consecutive rows."""
    firsts, counts = firsts[counts > 0], counts[counts > 0]
    if len(firsts) == 0:
        return np.empty((0, 2), dtype=np.int64)
    begins = np.flatnonzero(np.concatenate([[True], firsts[1:] != (firsts + counts)[:-1]]))
    return np.stack([firsts[begins], np.add.reduceat(counts, begins)], axis=1)
