"""Description of the machine behind a figure: processor, device and versions; also the device's memory in use."""

from __future__ import annotations

import importlib
import os
import platform
import statistics
import sys
from ctypes import (
    CDLL,
    POINTER,
    byref,
    c_char_p,
    c_float,
    c_int,
    c_size_t,
    c_uint,
    c_uint64,
    c_void_p,
    create_string_buffer,
)
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

_MULTIPROCESSORS = 16  # CUdevice_attribute
_POOL_RESERVED_HIGH, _POOL_USED_HIGH = 6, 8  # CUmemPool_attribute

# The CUDA driver functions used here. All return a CUresult.
_SIGNATURES: dict[str, list[Any]] = {
    "cuInit": [c_uint],
    "cuDeviceGet": [POINTER(c_int), c_int],
    "cuDeviceGetName": [c_char_p, c_int, c_int],
    "cuDeviceGetAttribute": [POINTER(c_int), c_int, c_int],
    "cuDevicePrimaryCtxRetain": [POINTER(c_void_p), c_int],
    "cuCtxSetCurrent": [c_void_p],
    "cuDeviceGetDefaultMemPool": [POINTER(c_void_p), c_int],
    "cuMemPoolGetAttribute": [c_void_p, c_int, c_void_p],
    "cuMemPoolSetAttribute": [c_void_p, c_int, c_void_p],
    "cuMemPoolTrimTo": [c_void_p, c_size_t],
    "cuMemGetInfo_v2": [POINTER(c_size_t), POINTER(c_size_t)],
    "cuMemAlloc_v2": [POINTER(c_uint64), c_size_t],
    "cuMemFree_v2": [c_uint64],
    "cuMemcpyDtoDAsync_v2": [c_uint64, c_uint64, c_size_t, c_void_p],
    "cuEventCreate": [POINTER(c_void_p), c_uint],
    "cuEventRecord": [c_void_p, c_void_p],
    "cuEventSynchronize": [c_void_p],
    "cuEventElapsedTime": [POINTER(c_float), c_void_p, c_void_p],
    "cuProfilerStart": [],
    "cuProfilerStop": [],
}


def optional(name: str) -> ModuleType | None:
    """Return a module, or None if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def usable_threads() -> int:
    """Return the number of processors that this process may run on."""
    return len(os.sched_getaffinity(0))


@cache
def cpu_name() -> str:
    """Return the processor's model."""
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


class CudaDriver:
    """The first visible device, through the driver's own library, so that no toolkit is needed.

    The primary context is shared with every CUDA runtime of the process, and so is the default memory pool, from which
    Kauri takes all its device memory.
    """

    def __init__(self, library: str = "libcuda.so.1") -> None:
        self._lib = CDLL(library)
        for name, types in _SIGNATURES.items():
            getattr(self._lib, name).argtypes = types
        self._call("cuInit", 0)
        device, self._context, self._pool = c_int(), c_void_p(), c_void_p()
        self._call("cuDeviceGet", byref(device), 0)
        self._call("cuDevicePrimaryCtxRetain", byref(self._context), device)
        self.enter_thread()
        self._call("cuDeviceGetDefaultMemPool", byref(self._pool), device)
        text = create_string_buffer(256)
        self._call("cuDeviceGetName", text, len(text), device)
        self.name = text.value.decode()
        self._device = device

    def _call(self, name: str, *arguments: Any) -> None:
        status = getattr(self._lib, name)(*arguments)
        if status != 0:
            raise RuntimeError(f"{name} returned CUDA error {status}")

    def enter_thread(self) -> None:
        """Make the context current in the calling thread; most driver calls require this."""
        self._call("cuCtxSetCurrent", self._context)

    def forget_peak(self) -> None:
        """Start a new measurement of the peak; the pool's free memory returns to the device."""
        self._call("cuMemPoolTrimTo", self._pool, 0)
        for attribute in (_POOL_RESERVED_HIGH, _POOL_USED_HIGH):
            self._call("cuMemPoolSetAttribute", self._pool, attribute, byref(c_uint64(0)))

    def memory(self) -> dict[str, int]:
        """Return bytes: the pool's peaks in use and reserved since `forget_peak`, and all in use on the device now."""
        marks = []
        for attribute in (_POOL_USED_HIGH, _POOL_RESERVED_HIGH):
            value = c_uint64()
            self._call("cuMemPoolGetAttribute", self._pool, attribute, byref(value))
            marks.append(value.value)
        free, total = c_size_t(), c_size_t()
        self._call("cuMemGetInfo_v2", byref(free), byref(total))
        return {"peak_used": marks[0], "peak_reserved": marks[1], "device_used": total.value - free.value}

    def copy_bandwidth(self, n_bytes: int = 1 << 30, repeats: int = 5) -> float:
        """Return the median bytes per second of a copy within the device, counting both reads and writes."""
        source, target, start, stop = c_uint64(), c_uint64(), c_void_p(), c_void_p()
        for address in (source, target):
            self._call("cuMemAlloc_v2", byref(address), n_bytes)
        for event in (start, stop):
            self._call("cuEventCreate", byref(event), 0)
        seconds = []
        for _ in range(repeats + 1):
            self._call("cuEventRecord", start, None)
            self._call("cuMemcpyDtoDAsync_v2", target, source, n_bytes, None)
            self._call("cuEventRecord", stop, None)
            self._call("cuEventSynchronize", stop)
            elapsed = c_float()
            self._call("cuEventElapsedTime", byref(elapsed), start, stop)
            seconds.append(elapsed.value / 1e3)
        for address in (source, target):
            self._call("cuMemFree_v2", address)
        return 2 * n_bytes / statistics.median(seconds[1:])

    def multiprocessors(self) -> int:
        """Return the number of multiprocessors."""
        count = c_int()
        self._call("cuDeviceGetAttribute", byref(count), _MULTIPROCESSORS, self._device)
        return count.value

    def profile(self, on: bool) -> None:
        """Start or stop profiling, for a profiler that was started with profiling off."""
        self._call("cuProfilerStart" if on else "cuProfilerStop")


@cache
def driver_of(device: str) -> CudaDriver | None:
    """Return the driver for a CUDA device, None for the CPU."""
    return CudaDriver() if device.startswith("cuda") else None


def describe_machine(device: str) -> dict[str, str]:
    """Return the names of the device and the processor."""
    driver = driver_of(device)
    return {"device": cpu_name() if driver is None else driver.name, "cpu": cpu_name()}


def versions() -> dict[str, str]:
    """Return the versions of the libraries imported so far."""
    found = {name: sys.modules.get(name) for name in ("kauriboost", "xgboost", "shap", "numpy", "scipy")}
    return {name: module.__version__ for name, module in found.items() if module is not None}
