"""Conversion of arrays of numbers for the library and back."""

from __future__ import annotations

import json
from ctypes import POINTER, byref, c_char_p, c_double, c_float, c_uint, c_uint64, c_void_p, cast
from typing import Any

import numpy as np

from .copies import copy_of
from .library import LIB, check
from .process import num_threads
from .signatures import Handle

_KINDS: dict[str, type[Any]] = {"<f4": c_float, "<u4": c_uint, "<u8": c_uint64}  # by NumPy's type string


def interface_members(array: np.ndarray) -> dict[str, Any]:
    """Return NumPy's array interface in a form that JSON can hold; the array must outlive its use."""
    members = array.__array_interface__
    return {
        "data": [members["data"][0], True],
        "typestr": members["typestr"],
        "shape": list(members["shape"]),
        "strides": None if members["strides"] is None else list(members["strides"]),
        "version": 3,
    }


def interface(array: np.ndarray) -> bytes:
    """Return NumPy's array interface as JSON; the array must outlive its use."""
    return json.dumps(interface_members(array)).encode()


def array_from_interface(text: str) -> np.ndarray:
    """Return a copy of the array described by an array interface."""
    members = json.loads(text)
    pointer = cast(c_void_p(members["data"][0]), POINTER(_KINDS[members["typestr"]]))
    return copied(pointer, tuple(members["shape"]))


def copied(pointer: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Return a copy of the C array at `pointer`."""
    if 0 in shape:
        return np.empty(shape, dtype=np.dtype(pointer._type_))
    return copy_of(np.ctypeslib.as_array(pointer, shape=shape), num_threads())


def find_classes(labels: np.ndarray, max_classes: int, nthread: int) -> tuple[np.ndarray, np.ndarray]:
    """Call KauriFindClasses; return the classes, [n_classes] of float64, and the labels' codes, [n] of float32."""
    classes, codes, n_classes = np.empty(max_classes), np.empty(len(labels), np.float32), c_uint64()
    pointers = codes.ctypes.data_as(POINTER(c_float)), classes.ctypes.data_as(POINTER(c_double))
    check(LIB.KauriFindClasses(interface(labels), max_classes, nthread, *pointers, byref(n_classes)))
    return classes[: n_classes.value], codes


def permutation(n: int, seed: int, count: int) -> np.ndarray:
    """Call KauriShuffle; return the first `count` elements of a permutation of ``0 .. n - 1``."""
    positions = np.empty(count, dtype=np.uint64)
    check(LIB.KauriShuffle(n, seed, count, positions.ctypes.data_as(POINTER(c_uint64))))
    return positions.view(np.int64)


def permutation_on_device(n: int, seed: int, count: int, device: str) -> tuple[Handle, int]:
    """Call KauriShuffleOnDevice, for the same list in device memory; return the array and its address there."""
    handle, text = Handle(), c_char_p()
    check(LIB.KauriShuffleOnDevice(n, seed, count, device.encode(), byref(handle)))
    check(LIB.KauriDeviceArrayDescribe(handle, byref(text)))
    return handle, json.loads(text.value or b"")["data"][0]


def move_rows(source: dict[str, Any], target: dict[str, Any], seed: int) -> None:
    """Call KauriShuffleRows, which writes the rows of one array interface to another in random order."""
    check(LIB.KauriShuffleRows(json.dumps(source).encode(), json.dumps(target).encode(), seed))


def device_to_host(handle: Handle, size: int, dtype: np.dtype) -> np.ndarray:
    """Call KauriDeviceArrayToHost for an array of `size` numbers."""
    values = np.empty(size, dtype=dtype)
    check(LIB.KauriDeviceArrayToHost(handle, values.ctypes.data_as(c_void_p)))
    return values
