"""Process-wide state: build information, the list of parameters, global settings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import byref, c_int
from typing import Any

from .calls import call_int, call_text
from .library import LIB, check
from .text import config, decode

VERSION = decode(LIB.KauriVersion())


def xgboost_version() -> tuple[int, int, int]:
    """Return the version of XGBoost that the library is compatible with."""
    numbers = [c_int() for _ in range(3)]
    LIB.XGBoostVersion(*map(byref, numbers))
    return numbers[0].value, numbers[1].value, numbers[2].value


def num_threads(nthread: int = 0) -> int:
    """Return the number of threads that `nthread` means; 0 is the default of this process."""
    return call_int(LIB.KauriNumThreads, nthread)


def build_info() -> dict[str, Any]:
    """Return how the library was built, and which CUDA devices it can use."""
    built: dict[str, Any] = json.loads(call_text(LIB.XGBuildInfo))
    return built


def parameters() -> list[dict[str, str]]:
    """Return every parameter: group, name, aliases, type, default, bounds and description."""
    declared: list[dict[str, str]] = json.loads(call_text(LIB.KauriGetParameters))
    return declared


def set_config(**settings: Any) -> None:
    """Set verbosity (0 to 3, for the logger ``kauriboost``) or nthread (for objects made from now on)."""
    check(LIB.XGBSetGlobalConfig(config(**settings)))


def get_config() -> dict[str, Any]:
    """Return the global configuration."""
    settings: dict[str, Any] = json.loads(call_text(LIB.XGBGetGlobalConfig))
    return settings


@contextmanager
def config_context(**settings: Any) -> Iterator[None]:
    """Set the global configuration within a ``with`` block; see `set_config`."""
    before = get_config()
    set_config(**settings)
    try:
        yield
    finally:
        set_config(**before)
