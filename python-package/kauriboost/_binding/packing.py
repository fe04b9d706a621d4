"""Compact encoding of integers."""

from __future__ import annotations

from ctypes import POINTER, byref, c_int64, c_uint64
from typing import Any

import numpy as np

from .library import LIB, check


def packed_bytes_at_most(n: int) -> int:
    """Return the maximum number of bytes that `pack` writes for `n` integers."""
    return 9 * n + 16


def pack(values: np.ndarray, buffer: np.ndarray) -> np.ndarray:
    """Call KauriPackIntegers for int64 values; return the part of `buffer`, uint8, that was written."""
    n_bytes = c_uint64()
    check(LIB.KauriPackIntegers(_pointer(values), len(values), buffer.ctypes.data, byref(n_bytes)))
    return buffer[: n_bytes.value]


def unpack(packed: np.ndarray, values: np.ndarray, *, add: bool) -> None:
    """Call KauriUnpackIntegers: replace int64 values by the packed ones, or add these."""
    check(LIB.KauriUnpackIntegers(packed.ctypes.data, packed.nbytes, int(add), _pointer(values), len(values)))


def _pointer(values: np.ndarray) -> Any:
    if values.dtype != np.int64 or not values.flags.c_contiguous:
        raise TypeError(f"expected int64 values side by side, got {values.dtype} with strides {values.strides}.")
    return values.ctypes.data_as(POINTER(c_int64))
