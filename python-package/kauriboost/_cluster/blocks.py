"""Blocks of rows in Dask collections: pandas frames, NumPy arrays, sparse SciPy arrays."""

from __future__ import annotations

import io
import pickle
import re
import zlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._binding.errors import DataError
from .._data.categories import is_categorical
from .._data.texts import holds_text, text_codes

_MOST_TEXTS_OF_ANY_SHARE = 32  # the library's limit
Part = dict[str, Any]  # one partition's block of data, label and so on


class Description(NamedTuple):
    """Facts about a partition that the client knows without fetching it."""

    n_rows: int
    n_cols: int
    categories: dict[str, Any]  # for categorical columns: pandas' index of the names
    texts: dict[str, Any]  # for columns of text: pandas' index of the different texts
    queries: tuple[int, int, int, bool] | None  # first query, last query, rows of the first, whether it is the only one
    digest: int  # checksum of the numbers


def pack(names: Sequence[str], *blocks: Any) -> Part:
    """Return one partition's blocks of data, label and so on under their names. Nothing is copied."""
    part = dict(zip(names, blocks))
    n_rows = part["data"].shape[0]
    for name, block in part.items():
        if block.shape[0] != n_rows:
            raise DataError(
                f"a partition has {n_rows} rows of data and {block.shape[0]} of {name}; partition both alike."
            )
    return part


def describe(part: Part) -> Description:
    """Return the facts about a partition that are needed to place its rows."""
    data = part["data"]
    queries, digest = _queries(part.get("qid")), _digest(part)
    return Description(data.shape[0], data.shape[1], _categories(data), _texts(data), queries, digest)


def _categories(data: Any) -> dict[str, Any]:
    if not hasattr(data, "dtypes") or not hasattr(data, "iloc"):
        return {}
    return {name: data[name].cat.categories for name, dtype in data.dtypes.items() if is_categorical(dtype)}


def _texts(data: Any) -> dict[str, Any]:
    if not hasattr(data, "dtypes") or not hasattr(data, "iloc"):
        return {}
    columns = [name for name, dtype in data.dtypes.items() if not is_categorical(dtype) and holds_text(data[name])]
    return {name: text_codes(data[name])[1] for name in columns}


def _queries(qid: Any) -> tuple[int, int, int, bool] | None:
    if qid is None or len(qid) == 0:
        return None
    values = np.asarray(qid).reshape(-1)
    head = int(np.argmax(values != values[0])) if values[0] != values[-1] else len(values)
    return int(values[0]), int(values[-1]), head, head == len(values)


class _NumbersPickler(pickle.Pickler):
    """Passes all arrays of numbers as buffers, including views of some columns or rows of another array."""

    def __init__(self, take: Callable[[pickle.PickleBuffer], None]) -> None:
        super().__init__(io.BytesIO(), protocol=5, buffer_callback=take)

    def reducer_override(self, thing: Any) -> Any:
        is_view = type(thing) is np.ndarray and not (thing.flags.c_contiguous or thing.flags.f_contiguous)
        return np.ascontiguousarray(thing).__reduce_ex__(5) if is_view else NotImplemented


def _digest(part: Part) -> int:
    """Return a checksum of the numbers, to verify that recomputed rows are the same."""
    digest = 0
    for name in sorted(part):
        buffers: list[pickle.PickleBuffer] = []
        _NumbersPickler(buffers.append).dump(part[name])
        for buffer in buffers:
            digest = zlib.crc32(buffer.raw(), digest)
    return digest


def rows_of_part(part: Part, begin: int, end: int) -> Part:
    """Return some rows of a partition."""
    return {name: block.iloc[begin:end] if hasattr(block, "iloc") else block[begin:end] for name, block in part.items()}


def below_each_other(blocks: Sequence[Any]) -> Any:
    """Return the blocks concatenated by rows."""
    if len(blocks) == 1:
        return blocks[0]
    if hasattr(blocks[0], "iloc"):
        import pandas as pd

        return pd.concat(blocks)
    if hasattr(blocks[0], "tocsr"):
        from scipy import sparse

        return sparse.vstack(blocks, format="csr")
    return np.concatenate(blocks)


def with_categories(data: Any, names: dict[str, Any]) -> Any:
    """Return a frame with these categories in its columns of categories or text, because blocks may have others."""
    recoded = {name: _recoded(data[name], index) for name, index in names.items()}
    other = {name: column for name, column in recoded.items() if column is not None}
    return data.assign(**other) if other else data


def _recoded(column: Any, index: Any) -> Any:
    """Return a column with these categories; None if it has them already."""
    if not is_categorical(column.dtype):  # text, or a block in which every text is missing
        import pandas as pd

        return pd.Categorical(column, categories=index)
    return None if column.cat.categories.equals(index) else column.cat.set_categories(index)


def union_of_categories(descriptions: Sequence[Description]) -> dict[str, Any]:
    """Return the categories of each categorical column over all partitions, in order of appearance.

    This equals the categories of the frame that ``compute()`` makes of the collection.
    """
    union: dict[str, Any] = {}
    for description in descriptions:
        for name, index in description.categories.items():
            before = union.get(name, index)
            union[name] = before if before.equals(index) else before.append(index.difference(before, sort=False))
    return union


def union_of_texts(descriptions: Sequence[Description]) -> dict[str, Any]:
    """Return the different texts of each column of text over all partitions, in ascending order."""
    union: dict[str, Any] = {}
    for description in descriptions:
        for name, index in description.texts.items():
            union[name] = index if name not in union else union[name].union(index, sort=False)
    return {name: index.sort_values() for name, index in union.items()}


def check_texts(texts: dict[str, Any], columns: Sequence[str], n_rows: int) -> None:
    """Raise DataError for a column of texts that are no categories, as the library does in one process."""
    for name, names in texts.items():
        column = f"column {columns.index(name)} ({name!r})"
        if len(names) and all(map(_is_number, names)):
            raise DataError(
                f"{column} holds text that is numbers, such as {names[0]!r}; make it numbers with .astype(float). If "
                "the texts are categories, declare them: .astype('category')."
            )
        if len(names) > _MOST_TEXTS_OF_ANY_SHARE and len(names) > n_rows // 2:
            raise DataError(
                f"{column} has {len(names)} different texts, more than half as many as rows, such as {names[0]!r}, as "
                "identifiers and prose have, and nothing can be learnt from so many categories; leave the column out, "
                "or make numbers of it. If the texts are categories all the same, declare them: .astype('category')."
            )


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|-?inf(inity)?|-?nan", text, re.IGNORECASE) is not None
