"""Import under the names of XGBoost, for tools that look for them."""

from __future__ import annotations

import copyreg
import sys
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any

from .._binding import process
from .._binding.errors import KauriError, ParameterError
from .._binding.library import LIB
from .._model.booster import Booster
from .._public import public

# XGBoost's modules, and their members that we have under the same names.
_MODULES = {
    "xgboost.config": ("config_context", "get_config", "set_config"),
    "xgboost.core": ("Booster", "DMatrix", "DataIter", "ExtMemQuantileDMatrix", "QuantileDMatrix", "build_info"),
    "xgboost.plotting": ("plot_importance", "plot_tree", "to_graphviz"),
    "xgboost.training": ("cv", "train"),
}
_ESTIMATORS = ("Classifier", "RFClassifier", "RFRegressor", "Ranker", "Regressor")


def _estimators() -> dict[str, Any]:
    """Return the estimators, or an empty dict without scikit-learn, which they need."""
    try:
        ours = import_module("kauriboost.sklearn")
        base = import_module("kauriboost._estimators.estimator").KauriModel
        import_module("kauriboost._estimators.defaults").keep_xgboosts()
    except ImportError:
        return {}
    return {"XGBModel": base, **{f"XGB{name}": getattr(ours, f"Kauri{name}") for name in _ESTIMATORS}}


def _modules() -> dict[str, ModuleType]:
    ours = import_module("kauriboost")
    version = ".".join(map(str, process.xgboost_version()))
    parts = {name: {member: getattr(ours, member) for member in members} for name, members in _MODULES.items()}
    parts["xgboost.core"].update({"XGBoostError": KauriError, "_LIB": LIB})
    parts["xgboost.plotting"]["plot_importance"] = partial(
        ours.plot_importance, importance_type="weight", title="Feature importance"
    )
    parts["xgboost.sklearn"] = _estimators()
    whole = ModuleType("xgboost", "Kauri, under the names of XGBoost.")
    modules = {name: ModuleType(name) for name in parts}
    for name, members in parts.items():
        modules[name].__dict__.update(members)
        whole.__dict__.update(members)
    modules["xgboost.callback"] = import_module("kauriboost.callback")
    for name, module in modules.items():
        setattr(whole, name.split(".")[1], module)
    whole.__dict__.update({"__version__": version, "__path__": [], "__kauriboost__": True})
    return {"xgboost": whole, **modules}


@public("kauriboost.stand_in")
def restored(state: dict[str, Any]) -> Booster:
    """Return the booster of a pickle made while Kauri was installed as xgboost."""
    booster = Booster.__new__(Booster)
    booster.__setstate__(state)
    return booster


def _reduce(booster: Booster) -> tuple[Any, ...]:
    return restored, (booster.__getstate__(),)


@public("kauriboost.stand_in")
def install_as_xgboost() -> None:
    """Make ``import xgboost`` import Kauri in this process, for tools that look for XGBoost's modules and classes.

    SHAP, optuna's callback, converters to ONNX and similar tools then treat Kauri's boosters and estimators as
    XGBoost's. Call it before these tools are imported; a second call does nothing. From then on, estimators of this
    process are trained with XGBoost's defaults, such as a learning rate of 0.3 and 100 rounds, instead of their own.

    Raises
    ------
    ParameterError
        XGBoost itself is already imported.
    """
    present = sys.modules.get("xgboost")
    if present is not None and hasattr(present, "__kauriboost__"):
        return
    if present is not None:
        raise ParameterError(
            f"xgboost is imported already, from {present.__file__}; "
            "call install_as_xgboost() before anything imports it."
        )
    sys.modules.update(_modules())
    Booster.__module__ = "xgboost.core"  # some tools compare the text of the type; pickles still name our own module
    copyreg.pickle(Booster, _reduce)
