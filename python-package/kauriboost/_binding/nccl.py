"""NCCL from Python packages (``nvidia-nccl-cu13``, which PyTorch and CuPy install)."""

from __future__ import annotations

import ctypes
import importlib.util
from functools import cache
from pathlib import Path

_FILE_NAME = "libnccl.so.2"


@cache
def provide_nccl() -> Path | None:
    """Load NCCL, so that the plug-in finds it by name; return its path, or None if there is none.

    Otherwise the plug-in uses the system's NCCL, or none: then sums over ranks go through host memory.
    """
    try:
        spec = importlib.util.find_spec("nvidia.nccl")
    except ModuleNotFoundError:
        return None
    folders = [] if spec is None else list(spec.submodule_search_locations or [])
    for file in (Path(folder) / "lib" / _FILE_NAME for folder in folders):
        if file.is_file():
            ctypes.CDLL(str(file))
            return file
    return None
