"""Calls of boosters with several output arguments: predictions, explanations, scores, attributes, slices."""

from __future__ import annotations

import math
from collections.abc import Callable
from ctypes import (
    POINTER,
    byref,
    c_char_p,
    c_double,
    c_float,
    c_int,
    c_int32,
    c_int64,
    c_uint32,
    c_uint64,
    c_void_p,
    cast,
)
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .arrays import copied
from .calls import call_handle, strings_out
from .library import LIB, Function, check, last_error
from .owner import Owner
from .signatures import Handle
from .text import decode, encode_text

_NO_SUCH_ROUND = -2  # XGBoosterSlice's status
_TAKEN_FLOATS = 1 << 18  # a smaller result is copied, which is faster than making an owner
_Names = TypeVar("_Names")


def call_prediction(function: Function, *args: Any) -> np.ndarray:
    """Call a function whose last arguments receive a shape and float32 values; return a copy of them."""
    shape = POINTER(c_uint64)()
    dim = c_uint64()
    values = POINTER(c_float)()
    check(function(*args, byref(shape), byref(dim), byref(values)))
    return copied(values, tuple(shape[i] for i in range(dim.value)))


class _Result(Owner):
    """Memory of a result with NumPy's array interface; arrays made from it keep it alive."""

    _FREE = LIB.KauriHostArrayFree

    def __init__(self, handle: Handle, address: int, shape: tuple[int, ...]) -> None:
        self.handle = handle
        self.__array_interface__ = {"data": (address, False), "typestr": "<f4", "shape": shape, "version": 3}


def call_result(function: Function, booster: Handle, *args: Any) -> np.ndarray:
    """Call a function that explains or predicts rows; a large result is returned without a copy."""
    shape = POINTER(c_uint64)()
    dim = c_uint64()
    values = POINTER(c_float)()
    check(function(booster, *args, byref(shape), byref(dim), byref(values)))
    lengths = tuple(shape[i] for i in range(dim.value))
    if math.prod(lengths) < _TAKEN_FLOATS:
        return copied(values, lengths)
    address = cast(values, c_void_p).value or 0
    return np.asarray(_Result(call_handle(LIB.KauriBoosterTakeExplanation, booster), address, lengths))


def predict_matrix(booster: Handle, matrix: Handle, settings: bytes, may_be_taken: bool) -> np.ndarray:
    """Call XGBoosterPredictFromDMatrix. may_be_taken: False for predictions from the margins of training."""
    call = call_result if may_be_taken else call_prediction
    return call(LIB.XGBoosterPredictFromDMatrix, booster, matrix, settings)


class DevicePrediction(NamedTuple):
    """A prediction in device memory."""

    owner: Handle
    address: int
    shape: tuple[int, ...]


def call_device_prediction(booster: Handle, function: Function, *args: Any) -> DevicePrediction:
    """Call a function that predicts in device memory."""
    shape = POINTER(c_uint64)()
    dim = c_uint64()
    values = POINTER(c_float)()
    check(function(booster, *args, byref(shape), byref(dim), byref(values)))
    lengths = tuple(shape[i] for i in range(dim.value))
    address = cast(values, c_void_p).value or 0
    return DevicePrediction(call_handle(LIB.KauriBoosterTakePrediction, booster), address, lengths)


class SparseCells(NamedTuple):
    """Result of KauriBoosterExplainSparse."""

    n_outputs: int
    begin: np.ndarray
    first: np.ndarray
    second: np.ndarray
    values: np.ndarray


def call_sparse(booster: Handle, matrix: Handle, n_rows: int, settings: bytes) -> SparseCells:
    """Call KauriBoosterExplainSparse."""
    n_outputs = c_uint64()
    begin, first, second, values = POINTER(c_int64)(), POINTER(c_uint32)(), POINTER(c_uint32)(), POINTER(c_float)()
    outs = [byref(pointer) for pointer in (begin, first, second, values)]
    check(LIB.KauriBoosterExplainSparse(booster, matrix, settings, byref(n_outputs), *outs))
    n_blocks = n_rows * n_outputs.value
    shape = (begin[n_blocks],)
    return SparseCells(
        n_outputs.value,
        copied(begin, (n_blocks + 1,)),
        copied(first, shape),
        copied(second, shape),
        copied(values, shape),
    )


class SetCells(NamedTuple):
    """Result of KauriBoosterExplainInteractions."""

    n_outputs: int
    set_begin: np.ndarray
    members: np.ndarray
    begin: np.ndarray
    sets: np.ndarray
    values: np.ndarray
    base_values: np.ndarray


def call_interactions(booster: Handle, matrix: Handle, n_rows: int, settings: bytes) -> SetCells:
    """Call KauriBoosterExplainInteractions."""
    n_outputs, n_sets = c_uint64(), c_uint64()
    set_begin, begin = POINTER(c_int64)(), POINTER(c_int64)()
    members, sets = POINTER(c_uint32)(), POINTER(c_uint32)()
    values, base_values = POINTER(c_float)(), POINTER(c_float)()
    pointers = (set_begin, members, begin, sets, values, base_values)
    outs = [byref(out) for out in (n_outputs, n_sets, *pointers)]
    check(LIB.KauriBoosterExplainInteractions(booster, matrix, settings, *outs))
    n_blocks = n_rows * n_outputs.value
    n_entries = (begin[n_blocks],)
    return SetCells(
        n_outputs.value,
        copied(set_begin, (n_sets.value + 1,)),
        copied(members, (set_begin[n_sets.value],)),
        copied(begin, (n_blocks + 1,)),
        copied(sets, n_entries),
        copied(values, n_entries),
        copied(base_values, (n_blocks,)),
    )


class DependenceValues(NamedTuple):
    """Result of KauriBoosterDependence."""

    n_outputs: int
    begin: np.ndarray
    thresholds: np.ndarray
    values: np.ndarray
    pairs: np.ndarray
    cells: np.ndarray


def call_dependence(
    booster: Handle, background: Handle, points: Handle | None, n_points: int, settings: bytes
) -> DependenceValues:
    """Call KauriBoosterDependence."""
    n_outputs, n_features, n_values, n_pairs = (c_uint64() for _ in range(4))
    begin, thresholds, values = POINTER(c_int64)(), POINTER(c_float)(), POINTER(c_double)()
    pairs, cells = POINTER(c_uint32)(), POINTER(c_int32)()
    outs = (n_outputs, n_features, begin, thresholds, values, n_values, n_pairs, pairs, cells)
    check(LIB.KauriBoosterDependence(booster, background, points, settings, *map(byref, outs)))
    return DependenceValues(
        n_outputs.value,
        copied(begin, (n_features.value + 1,)),
        copied(thresholds, (begin[n_features.value],)),
        copied(values, (n_values.value,)),
        copied(pairs, (n_pairs.value, 2)),
        copied(cells, (n_points, n_features.value)),
    )


def call_scores(booster: Handle, settings: bytes) -> tuple[list[str], np.ndarray]:
    """Call XGBoosterFeatureScore; return the names of the features and their scores."""
    n_features = c_uint64()
    names = POINTER(c_char_p)()
    shape = POINTER(c_uint64)()
    dim = c_uint64()
    scores = POINTER(c_float)()
    outs = [byref(out) for out in (n_features, names, dim, shape, scores)]
    check(LIB.XGBoosterFeatureScore(booster, settings, *outs))
    values = copied(scores, tuple(shape[i] for i in range(dim.value)))
    return strings_out(names, n_features.value), values


def call_attribute(booster: Handle, key: str) -> str | None:
    """Call XGBoosterGetAttr."""
    out = c_char_p()
    success = c_int()
    check(LIB.XGBoosterGetAttr(booster, encode_text(key), byref(out), byref(success)))
    return decode(out.value) if success.value and out.value is not None else None


def call_slice(booster: Handle, begin: int, end: int, step: int) -> Handle:
    """Call XGBoosterSlice. Raises IndexError for rounds that the booster does not have."""
    out = Handle()
    status = LIB.XGBoosterSlice(booster, begin, end, step, byref(out))
    if status == _NO_SUCH_ROUND:
        raise IndexError(last_error())
    check(status)
    return out


def call_categories(function: Function, handle: Handle, read: Callable[[str | None], _Names]) -> _Names:
    """Return `read` of the JSON of category names; the memory that this points into is freed afterwards."""
    container, document = Handle(), c_char_p()
    check(function(handle, None, byref(container), byref(document)))
    try:
        return read(None if document.value is None else decode(document.value))
    finally:
        check(LIB.XGBCategoriesFree(container))
