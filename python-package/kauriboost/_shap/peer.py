"""The installed package shap: its class of explanations, and all its names that Kauri does not replace."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

import numpy as np

from .._explaining.explanation import Explanation


def __getattr__(name: str) -> Any:
    """Return a name of the installed package shap, such as its plots."""
    if name.startswith("_") or importlib.util.find_spec("shap") is None:
        raise AttributeError(f"module 'kauriboost.shap' has no attribute {name!r}; shap, if installed, has the others.")
    shap = importlib.import_module("shap")
    try:
        return getattr(shap, name)
    except AttributeError:
        pass
    try:
        return importlib.import_module(f"shap.{name}")
    except ModuleNotFoundError:
        raise AttributeError(f"neither 'kauriboost.shap' nor shap has the name {name!r}.") from None


def explanation(values: np.ndarray, base_values: np.ndarray, data: Any, names: Any, seconds: float) -> Any:
    """Return an explanation of shap's class if that package is installed, else of ours."""
    if importlib.util.find_spec("shap") is None:
        names = list(names) if names is not None else [f"f{i}" for i in range(values.shape[1])]
        outputs = list(range(base_values.shape[1])) if base_values.ndim == 2 else None
        return Explanation(values, base_values, np.asarray(data), names, outputs)
    shap = importlib.import_module("shap")
    return shap.Explanation(values, base_values=base_values, data=data, feature_names=names, compute_time=seconds)
