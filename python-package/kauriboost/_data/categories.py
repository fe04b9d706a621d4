"""Names of categories: their transfer from the columns of frames into the library and back."""

from __future__ import annotations

import json
import weakref
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, Union

import numpy as np

from .._binding.arrays import interface_members
from .._binding.errors import DataError

CategoryNames = Union[list[str], list[int]]


def is_categorical(dtype: Any) -> bool:
    """Return whether a pandas column of this dtype is categorical."""
    return not isinstance(dtype, np.dtype) and str(dtype) == "category"


class _EncodedNames:
    """Cache of the encoded names of pandas indexes; an entry lives as long as its index.

    An index never changes, and frames cut from one another share theirs. So a frame of one row with 50,000 category
    names does not encode them again.
    """

    _FEWEST = 256  # fewest names for which the cache pays off

    def __init__(self) -> None:
        self._kept: dict[int, tuple[weakref.ref[Any], tuple[np.ndarray, np.ndarray]]] = {}

    def of(self, categories: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return offsets, ``[n + 1]``, and UTF-8 bytes."""
        if len(categories) < self._FEWEST:
            return _encode(categories)
        key = id(categories)
        kept = self._kept.get(key)
        if kept is not None and kept[0]() is categories:
            return kept[1]
        encoded = _encode(categories)
        self._kept[key] = (weakref.ref(categories, lambda gone: self._forget(key, gone)), encoded)
        return encoded

    def _forget(self, key: int, gone: weakref.ref[Any]) -> None:
        kept = self._kept.get(key)
        if kept is not None and kept[0] is gone:  # otherwise another index is at that address now
            self._kept.pop(key, None)


def _encode(categories: Any) -> tuple[np.ndarray, np.ndarray]:
    texts = list(map(str, categories.tolist()))
    joined = "".join(texts)
    try:
        data = joined.encode()
    except UnicodeEncodeError as error:
        raise DataError(f"a category has a name that is not Unicode: {error.object[error.start]!r}.") from None
    lengths = map(len, texts) if len(data) == len(joined) else (len(text.encode()) for text in texts)
    offsets = np.cumsum([0, *lengths], dtype=np.int32)
    return offsets, np.frombuffer(data or b"\0", dtype=np.int8)


_encoded_names = _EncodedNames()


def _names_of(categories: Any) -> tuple[Any, list[np.ndarray]]:
    """Return the names of a pandas index in the library's form, and the arrays that they point into."""
    if getattr(categories.dtype, "kind", "O") in "iuf":
        numbers = np.ascontiguousarray(categories.to_numpy())
        return interface_members(numbers), [numbers]
    offsets, values = _encoded_names.of(categories)
    return {"offsets": interface_members(offsets), "values": interface_members(values)}, [offsets, values]


def named_codes(
    codes: np.ndarray, categories: Any, numbers: np.ndarray | None = None, is_text: bool = False
) -> tuple[bytes, list[np.ndarray]]:
    """Return codes (-1 for missing) and the names of their categories as JSON, and the arrays that it points into.

    If `categories` are only some of a column's categories, `numbers` has the index of each among all of them. A model
    without category names uses these indices. `is_text` says that the categories are the texts of a column, which the
    library checks before training.
    """
    values = codes.astype(np.float32)
    values[values < 0] = np.nan
    names, arrays = _names_of(categories)
    if is_text:
        names = {**names, "are_collected": True}
    parts = [names, interface_members(values)]
    if numbers is not None:
        parts.append(interface_members(numbers))
        arrays = [*arrays, numbers]
    return json.dumps(parts).encode(), [values, *arrays]


def categorical_column(column: Any) -> tuple[bytes, list[np.ndarray]]:
    """Return a categorical pandas column as JSON, and the arrays that the JSON points into."""
    return named_codes(column.cat.codes.to_numpy(), column.cat.categories)


def _array(members: dict[str, Any]) -> np.ndarray:
    members = {**members, "shape": tuple(members["shape"]), "strides": tuple(members["strides"])}
    members["data"] = tuple(members["data"])
    if 0 in members["shape"]:
        return np.empty(0, dtype=members["typestr"])
    return np.array(SimpleNamespace(__array_interface__=members))


def _read(names: dict[str, Any] | None) -> CategoryNames | None:
    if names is None:
        return None
    if "offsets" not in names:
        numbers: list[int] = _array(names).tolist()
        return numbers
    offsets, values = _array(names["offsets"]), _array(names["values"]).tobytes()
    bounds = zip(offsets[:-1].tolist(), offsets[1:].tolist())
    return [values[begin:end].decode(errors="replace") for begin, end in bounds]


def read_names(document: str | None, features: Sequence[str]) -> dict[str, CategoryNames]:
    """Return exported names by feature; features without names are left out."""
    exported = [] if document is None else json.loads(document)
    read = {name: _read(names) for name, names in zip(features, exported)}
    return {name: names for name, names in read.items() if names is not None}


def refuse_categorical(types: Sequence[str] | None, names: Sequence[str] | None) -> None:
    """Raise DataError if a column is categorical."""
    for column, column_type in enumerate(types or []):
        if column_type == "c":
            name = str(column) if names is None else names[column]
            raise DataError(
                f"column {name} is categorical and enable_categorical is False; pass enable_categorical=True, or "
                "encode it as numbers, for example one-hot."
            )
