"""Arrays in the memory of a CUDA device: CuPy's, PyTorch's, and predictions that stay on the device."""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

from .._binding.arrays import device_to_host
from .._binding.arrays import interface as host_interface
from .._binding.errors import DataError
from .._binding.library import LIB, Function
from .._binding.model_calls import call_device_prediction
from .._binding.owner import SoleOwner
from .._binding.signatures import Handle
from .._public import public
from .numbers import as_numeric


@public("kauriboost.device")
class DeviceArray(SoleOwner):
    """Predictions, or a random permutation, in the memory of a CUDA device.

    ``cupy.asarray(array)`` and ``torch.as_tensor(array, device="cuda")`` read them without a copy and keep the memory
    alive; ``numpy.asarray(array)`` copies them to host memory. Work on other streams than a default stream must be
    finished before the last reference is dropped.
    """

    _INSTEAD = "numpy.asarray() copies it to host memory"

    _FREE = LIB.KauriDeviceArrayFree

    def __init__(self, handle: Handle, address: int, shape: tuple[int, ...], dtype: Any = np.float32) -> None:
        self.handle = handle
        self.shape = shape
        self.ndim = len(shape)
        self.size = int(np.prod(shape))
        self.dtype = np.dtype(dtype)
        self._address = address

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """Version 3 of the protocol. The data are ready; no stream has to be waited for."""
        return {
            "data": (self._address, False),
            "typestr": self.dtype.str,
            "shape": self.shape,
            "strides": None,
            "version": 3,
            "stream": None,
        }

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """Copy to host memory."""
        if copy is False:
            raise ValueError("the array is in device memory; numpy cannot read it without a copy.")
        values = device_to_host(self.handle, self.size, self.dtype).reshape(self.shape)
        return values if dtype is None else values.astype(dtype)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"DeviceArray(shape={self.shape}, dtype={self.dtype})"


def is_device_array(values: Any) -> bool:
    """Return whether `values` is in the memory of a CUDA device."""
    return _members(values) is not None


def _members(values: Any) -> dict[str, Any] | None:
    try:
        return getattr(values, "__cuda_array_interface__", None)
    # PyTorch: a tensor that requires gradients, or of a type that NumPy lacks
    except (RuntimeError, TypeError) as error:
        raise DataError(f"the tensor cannot be read: {error}") from error


def _stream(values: Any, members: dict[str, Any]) -> int | None:
    """Return the stream to wait for. PyTorch does not name its stream in the interface."""
    if "stream" in members:
        stream: int | None = members["stream"]
        return stream
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(values, torch.Tensor):
        return torch.cuda.current_stream(values.device).cuda_stream or 1
    return 1


def interface_members(values: Any) -> dict[str, Any]:
    """Return the CUDA array interface in a form that JSON can hold; the array must outlive its use."""
    members = _members(values)
    if members is None:
        raise DataError(f"{type(values).__name__} is not in the memory of a CUDA device; pass all arrays from there.")
    if members.get("mask") is not None:
        raise DataError("arrays with a mask are not supported; fill masked elements with NaN first.")
    strides = members.get("strides")
    return {
        "data": [int(members["data"][0]), True],
        "typestr": members["typestr"],
        "shape": [int(length) for length in members["shape"]],
        "strides": None if strides is None else [int(stride) for stride in strides],
        "version": 3,
        "stream": _stream(values, members),
    }


def interface(values: Any) -> bytes:
    """Return the CUDA array interface as JSON; the array must outlive its use."""
    return json.dumps(interface_members(values)).encode()


def array_in(values: Any, what: str) -> tuple[bytes, Any]:
    """Return the interface of an array in host or device memory, and the object that must outlive its use."""
    if is_device_array(values):
        return interface(values), values
    array = as_numeric(values, what)
    return host_interface(array), array


def predict(booster: Handle, function: Function, *args: Any) -> Any:
    """Call a function that predicts on a device; return a CuPy array if CuPy is installed, else a `DeviceArray`."""
    return as_cupy(DeviceArray(*call_device_prediction(booster, function, *args)))


def as_cupy(result: DeviceArray) -> Any:
    """Return the array as a CuPy array if CuPy is installed, else unchanged."""
    try:
        import cupy
    except ImportError:
        return result
    return cupy.asarray(result)


def to_host(values: Any) -> np.ndarray:
    """Return predictions in host or device memory as a NumPy array."""
    return values.get() if type(values).__module__.split(".")[0] == "cupy" else np.asarray(values)
