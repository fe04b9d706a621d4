"""The library: finding it, loading it, its errors and its log."""

from __future__ import annotations

import ctypes
import logging
import os
import sys
from ctypes import c_int
from pathlib import Path
from typing import Any, Protocol

from .errors import (
    CollectiveError,
    DataError,
    DeviceError,
    FileError,
    InternalError,
    KauriError,
    ModelError,
    OutOfMemoryError,
    ParameterError,
)
from .signatures import ARGUMENTS, RESULTS, LogCallback

_FILE_NAME = {"darwin": "libkauri.dylib", "win32": "kauri.dll"}.get(sys.platform, "libkauri.so")


class Function(Protocol):
    """A call of the library that returns a status."""

    def __call__(self, *args: Any) -> int:
        """Return 0, or another status to pass to `check`."""


def find_library() -> Path:
    """KAURI_LIBRARY alone when it is set, else the package's own, else the checkout's build folder.

    Wheels hold no links: a wheel's library only has its versioned name, which the program and the plug-in look for.
    """
    if given := os.environ.get("KAURI_LIBRARY"):
        return Path(given)
    package = Path(__file__).resolve().parents[1]
    folders = [package / "lib", package.parent.parent / "build" / "lib"]
    for folder in folders:
        for place in (folder / _FILE_NAME, *folder.glob(f"{_FILE_NAME}.*")):
            if place.exists():
                return place
    looked = " nor ".join(str(folder) for folder in folders)
    raise ImportError(f"{_FILE_NAME} is neither in {looked}; build it, or set KAURI_LIBRARY to its path.")


def _load() -> ctypes.CDLL:
    library = ctypes.CDLL(str(find_library()))
    for name, argtypes in ARGUMENTS.items():
        function = getattr(library, name)
        function.argtypes = argtypes
        function.restype = RESULTS.get(name, c_int)
    return library


LIB = _load()

# Indexed by the result of KauriGetLastErrorKind.
_ERRORS: list[type[KauriError]] = [
    InternalError,
    ParameterError,
    DataError,
    ModelError,
    FileError,
    DeviceError,
    OutOfMemoryError,
    InternalError,
    CollectiveError,
]


def last_error() -> str:
    """Return the message of the call that has just failed."""
    message: bytes = LIB.XGBGetLastError()
    return message.decode(errors="replace")


def check(status: int) -> None:
    """Raise the error of the last call if its `status` is not 0."""
    if status != 0:
        raise _ERRORS[LIB.KauriGetLastErrorKind()](last_error())


_logger = logging.getLogger("kauriboost")
_LOG_LEVELS = {1: logging.WARNING, 2: logging.INFO, 3: logging.DEBUG}


def log_line(level: int, line: bytes) -> None:
    """Pass a line of the library's log to Python's logging."""
    _logger.log(_LOG_LEVELS[level], line.decode(errors="replace"))


_log_callback = LogCallback(log_line)  # lives as long as the library, which keeps its address
check(LIB.KauriRegisterLogCallback(_log_callback))
