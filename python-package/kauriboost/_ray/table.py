"""A dataset as the workers of a training read it.

The order of rows is by block, and within a block by position. A slice is a run of rows of one block, small enough that
its numbers take a few megabytes. Tasks of Ray describe the blocks where they are: how many rows, which categories,
where queries begin, and a checksum for each slice. No row comes to the driver.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import ray

from .._binding.errors import DataError
from .._cluster.blocks import Description, Part, check_texts, describe, union_of_categories, union_of_texts
from .._cluster.rows import no_rows_of
from .columns import CATEGORY, NOTHING, NUMBER, TEXT, Columns, as_table, feature_names, part_of_table
from .waiting import in_time, results_of

_VALUES_OF_A_SLICE = 1 << 22  # 16 MiB as float32
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, mixes the bits of a value
_BASE = np.uint64(0xD1342543DE82EF95)  # odd, of the powers by which rows count


class Slice(NamedTuple):
    """A run of rows of one block."""

    begin: int  # in the block
    n_rows: int
    digest: int  # checksum of its numbers


class Facts(NamedTuple):
    """The description of a block."""

    slices: list[Slice]
    names: Any  # of the features, or of the column of vectors
    width: int
    kinds: dict[str, str]  # column of features -> kind
    description: Description | None  # the first slice, with the categories of all slices
    queries: tuple[np.ndarray, np.ndarray] | None  # runs of equal queries, and their first rows
    classes: np.ndarray | None  # the different labels, if they were asked for
    checksum: int  # of features, labels and so on


class Table(NamedTuple):
    """A dataset as the workers read it."""

    columns: Columns
    names: list[str] | None  # of features with a column each
    width: int
    blocks: list[Any]  # references to the blocks
    of_slices: np.ndarray  # the block, the first row in it, the first row of all, the number of rows: [n_slices, 4]
    digests: list[int]
    kinds: dict[str, str]
    categories: dict[str, Any]  # of columns of categories and texts
    query_starts: np.ndarray | None  # the first row of each query, ascending
    classes: np.ndarray | None
    checksum: int

    @property
    def n_rows(self) -> int:
        """The number of rows of all blocks."""
        return int(self.of_slices[:, 3].sum())

    @property
    def no_rows(self) -> Any:
        """Features without rows."""
        return no_rows_of(self.names, self.categories, self.width)

    def share(self, rank: int, size: int) -> tuple[int, int]:
        """Return the first row of a rank, and the first one of the next. Queries stay together."""
        ends = [self.n_rows * each // size for each in (rank, rank + 1)]
        return (self.at_query(ends[0]), self.at_query(ends[1]))

    def at_query(self, row: int) -> int:
        """Return the first row at or after `row` at which a query begins; `row` itself without queries."""
        if self.query_starts is None:
            return row
        at = int(np.searchsorted(self.query_starts, row))
        return int(self.query_starts[at]) if at < len(self.query_starts) else self.n_rows


def describe_block(columns: Columns, given: tuple[int, int] | None, wants_classes: bool, block: Any) -> Facts:
    """Return what is to be known about the rows of a block."""
    table = as_table(block)
    begin, end = given or (0, table.num_rows)
    if end == begin:  # a block without rows may have no columns either
        return Facts([], None, 0, {}, None, None, None, 0)
    names = feature_names(table, columns)
    slices: list[Slice] = []
    kinds: dict[str, str] = {}
    descriptions, queries, classes, checksum = [], [], [], 0
    width = int(part_of_table(table.slice(begin, 1), columns)[0]["data"].shape[1])
    first = begin
    while begin < end:
        part, found = part_of_table(table.slice(begin, min(_rows_at_once(width), end - begin)), columns)
        n_rows = int(part["data"].shape[0])
        description = describe(part)
        slices.append(Slice(begin, n_rows, description.digest))
        descriptions.append(description)
        kinds = _kinds_of_both(kinds, found)
        checksum = (checksum + after(begin - first, checksum_of(part))) % (1 << 64)
        queries.append(part.get("qid", np.empty(0, dtype=np.int64)))
        if wants_classes and part["label"].ndim == 1:
            classes.append(np.unique(part["label"]))
        begin += n_rows
    whole = descriptions[0]._replace(categories=union_of_categories(descriptions))
    starts = _runs(np.concatenate(queries)) if columns.qid is not None else None
    labels = np.unique(np.concatenate(classes)) if classes else None
    return Facts(slices, names, width, kinds, whole, starts, labels, checksum)


def _rows_at_once(width: int) -> int:
    return max(1, _VALUES_OF_A_SLICE // max(1, width))


def _runs(queries: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    starts = np.flatnonzero(np.concatenate([[True], queries[1:] != queries[:-1]]))
    return queries[starts], starts


def checksum_of(part: Part) -> int:
    """Return a checksum of rows in their order: the sum of each row's hash times a power of a constant, modulo 2^64.

    The checksum of rows that follow others is multiplied by the power of their number, so it can be put together.
    """
    hashes = _hashes_of(part)
    powers = np.full(len(hashes), _BASE, dtype=np.uint64)
    powers[0] = 1
    return int((hashes * np.cumprod(powers, dtype=np.uint64)).sum(dtype=np.uint64))


def after(n_rows: int, checksum: int) -> int:
    """Return the checksum of rows that follow `n_rows` others, from their own checksum."""
    return checksum * pow(int(_BASE), n_rows, 1 << 64) % (1 << 64)


def _hashes_of(part: Part) -> np.ndarray:
    """Return a hash of each row, uint64."""
    data = part["data"]
    found = np.zeros(data.shape[0], dtype=np.uint64)
    if hasattr(data, "iloc"):
        columns = [_hashed_column(data[name]) for name in data.columns]
    elif hasattr(data, "tocsr"):
        ends = np.cumsum(_mixed(_bits(data.data), data.indices.astype(np.uint64)), dtype=np.uint64)
        sums = np.concatenate([np.zeros(1, dtype=np.uint64), ends])
        columns = [sums[data.indptr[1:]] - sums[data.indptr[:-1]]]
    else:
        columns = [_bits(column) for column in data.T]
    for name in ("label", "weight", "base_margin"):
        if name in part:
            columns += [_bits(column) for column in np.atleast_2d(part[name].T)]
    if "qid" in part:
        columns.append(part["qid"].astype(np.uint64))
    for column in columns:
        found = _mixed(found, column)
    return found


def _hashed_column(column: Any) -> np.ndarray:
    """Return the bits of numbers, or a checksum of the name of each category."""
    if not hasattr(column, "cat"):
        return _bits(column.to_numpy())
    names = [zlib.crc32(str(name).encode()) for name in column.cat.categories]
    of_codes = np.array([*names, 0], dtype=np.uint64)
    return np.asarray(of_codes[column.cat.codes.to_numpy()])  # a missing value has the code -1


def _bits(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values, dtype=np.float32).view(np.uint32).astype(np.uint64)


def _mixed(hashes: np.ndarray, values: np.ndarray) -> np.ndarray:
    found = (hashes ^ values) * _FACTOR
    return np.asarray(found ^ (found >> np.uint64(32)), dtype=np.uint64)


def read(dataset: Any, columns: Columns, timeout: float, wants_classes: bool = False) -> Table:
    """Compute a dataset, and describe it. Raises DataError for columns that are missing, of another type or unlike."""
    blocks, ranges = _blocks_of(dataset, columns, timeout)
    task = ray.remote(describe_block)
    refs = [task.remote(columns, given, wants_classes, block) for block, given in zip(blocks, ranges)]
    return _table(columns, blocks, results_of(refs, timeout, "the description of the dataset"))


def _blocks_of(dataset: Any, columns: Columns, timeout: float) -> tuple[list[Any], list[Any]]:
    """Return references to the blocks in their order, and for each the range of its rows, or None for all."""
    names = columns.all()
    if names is not None:
        known = dataset.schema(fetch_if_missing=False)
        missing = [name for name in names if known is not None and name not in known.names]
        if missing:
            raise DataError(f"the dataset has no column {missing[0]!r}; its columns are {', '.join(known.names)}.")
        dataset = dataset.select_columns(names)
    options = dataset.context.execution_options
    before, options.preserve_order = options.preserve_order, True
    blocks, ranges = [], []
    try:
        for bundle in in_time(_bundles(dataset), timeout, lambda: _late(timeout)):
            slices = getattr(bundle, "slices", None) or [None] * len(bundle.blocks)
            for entry, given in zip(bundle.blocks, slices):
                blocks.append(entry[0] if isinstance(entry, tuple) else entry.ref)
                ranges.append(None if given is None else (given.start_offset, given.end_offset))
    finally:
        options.preserve_order = before
    return blocks, ranges


def _bundles(dataset: Any) -> Iterator[Any]:
    yield from dataset.iter_internal_ref_bundles()


def _late(timeout: float) -> DataError:
    return DataError(
        f"Ray Data has computed no further block of the dataset for {timeout:g} s. The cluster may have no free CPU or "
        "memory: end other work, or raise `timeout`."
    )


def _table(columns: Columns, blocks: Sequence[Any], every: Sequence[Facts]) -> Table:
    filled = [facts for facts in every if facts.slices]
    if not filled:
        raise DataError("the dataset has no rows.")
    _require_alike(filled)
    first = filled[0]
    kinds: dict[str, str] = {}
    for facts in filled:
        kinds = _kinds_of_both(kinds, facts.kinds)
    of_slices = [(number, each.begin, 0, each.n_rows) for number, facts in enumerate(every) for each in facts.slices]
    numbers = np.array(of_slices, dtype=np.int64).reshape(-1, 4)
    numbers[:, 2] = np.cumsum(numbers[:, 3]) - numbers[:, 3]
    names = None if isinstance(first.names, str) else list(first.names)
    return Table(
        columns=columns._replace(features=first.names if isinstance(first.names, str) else tuple(first.names)),
        names=names,
        width=first.width,
        blocks=list(blocks),
        of_slices=numbers,
        digests=[each.digest for facts in every for each in facts.slices],
        kinds=kinds,
        categories=_categories(filled, kinds, names, int(numbers[:, 3].sum())),
        query_starts=None if columns.qid is None else _query_starts(filled, columns.qid),
        classes=None if first.classes is None else np.unique(np.concatenate([facts.classes for facts in filled])),
        checksum=_checksum_of_all(filled),
    )


def _checksum_of_all(filled: Sequence[Facts]) -> int:
    checksum, n_rows = 0, 0
    for facts in filled:
        checksum = (checksum + after(n_rows, facts.checksum)) % (1 << 64)
        n_rows += sum(each.n_rows for each in facts.slices)
    return checksum


def _require_alike(filled: Sequence[Facts]) -> None:
    first = filled[0]
    for facts in filled:
        if facts.names != first.names:
            raise DataError(f"a block has the features {facts.names}, another one {first.names}; all need the same.")
        if facts.width != first.width:
            raise DataError(f"the vectors of features have {first.width} and {facts.width} numbers; all need the same.")


def _kinds_of_both(kinds: dict[str, str], others: dict[str, str]) -> dict[str, str]:
    """Return the kinds of columns in two blocks. A column without values in one of them has the kind of the other."""
    if not kinds:
        return others
    both = dict(kinds)
    for name, kind in others.items():
        if both[name] == NOTHING:
            both[name] = kind
        elif kind not in (NOTHING, both[name]):
            known = {NUMBER: "numbers", TEXT: "texts", CATEGORY: "categories"}
            raise DataError(
                f"the feature {name!r} has {known[both[name]]} in one block and {known[kind]} in another; all blocks "
                "need the same."
            )
    return both


def _categories(filled: Sequence[Facts], kinds: dict[str, str], names: Any, n_rows: int) -> dict[str, Any]:
    """Return the categories of columns: in order of appearance, or ascending for texts."""
    described = [facts.description for facts in filled if facts.description is not None]
    texts = [each._replace(texts=_of_kind(each.categories, kinds, TEXT)) for each in described]
    found = union_of_texts(texts)
    check_texts(found, list(names or []), n_rows)
    categories = [each._replace(categories=_of_kind(each.categories, kinds, CATEGORY)) for each in described]
    return {**union_of_categories(categories), **found}


def _of_kind(categories: dict[str, Any], kinds: dict[str, str], kind: str) -> dict[str, Any]:
    return {name: index for name, index in categories.items() if kinds.get(name) == kind}


def _query_starts(filled: Sequence[Facts], name: str) -> np.ndarray:
    starts, first, last = [], 0, None
    for facts in filled:
        queries, begins = facts.queries or (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
        if (queries[1:] < queries[:-1]).any() or (last is not None and queries[0] < last):
            raise DataError(
                f"the queries in the column {name!r} do not ascend, so the rows of a query may be apart; sort the "
                f"dataset: dataset.sort({name!r})."
            )
        starts.append(first + (begins if queries[0] != last else begins[1:]))
        first, last = first + sum(each.n_rows for each in facts.slices), queries[-1]
    return np.concatenate(starts)


def fingerprint_of(tables: Sequence[Table], settings: dict[str, Any]) -> str:
    """Return a text that differs for other rows and other settings, but not for other blocks of the same rows."""
    rows = [[table.n_rows, table.width, table.names, table.checksum] for table in tables]
    return hashlib.sha256(json.dumps([rows, settings], sort_keys=True, default=repr).encode()).hexdigest()
