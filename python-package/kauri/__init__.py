"""Gradient boosting: exact, reproducible, explained."""

from __future__ import annotations

import json
from typing import Any

from . import _lib, callback
from ._lib import (
    DataError,
    DeviceError,
    FileError,
    InternalError,
    KauriError,
    ModelError,
    OutOfMemoryError,
    ParameterError,
)
from .booster import Booster
from .cv import cv
from .data import DMatrix
from .data_iter import DataIter
from .device import DeviceArray
from .explain import explain, explain_batches, global_importance, sparse_interactions
from .explanation import Explanation, GlobalImportance, SparseInteractions
from .permutation import PermutationImportance, permutation_importance
from .plotting import (
    plot_beeswarm,
    plot_contributions,
    plot_dependence,
    plot_importance,
    plot_interactions,
    plot_waterfall,
)
from .quantile import ExtMemQuantileDMatrix, QuantileDMatrix
from .shuffling import shuffle
from .training import train

__version__ = _lib.version()

__all__ = [
    "Booster",
    "DMatrix",
    "DataError",
    "DataIter",
    "DeviceArray",
    "DeviceError",
    "Explanation",
    "ExtMemQuantileDMatrix",
    "FileError",
    "GlobalImportance",
    "InternalError",
    "KauriError",
    "ModelError",
    "OutOfMemoryError",
    "ParameterError",
    "PermutationImportance",
    "QuantileDMatrix",
    "SparseInteractions",
    "build_info",
    "callback",
    "cv",
    "explain",
    "explain_batches",
    "get_config",
    "global_importance",
    "parameters",
    "permutation_importance",
    "plot_beeswarm",
    "plot_contributions",
    "plot_dependence",
    "plot_importance",
    "plot_interactions",
    "plot_waterfall",
    "set_config",
    "shuffle",
    "sparse_interactions",
    "train",
]


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
