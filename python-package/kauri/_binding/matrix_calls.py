"""The ctypes of calls of matrices: Arrow capsules, iterators, rows and cuts."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, byref, c_char_p, c_float, c_int, c_uint, c_uint64, c_void_p, py_object
from typing import Any, Callable

import numpy as np

from .library import LIB, Handle, check, decode

_NEXT = ctypes.CFUNCTYPE(c_int, c_void_p)
_RESET = ctypes.CFUNCTYPE(None, c_void_p)
_CAPSULE_NAMES = {"ArrowStream": [b"arrow_array_stream"], "ArrowArray": [b"arrow_schema", b"arrow_array"]}

for _name, _argtypes in {
    "KauriDMatrixCreateFromArrowStream": [c_void_p, c_char_p, POINTER(Handle)],
    "KauriDMatrixCreateFromArrowArray": [c_void_p, c_void_p, c_char_p, POINTER(Handle)],
    "KauriProxyDMatrixSetDataArrowStream": [Handle, c_void_p],
    "KauriProxyDMatrixSetDataArrowArray": [Handle, c_void_p, c_void_p],
    "XGBCategoriesFree": [Handle],
    "XGBoosterGetCategoriesExportToArrow": [Handle, c_char_p, POINTER(Handle), POINTER(c_char_p)],
    "XGDMatrixGetCategoriesExportToArrow": [Handle, c_char_p, POINTER(Handle), POINTER(c_char_p)],
    "XGDMatrixCreateFromCallback": [c_void_p, Handle, _RESET, _NEXT, c_char_p, POINTER(Handle)],
    "XGDMatrixSaveBinary": [Handle, c_char_p, c_int],
    "XGDMatrixGetQuantileCut": [Handle, c_char_p, POINTER(c_char_p), POINTER(c_char_p)],
    "XGQuantileDMatrixCreateFromCallback": [c_void_p, Handle, c_void_p, _RESET, _NEXT, c_char_p, POINTER(Handle)],
    "XGExtMemQuantileDMatrixCreateFromCallback": [c_void_p, Handle, c_void_p, _RESET, _NEXT, c_char_p, POINTER(Handle)],
}.items():
    getattr(LIB, _name).argtypes = _argtypes
    getattr(LIB, _name).restype = c_int

_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.argtypes = [py_object, c_char_p]
_get_pointer.restype = c_void_p


def _addresses(kind: str, capsules: list[Any]) -> list[int]:
    return [_get_pointer(capsule, name) for capsule, name in zip(capsules, _CAPSULE_NAMES[kind])]


def create_from_arrow(kind: str, capsules: list[Any], settings: bytes) -> Handle:
    """Call KauriDMatrixCreateFrom`kind`; the capsules are empty afterwards."""
    out = Handle()
    check(getattr(LIB, f"KauriDMatrixCreateFrom{kind}")(*_addresses(kind, capsules), settings, byref(out)))
    return out


def set_proxy_arrow(proxy: Handle, kind: str, capsules: list[Any]) -> None:
    """Call KauriProxyDMatrixSetData`kind`; the capsules are empty afterwards."""
    check(getattr(LIB, f"KauriProxyDMatrixSetData{kind}")(proxy, *_addresses(kind, capsules)))


def call_categories(function: Any, handle: Handle, read: Callable[[str | None], Any]) -> Any:
    """Return what `read` makes of the document of names; the memory that it points into is freed after that."""
    container, document = Handle(), c_char_p()
    check(function(handle, None, byref(container), byref(document)))
    try:
        return read(None if document.value is None else decode(document.value))
    finally:
        check(LIB.XGBCategoriesFree(container))


def create_from_callback(
    call: str, arguments: list[Any], reset: Callable[[], None], next_batch: Callable[[], bool], settings: bytes
) -> Handle:
    """Call a function that reads an iterator; `arguments` come between the iterator and the functions.

    What the functions raise ends the iteration and is raised from here.
    """
    raised: list[BaseException] = []

    def guarded(function: Callable[[], Any]) -> int:
        if raised:
            return 0
        try:
            return int(bool(function()))
        except BaseException as error:  # an interrupt too: nothing may pass through the library
            raised.append(error)
            return 0

    out = Handle()
    c_reset, c_next = _RESET(lambda _: guarded(reset) and None), _NEXT(lambda _: guarded(next_batch))
    status = getattr(LIB, call)(None, *arguments, c_reset, c_next, settings, byref(out))
    if raised:
        if status == 0:
            LIB.XGDMatrixFree(out)
        raise raised[0]
    check(status)
    return out


def call_texts(function: Callable[..., int], *args: Any) -> tuple[str, str]:
    """Call a function whose last arguments receive two texts."""
    first, second = c_char_p(), c_char_p()
    check(function(*args, byref(first), byref(second)))
    return decode(first.value or b""), decode(second.value or b"")


def slice_rows(handle: Handle, rows: np.ndarray, allow_groups: bool) -> Handle:
    """Call XGDMatrixSliceDMatrixEx; `rows` is int32."""
    out = Handle()
    pointer = rows.ctypes.data_as(POINTER(c_int))
    check(LIB.XGDMatrixSliceDMatrixEx(handle, pointer, len(rows), byref(out), int(allow_groups)))
    return out


def rows_as_csr(handle: Handle, n_rows: int, n_entries: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Call XGDMatrixGetDataAsCSR: (row pointers, columns, values)."""
    indptr = np.empty(n_rows + 1, dtype=np.uint64)
    indices = np.empty(n_entries, dtype=np.uint32)
    values = np.empty(n_entries, dtype=np.float32)
    check(
        LIB.XGDMatrixGetDataAsCSR(
            handle,
            b"{}",
            indptr.ctypes.data_as(POINTER(c_uint64)),
            indices.ctypes.data_as(POINTER(c_uint)),
            values.ctypes.data_as(POINTER(c_float)),
        )
    )
    return indptr, indices, values
