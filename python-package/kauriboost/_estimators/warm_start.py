"""Estimators with ``warm_start=True``, whose `fit` adds rounds to the model of the last `fit`."""

from __future__ import annotations

import copy
import json
import math
import warnings
from typing import Any

from .._data.matrix import missing_value
from .._model.booster import Booster
from .._model.missing import missing_of
from .._training.callback import EvalsLog


def model_to_continue(model: Any, xgb_model: Any) -> Any:
    """Return a copy of an estimator whose next `fit` continues its model; None if that trains anew.

    Raises
    ------
    ValueError
        Another model to continue is given, or `n_estimators` is smaller than the number of rounds so far.
    """
    if not model.warm_start or not model.__sklearn_is_fitted__():
        return None
    if xgb_model is not None:
        raise ValueError("warm_start=True continues the model of the last fit, and xgb_model is given; leave one out.")
    wanted, done = model.get_num_boosting_rounds(), model.get_booster().num_boosted_rounds()
    if wanted < done:
        raise ValueError(
            f"n_estimators is {wanted}, but with warm_start=True it must be {done} or more, the rounds of the last "
            "fit; raise it, or set warm_start=False to train anew."
        )
    if wanted == done:
        warnings.warn(
            f"fit() adds no rounds: warm_start is True, and the model has n_estimators={done} rounds already.",
            stacklevel=4,
        )
    return copy.copy(model)


def require_same_kind(model: Any, last: Any, params: dict[str, Any]) -> None:
    """Raise ValueError if the objective, the kind of booster or the missing value has changed since the last fit."""
    names = ("objective", "num_class", "booster")
    booster = last.get_booster()
    before, now = _kinds_of(booster), _kinds_of(Booster({name: params[name] for name in names if name in params}))
    told = list(zip(("objective", "booster"), before, now))
    if missing_of(booster) is None and not math.isnan(missing_value(model.missing)):
        told.append(("missing", "nan", str(model.missing)))
    for what, old, new in told:
        if old != new:
            raise ValueError(
                f"{what} is {new}, but the last fit had {old}, and warm_start=True continues its model; set "
                f"{what}={old}, or warm_start=False to train anew."
            )


def _kinds_of(booster: Booster) -> tuple[str, str]:
    learner = json.loads(booster.save_config())["learner"]
    return learner["objective"]["name"], learner["gradient_booster"]["name"]


def joined(before: EvalsLog, added: EvalsLog) -> EvalsLog:
    """Return evaluations of the last fit followed by the new ones, or the new ones if others were evaluated."""
    if {data: list(metrics) for data, metrics in before.items()} != {data: list(log) for data, log in added.items()}:
        return added
    return {
        data: {metric: [*before[data][metric], *values] for metric, values in metrics.items()}
        for data, metrics in added.items()
    }
