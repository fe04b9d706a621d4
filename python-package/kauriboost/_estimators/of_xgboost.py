"""Pickles of XGBoost's estimators, read while Kauri is installed as xgboost (`install_as_xgboost`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._binding.process import parameters


def is_of_xgboost(state: Mapping[str, Any], names: list[str]) -> bool:
    """Return True for the state of an XGBoost estimator: fitted, or without some parameter of ours."""
    return "_Booster" in state or ("_booster" not in state and not all(name in state for name in names))


def parameters_of(state: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return an estimator's parameters from an XGBoost state; those that it lacks get our defaults.

    Booster parameters that our estimators do not name become `kwargs`. Unknown names are dropped, because versions
    before 2.0 had some (`use_label_encoder`, `gpu_id`).
    """
    given = {**state, **(state.get("kwargs") or {})}
    known = {parameter["name"] for parameter in parameters()} - set(defaults)
    others = {name: value for name, value in given.items() if name in known and value is not None}
    named = {name: given.get(name, default) for name, default in defaults.items()}
    return {**named, "kwargs": others} if others else named
