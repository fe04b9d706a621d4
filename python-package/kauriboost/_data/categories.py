"""Names of categories: from the columns of frames into the library and back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, Union

import numpy as np

from .._binding.arrays import interface_members
from .._binding.errors import DataError

CategoryNames = Union[list[str], list[int]]


def is_categorical(dtype: Any) -> bool:
    """Whether a pandas column of this dtype is categorical."""
    return not isinstance(dtype, np.dtype) and str(dtype) == "category"


def _names_of(categories: Any) -> tuple[Any, list[np.ndarray]]:
    """Return the names of a pandas index as the library takes them, and the arrays that they point into."""
    if getattr(categories.dtype, "kind", "O") in "iuf":
        numbers = np.ascontiguousarray(categories.to_numpy())
        return interface_members(numbers), [numbers]
    texts = [str(name).encode() for name in categories.tolist()]
    offsets = np.cumsum([0, *map(len, texts)], dtype=np.int32)
    values = np.frombuffer(b"".join(texts) or b"\0", dtype=np.int8)
    return {"offsets": interface_members(offsets), "values": interface_members(values)}, [offsets, values]


def named_codes(codes: np.ndarray, categories: Any) -> tuple[bytes, list[np.ndarray]]:
    """Return codes, -1 where missing, with the index of their names as JSON, and the arrays that it points into."""
    values = codes.astype(np.float32)
    values[values < 0] = np.nan
    names, arrays = _names_of(categories)
    return json.dumps([names, interface_members(values)]).encode(), [values, *arrays]


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
    """Return what the library exports, by feature; features without names are left out."""
    exported = [] if document is None else json.loads(document)
    read = {name: _read(names) for name, names in zip(features, exported)}
    return {name: names for name, names in read.items() if names is not None}


def refuse_categorical(types: Sequence[str] | None, names: Sequence[str] | None) -> None:
    """Raise DataError when a column is categorical."""
    for column, column_type in enumerate(types or []):
        if column_type == "c":
            name = str(column) if names is None else names[column]
            raise DataError(
                f"column {name} is categorical and enable_categorical is False; pass enable_categorical=True, or "
                "encode it as numbers, for example one-hot."
            )
