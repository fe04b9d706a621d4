"""What holds for the whole process: how the library was built, its parameters, its global settings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from . import library as _lib

VERSION: str = _lib.LIB.KauriVersion().decode()


def build_info() -> dict[str, Any]:
    """Return how the library was built, and which CUDA devices it can use."""
    return json.loads(_lib.call_text(_lib.LIB.XGBuildInfo))


def parameters() -> list[dict[str, str]]:
    """Return every parameter: group, name, type, default, bounds and description."""
    return json.loads(_lib.call_text(_lib.LIB.KauriGetParameters))


def set_config(**settings: Any) -> None:
    """Set verbosity (0 to 3: what the logger ``kauri`` receives) or nthread (of what is made from now on)."""
    _lib.check(_lib.LIB.XGBSetGlobalConfig(_lib.config(**settings)))


def get_config() -> dict[str, Any]:
    """Return the global configuration."""
    return json.loads(_lib.call_text(_lib.LIB.XGBGetGlobalConfig))


@contextmanager
def config_context(**settings: Any) -> Iterator[None]:
    """Set the global configuration within a ``with`` block; see `set_config`."""
    before = get_config()
    set_config(**settings)
    try:
        yield
    finally:
        set_config(**before)
