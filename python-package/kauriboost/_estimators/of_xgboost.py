"""Pickles of XGBoost's estimators, read while Kauri stands in for it (`install_as_xgboost`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._binding.process import parameters


def is_of_xgboost(state: Mapping[str, Any], names: list[str]) -> bool:
    """Whether a pickled state is that of XGBoost's estimator: fitted, or without parameters that only ours has."""
    return "_Booster" in state or ("_booster" not in state and not all(name in state for name in names))


def parameters_of(state: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of an estimator of ours: those of XGBoost's that we have, and what it has not by default.

    Parameters of a booster that our estimators do not name become `kwargs`. What no booster here knows is left out, as
    versions before 2.0 had things of the kind (`use_label_encoder`, `gpu_id`).
    """
    given = {**state, **(state.get("kwargs") or {})}
    known = {parameter["name"] for parameter in parameters()} - set(defaults)
    others = {name: value for name, value in given.items() if name in known and value is not None}
    named = {name: given.get(name, default) for name, default in defaults.items()}
    return {**named, "kwargs": others} if others else named
