"""The rows of one worker: read from Arrow batches, and numbered together with the other workers."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from .._binding.errors import DataError
from .._cluster.arrow import part_of
from .._cluster.blocks import Part, below_each_other
from .._collective.collective import Collective


class WorkerRows:
    """The rows of one worker, those to learn from and those that are held out.

    Parameters
    ----------
    batches
        Arrow batches with the columns of `columns.placed`, in order.
    names
        The names of the features, if each has a column.
    is_sparse
        As for `arrow.features_of`.

    Attributes
    ----------
    parts
        For the rows to learn from (0) and held-out ones (1): a part for each batch.
    """

    def __init__(self, batches: Iterable[pa.RecordBatch], names: list[str] | None, is_sparse: bool) -> None:
        self.parts: list[list[Part]] = [[], []]
        self._names = names
        keys: list[list[np.ndarray]] = [[], []]
        for batch in batches:
            if batch.num_rows > 0:
                self._add(batch, part_of(batch, names, is_sparse), keys)
        none = [np.empty(0, dtype=np.int64)]
        self._keys = [np.concatenate(none + of_set) for of_set in keys]  # of each row

    def _add(self, batch: pa.RecordBatch, part: Part, keys: list[list[np.ndarray]]) -> None:
        if batch.column("key").null_count > 0:
            raise DataError("a row has no query (null); leave such rows out.")
        of_rows = batch.column("key").to_numpy(zero_copy_only=False)
        held = np.zeros(len(of_rows), dtype=bool)
        if "held" in batch.schema.names:
            held = batch.column("held").to_numpy(zero_copy_only=False)
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
            joined = {name: below_each_other([part[name] for part in parts]) for name in parts[0]}
            queries = self._keys[number]
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
        import pandas as pd

        found: dict[str, set[str]] = {}
        for parts in self.parts:
            for part in parts:
                data = part["data"]
                for name, dtype in getattr(data, "dtypes", pd.Series(dtype=object)).items():
                    if isinstance(dtype, pd.CategoricalDtype):
                        found.setdefault(name, set()).update(dtype.categories)
        mine = json.dumps({name: sorted(texts) for name, texts in found.items()}).encode()
        for text in collective.gather_bytes(mine):
            for name, texts in json.loads(text).items():
                found.setdefault(name, set()).update(texts)
        return {name: pd.Index(sorted(found[name]), dtype=object) for name in self._names or [] if name in found}

    def labels(self) -> list[np.ndarray]:
        """Return the labels of all parts."""
        return [part["label"] for parts in self.parts for part in parts]


def _chosen(block: Any, chosen: np.ndarray) -> Any:
    return block.loc[chosen] if hasattr(block, "iloc") else block[chosen]


def _ranges(firsts: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return [first, count] of each run of consecutive rows."""
    firsts, counts = firsts[counts > 0], counts[counts > 0]
    if len(firsts) == 0:
        return np.empty((0, 2), dtype=np.int64)
    begins = np.flatnonzero(np.concatenate([[True], firsts[1:] != (firsts + counts)[:-1]]))
    return np.stack([firsts[begins], np.add.reduceat(counts, begins)], axis=1)
