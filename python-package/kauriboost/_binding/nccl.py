"""NCCL as Python's packages bring it (``nvidia-nccl-cu13``, with which PyTorch and CuPy come)."""

from __future__ import annotations

import ctypes
import importlib.util
from functools import cache
from pathlib import Path

_FILE_NAME = "libnccl.so.2"


@cache
def provide_nccl() -> Path | None:
    """Load it, so that the plug-in, which asks for it by name, finds it; return where it was, None where it is not.

    Without it the plug-in takes the system's, or none: sums over ranks then go through host memory.
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
