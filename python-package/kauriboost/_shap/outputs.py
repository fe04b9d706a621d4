"""The outputs that a tree explainer can explain, and the functions of the margin that they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._binding.errors import ParameterError
from .trees import TreeModel

_Transform = Callable[[np.ndarray, Any], np.ndarray]  # of margins [n_rows, n_outputs], and labels [n_rows, 1] or 0


@dataclass(frozen=True)
class Output:
    """The output to explain: a function of the margin, or None for raw scores."""

    transform: _Transform | None = None
    is_doubled: bool = False  # the outputs are 1 - p and p
    needs_labels: bool = False


def output_of(model: TreeModel, asked: str) -> Output:
    """Return the output by its name in shap. Raises ParameterError, with the reason, for one that is not supported."""
    if asked == "raw" or (asked in ("probability", "predict_proba") and model.tree_output == "probability"):
        return Output(is_doubled=model.is_doubled)
    if asked in ("probability", "predict_proba"):
        if model.tree_output != "log_odds":
            raise ParameterError(
                f"model_output={asked!r} needs raw scores that are log-odds of one class, and this model has others "
                f"({_shown(model)}). {_OTHERWISE}"
            )
        return Output(_logistic, is_doubled=asked == "predict_proba" and model.num_outputs == 1)
    if asked == "predict":
        if model.tree_output != "raw_value":
            raise ParameterError(
                f"model_output='predict' needs predictions that are raw scores, and this model has others "
                f"({_shown(model)}). {_OTHERWISE}"
            )
        return Output()
    if asked == "log_loss":
        losses = {"squared_error": _squared_loss, "binary_crossentropy": _logistic_loss}
        if model.objective not in losses or model.num_outputs != 1:
            raise ParameterError(
                "model_output='log_loss' needs a model of one output that minimised the squared error or the logistic "
                f"loss, and this one did not ({_shown(model)}). {_OTHERWISE}"
            )
        return Output(losses[model.objective], needs_labels=True)
    raise ParameterError(
        f"model_output is {asked!r}; expected 'raw', 'probability', 'predict_proba', 'log_loss' or 'predict'."
    )


_OTHERWISE = "kauriboost.explain with output='value' or 'loss' explains any model's predictions and losses."


def _shown(model: TreeModel) -> str:
    objective = model.forest.objective
    return f"{model.forest.kind}, {objective}" if objective else model.forest.kind


def _logistic(margins: np.ndarray, _: Any) -> np.ndarray:
    return np.asarray(0.5 * (1 + np.tanh(margins / 2)))  # 1 / (1 + exp(-margin)) without overflow


def _logistic_loss(margins: np.ndarray, labels: Any) -> np.ndarray:
    return np.asarray(np.logaddexp(0, margins) - labels * margins)


def _squared_loss(margins: np.ndarray, labels: Any) -> np.ndarray:
    return np.asarray((labels - margins) ** 2)
