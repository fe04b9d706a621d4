"""Calls for matrices: creation from Arrow capsules and iterators, slices, and rows as CSR."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from ctypes import POINTER, byref, c_char_p, c_double, c_float, c_int, c_uint, c_uint64, c_void_p, py_object
from typing import Any, NamedTuple, Union

import numpy as np

from .arrays import copied
from .calls import call_handle
from .library import LIB, Function, check
from .signatures import Handle, NextCallback, ResetCallback

# ---- Arrow -----------------------------------------------------------------------------------------------------------

_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.argtypes = [py_object, c_char_p]
_get_pointer.restype = c_void_p


class ArrowStream(NamedTuple):
    """A capsule with a stream of a table's batches."""

    stream: Any

    def addresses(self) -> list[int]:
        """Return the address in the capsule."""
        return [_get_pointer(self.stream, b"arrow_array_stream")]


class ArrowArray(NamedTuple):
    """The capsules of one batch."""

    schema: Any
    array: Any

    def addresses(self) -> list[int]:
        """Return the addresses in the capsules."""
        return [_get_pointer(self.schema, b"arrow_schema"), _get_pointer(self.array, b"arrow_array")]


ArrowTable = Union[ArrowStream, ArrowArray]


def create_from_arrow(table: ArrowTable, settings: bytes) -> Handle:
    """Return a matrix made from an Arrow table, whose capsules are empty afterwards."""
    is_stream = isinstance(table, ArrowStream)
    create = LIB.KauriDMatrixCreateFromArrowStream if is_stream else LIB.KauriDMatrixCreateFromArrowArray
    return call_handle(create, *table.addresses(), settings)


def set_proxy_arrow(proxy: Handle, table: ArrowTable) -> None:
    """Point a proxy to an Arrow table, whose capsules are empty afterwards."""
    is_stream = isinstance(table, ArrowStream)
    point = LIB.KauriProxyDMatrixSetDataArrowStream if is_stream else LIB.KauriProxyDMatrixSetDataArrowArray
    check(point(proxy, *table.addresses()))


# ---- iterators -------------------------------------------------------------------------------------------------------


def _read_iterator(
    call: Callable[[Any, Any], int],
    reset: Callable[[], Any],
    next_batch: Callable[[], bool],
    undo: Callable[[], Any],
) -> None:
    """Make a call that reads an iterator through two callback functions.

    An exception from a callback ends the iteration and is raised from here, after `undo` if the call succeeded
    nevertheless.
    """
    raised: list[BaseException] = []

    def guarded(function: Callable[[], Any]) -> int:
        if raised:
            return 0
        try:
            return int(bool(function()))
        except BaseException as error:  # also an interrupt: no exception may pass through the library
            raised.append(error)
            return 0

    c_reset, c_next = ResetCallback(lambda _: guarded(reset) and None), NextCallback(lambda _: guarded(next_batch))
    status = call(c_reset, c_next)
    if raised:
        if status == 0:
            undo()
        raise raised[0]
    check(status)


def create_from_callback(
    create: Function,
    arguments: Sequence[Any],
    reset: Callable[[], Any],
    next_batch: Callable[[], bool],
    settings: bytes,
) -> Handle:
    """Call a function that reads an iterator; `arguments` go between the iterator and the callbacks."""
    out = Handle()
    _read_iterator(
        lambda c_reset, c_next: create(None, *arguments, c_reset, c_next, settings, byref(out)),
        reset,
        next_batch,
        lambda: LIB.XGDMatrixFree(out),
    )
    return out


# ---- summaries -------------------------------------------------------------------------------------------------------


class _Summary:
    """Output memory for a summary."""

    def __init__(self) -> None:
        self.shape, self.dim, self.values = POINTER(c_uint64)(), c_uint64(), POINTER(c_double)()

    def out(self) -> tuple[Any, Any, Any]:
        """Return the output arguments of the calls."""
        return byref(self.shape), byref(self.dim), byref(self.values)

    def table(self) -> np.ndarray:
        """Return a copy of the written table."""
        return copied(self.values, (self.shape[0], self.shape[1]))


def summarize_matrix(matrix: Handle, settings: bytes) -> np.ndarray:
    """Call KauriSummarizeColumns; return [n_cols, n_fields]."""
    summary = _Summary()
    check(LIB.KauriSummarizeColumns(matrix, settings, *summary.out()))
    return summary.table()


def summarize_batches(
    proxy: Handle, reset: Callable[[], Any], next_batch: Callable[[], bool], settings: bytes
) -> np.ndarray:
    """Call KauriSummarizeBatches; return [n_cols, n_fields]."""
    summary = _Summary()
    _read_iterator(
        lambda c_reset, c_next: LIB.KauriSummarizeBatches(None, proxy, c_reset, c_next, settings, *summary.out()),
        reset,
        next_batch,
        lambda: None,
    )
    return summary.table()


# ---- rows of a matrix ------------------------------------------------------------------------------------------------


def slice_rows(matrix: Handle, rows: np.ndarray, allow_groups: bool) -> Handle:
    """Call XGDMatrixSliceDMatrixEx; `rows` is int32."""
    out = Handle()
    pointer = rows.ctypes.data_as(POINTER(c_int))
    check(LIB.XGDMatrixSliceDMatrixEx(matrix, pointer, len(rows), byref(out), int(allow_groups)))
    return out


def rows_as_csr(matrix: Handle, n_rows: int, n_entries: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Call XGDMatrixGetDataAsCSR; return (row pointers, columns, values)."""
    indptr = np.empty(n_rows + 1, dtype=np.uint64)
    indices = np.empty(n_entries, dtype=np.uint32)
    values = np.empty(n_entries, dtype=np.float32)
    check(
        LIB.XGDMatrixGetDataAsCSR(
            matrix,
            b"{}",
            indptr.ctypes.data_as(POINTER(c_uint64)),
            indices.ctypes.data_as(POINTER(c_uint)),
            values.ctypes.data_as(POINTER(c_float)),
        )
    )
    return indptr, indices, values
