"""Random permutations and rows in a random order, the same for the same seed on every machine."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from .._binding import arrays
from .._binding.errors import DataError, ParameterError
from .device import DeviceArray, as_cupy, interface_members, is_device_array

_MAX = 2**64


def _check(**counts: Any) -> None:
    for name, value in counts.items():
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 0 <= value < _MAX:
            raise ParameterError(f"{name} is {value!r}; expected an integer from 0 to 2^64 - 1.")


def shuffle(n: int, seed: int = 0, count: int | None = None, device: str | None = None) -> Any:
    """Return a random permutation of ``0 .. n - 1``, or its first elements.

    Parameters
    ----------
    n
        The number of elements.
    seed
        Selects the permutation, which depends on `n` and this seed only.
    count
        How many elements to return, all by default. A longer list starts with a shorter one.
    device
        ``"cuda"`` or ``"cuda:N"``: make the list in the memory of that device. The default is a NumPy array.

    Returns
    -------
    int64, [count]. On a device CuPy's when CuPy is installed, else a `DeviceArray`.
    """
    count = n if count is None else count
    _check(n=n, seed=seed, count=count)
    if count > n:
        raise ParameterError(f"count is {count}, more than the {n} elements there are; lower it.")
    if device is None:
        return arrays.permutation(int(n), int(seed), int(count))
    handle, address = arrays.permutation_on_device(int(n), int(seed), int(count), device)
    return as_cupy(DeviceArray(handle, address, (int(count),), np.int64))


def shuffle_rows(x: Any, seed: int = 0, out: Any = None) -> Any:
    """Return the rows of an array in random order: ``x[shuffle(len(x), seed)]`` in one pass, without an index list.

    Parameters
    ----------
    x
        The rows: an array of any number of dimensions and of any type but objects, in host memory, or CuPy's or
        PyTorch's in the memory of a CUDA device.
    seed
        Selects the permutation: the one that `shuffle` returns for ``len(x)`` elements and this seed.
    out
        The destination: an array of the shape and type of `x` in the same memory, rows contiguous; a new one by
        default. With ``out=x`` the rows are shuffled in place. This needs no second array, but 16 + 2 log2(len(x))
        passes over all rows, and the permutation differs from that of `shuffle`.

    Returns
    -------
    `out`, or the new array.

    Raises
    ------
    DataError
        `x` holds objects; `out` has another shape, type or memory; or `out` overlaps `x`.
    """
    _check(seed=seed)
    if is_device_array(x):
        target = _like(x) if out is None else out
        source, to = interface_members(x), interface_members(target)
    else:
        if is_device_array(out):
            raise DataError("out is in device memory, x is in host memory; move both to the same memory.")
        x = _host_array(x)
        target = np.empty(x.shape, x.dtype) if out is None else out
        if not isinstance(target, np.ndarray) or not target.flags.writeable:
            raise DataError("out must be a NumPy array that can be written to.")
        if target is not x and not _has_whole_rows(x.shape, x.strides, x.itemsize):
            x = np.ascontiguousarray(x)
        source, to = arrays.interface_members(x), arrays.interface_members(target)
        if x.dtype != target.dtype:
            raise DataError(f"x has the dtype {x.dtype}, out {target.dtype}; give out the dtype of x.")
    _move(source, to, int(seed))
    return target


def _host_array(x: Any) -> np.ndarray:
    if hasattr(x, "iloc"):
        raise DataError("x is a frame; use x.iloc[kauriboost.shuffle(len(x), seed)].")
    array = x if isinstance(x, np.ndarray) else np.asarray(x)
    if array.dtype.hasobject:
        raise DataError(
            f"x has the dtype {array.dtype}, which refers to objects; use x[kauriboost.shuffle(len(x), seed)]."
        )
    if array.ndim == 0:
        raise DataError("x is a number and has no rows; pass an array of at least one dimension.")
    return array


def _like(x: Any) -> Any:
    """Return a new array of the same library, shape and type."""
    library = sys.modules.get(type(x).__module__.split(".")[0])
    name = getattr(library, "__name__", "")
    if library is not None and name == "cupy":
        with x.device:
            return library.empty(x.shape, x.dtype)
    if library is not None and name == "torch":
        return library.empty(x.shape, dtype=x.dtype, device=x.device)
    raise DataError(f"x is a {type(x).__name__}, for which no output array can be made; pass out.")


def _has_whole_rows(shape: tuple[int, ...], strides: tuple[int, ...] | None, itemsize: int) -> bool:
    """Return whether the elements of a row are adjacent in memory."""
    step = itemsize
    for length, stride in zip(shape[:0:-1], () if strides is None else strides[:0:-1]):
        if length > 1 and stride != step:
            return False
        step *= length
    return True


def _as_bytes(members: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the array interface of the same rows viewed as a table of bytes."""
    shape, strides = members["shape"], members["strides"]
    itemsize = np.dtype(members["typestr"]).itemsize
    if not shape:
        raise DataError(f"{name} is a number and has no rows; pass an array of at least one dimension.")
    if not _has_whole_rows(shape, strides, itemsize):
        raise DataError(f"rows of {name} are not contiguous; make a copy in C order (ascontiguousarray).")
    width = itemsize * math.prod(shape[1:])
    stride = width if strides is None else strides[0]
    return {**members, "typestr": "|u1", "shape": [shape[0], width], "strides": [stride, 1]}


def _move(source: dict[str, Any], target: dict[str, Any], seed: int) -> None:
    if source["shape"] != target["shape"]:
        raise DataError(f"x has the shape {source['shape']}, out {target['shape']}; make out as large as x.")
    if source["typestr"] != target["typestr"]:
        raise DataError(f"x has the type {source['typestr']}, out {target['typestr']}; give out the type of x.")
    arrays.move_rows(_as_bytes(source, "x"), _as_bytes(target, "out"), seed)
