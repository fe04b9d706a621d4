"""Estimators with ``preset="best"``, which use `kauriboost.fit_best` instead of a single training."""

from __future__ import annotations

from typing import Any

from .._data.matrix import DMatrix
from .._training.attempts import BestFit
from .._training.best import BestTask, search_best
from .fit_data import FitData
from .parameters import Parameters

# Arguments that would apply within the trainings of all folds.
_WITHIN_A_TRAINING = ("early_stopping_rounds", "callbacks", "warm_start")
_BUDGETS = ("time_budget", "rounds_budget")


def is_wanted(model: Parameters, given: FitData) -> bool:
    """Return whether the estimator has the preset "best".

    Raises
    ------
    ValueError
        Another preset, or a budget or folds without it.
    """
    if model.preset is None:
        for name in _BUDGETS:
            if getattr(model, name) is not None:
                raise ValueError(f"{name} is {getattr(model, name)!r} and preset is None; set preset='best' as well.")
        require_no_search(given)
    elif model.preset != "best":
        raise ValueError(f"preset is {model.preset!r}; expected 'best', or None for one training.")
    return model.preset is not None


def require_no_search(given: FitData) -> None:
    """Raise ValueError if arguments for the search are given to an estimator that does not search."""
    for name, value in given.search.items():
        if value is not None:
            raise ValueError(
                f"{name} is for the folds of preset='best', and the estimator has no preset; leave it out."
            )


def fit(model: Parameters, data: DMatrix, given: FitData, params: dict[str, Any]) -> BestFit:
    """Find the best model for an estimator.

    Raises
    ------
    ValueError
        Arguments are given that only apply to a single training.
    """
    _require_none(model, given)
    task = BestTask(
        data,
        params,
        time_budget=model.time_budget,
        rounds_budget=model.rounds_budget,
        seed=int(params.get("random_state", 0)),
        custom_metric=model._own_metric(),
        **{name: value for name, value in given.search.items() if value is not None},
    )
    return search_best(task)


def _require_none(model: Parameters, given: FitData) -> None:
    told = [name for name in _WITHIN_A_TRAINING if getattr(model, name)]
    told += ["validation_fraction"] if model.validation_fraction not in (None, 0.1) else []  # 0.1 is the default
    told += ["eval_set"] if given.evals else []
    told += ["xgb_model"] if given.model is not None else []
    told += ["objective, a function,"] if callable(model.objective) else []
    if told:
        raise ValueError(f"{told[0]} does not go with preset='best', which trains and stops by folds; leave it out.")
