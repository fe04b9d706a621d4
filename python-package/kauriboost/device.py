"""Arrays in the memory of a CUDA device: CuPy's, PyTorch's, and predictions that stay on the device."""

from __future__ import annotations

from ._binding.errors import DataError
from ._data.device import DeviceArray, array_in, interface, interface_members, is_device_array, predict, to_host

__all__ = [
    "DataError",
    "DeviceArray",
    "array_in",
    "interface",
    "interface_members",
    "is_device_array",
    "predict",
    "to_host",
]
