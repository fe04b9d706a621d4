"""The student: one booster that learns a teacher's results."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._binding.errors import DataError
from .._data.matrix import DMatrix
from .._model.booster import Booster
from .._training.train import train

_LEAST_HESSIAN = 1e-6
# Random thresholds make a sum of many trees smoother. On test rows of two real sets, students with them had less
# squared error (R2 .992; .984 with the best thresholds) and less divergence (.0062; .0085). Two more levels were worse,
# and so was a sample of columns for each node. With 26 classes symmetric trees were better still (.077; .087 without).
_OF_ALL: Mapping[str, Any] = {"max_depth": 7, "extra_trees": 1, "lambda": 0.3}
_OF_NUMBERS: Mapping[str, Any] = {**_OF_ALL, "objective": "reg:squarederror", "eta": 0.05}
_OF_TWO: Mapping[str, Any] = {**_OF_ALL, "objective": "binary:logistic", "eta": 0.1}
_OF_SEVERAL: Mapping[str, Any] = {
    **_OF_ALL,
    "objective": "multi:softprob",
    "eta": 0.2,
    "min_child_weight": 0.1,
    "multi_strategy": "multi_output_tree",
}

# Numbers are learnt in a unit near their deviation, because training ignores gains below 1e-6, and gains have the
# squared unit. These objectives learn the same trees in any unit, unless a parameter depends on the unit.
_OF_ANY_UNIT = ("reg:squarederror", "reg:linear", "reg:absoluteerror", "reg:quantileerror", "reg:expectileerror")
_WITH_UNIT = (
    *("gamma", "min_split_loss", "alpha", "reg_alpha", "max_delta_step", "base_score", "feature_cost"),
    "linear_tree",  # has slopes outside of the trees
)
_LARGEST, _SMALLEST_UNIT = 1e37, 1e-30  # sums and small leaves are float32
_ROUNDING = 2.0**-20  # deviations of this share of the numbers are near the rounding of float32


@dataclass(frozen=True)
class Lesson:
    """Rows and the results to learn: numbers ``[n_rows]`` or probabilities ``[n_rows, n_classes]``."""

    data: DMatrix
    targets: np.ndarray


def settings_of(targets: np.ndarray, has_categories: bool) -> dict[str, Any]:
    """Return the student's settings for targets: numbers, or probabilities of two or more classes."""
    if targets.ndim == 1:
        return dict(_OF_NUMBERS)
    n_classes = targets.shape[1]
    if n_classes == 2:
        return dict(_OF_TWO)
    shape = {} if has_categories else {"grow_policy": "symmetric"}
    return {**_OF_SEVERAL, **shape, "num_class": n_classes}


def unit_of(results: np.ndarray, params: Mapping[str, Any]) -> float:
    """Return the power of two near the deviation of results that are numbers; 1 if parameters fix the unit.

    Raises DataError for numbers that float32 cannot hold.
    """
    if results.ndim == 2:
        return 1.0
    largest = float(np.abs(results).max())
    if largest > _LARGEST:
        raise _beyond_float32(f"{largest:g}")
    if params["objective"] not in _OF_ANY_UNIT or any(name in params for name in _WITH_UNIT) or largest == 0:
        return 1.0
    scaled = (results / largest).tolist()
    mean = math.fsum(scaled) / len(scaled)  # fsum rounds once, so the unit is the same everywhere
    deviation = math.sqrt(math.fsum([(value - mean) ** 2 for value in scaled]) / len(scaled))
    unit = math.ldexp(1.0, math.frexp(max(deviation, _ROUNDING) * largest)[1])
    if unit < _SMALLEST_UNIT:
        raise _beyond_float32(f"numbers with the deviation {deviation * largest:g}")
    return unit


def _beyond_float32(what: str) -> DataError:
    return DataError(
        f"the teacher returned {what}, and a student predicts float32; pass a function that returns the teacher's "
        "results in another unit."
    )


def in_unit(booster: Booster, unit: float, params: Mapping[str, Any]) -> Booster:
    """Return a student that predicts `unit` times what `booster` does. Products with a power of two are exact."""
    if unit == 1:
        return booster
    model = json.loads(bytes(booster.save_raw("json")))
    facts = model["learner"]["learner_model_param"]
    facts["base_score"] = json.dumps([value * unit for value in json.loads(facts["base_score"])])
    for tree in model["learner"]["gradient_booster"]["model"]["trees"]:
        is_leaf = np.asarray(tree["left_children"]) < 0
        values = np.asarray(tree["split_conditions"], dtype=np.float64)
        tree["split_conditions"] = np.where(is_leaf, values * unit, values).tolist()
        tree["base_weights"] = (np.asarray(tree["base_weights"]) * unit).tolist()
        gains = np.asarray(tree["loss_changes"]) * unit**2
        tree["loss_changes"] = np.minimum(gains, np.finfo(np.float32).max).tolist()
    return Booster(params, model_file=bytearray(json.dumps(model).encode()))


def learn(lesson: Lesson, params: Mapping[str, Any], rounds: int, held: Lesson | None, patience: int) -> Booster:
    """Train a student; with held-out rows, until their divergence has not improved for `patience` rounds."""
    data = labelled(lesson)
    several = lesson.targets.ndim == 2 and lesson.targets.shape[1] > 2
    more: dict[str, Any] = {}
    if several:
        more["obj"] = _soft_cross_entropy(lesson)
    if held is not None:
        more.update(evals=[(labelled(held), "held")], early_stopping_rounds=patience)
        if several:
            more["custom_metric"] = lambda margins, _: ("divergence", loss_of(held, softmax(margins)))
            more["maximize"] = False
            params = {**params, "disable_default_eval_metric": 1}
    return train(params, data, rounds, verbose_eval=False, **more)


def labelled(lesson: Lesson) -> DMatrix:
    """Return the rows of a lesson with labels; of several classes the most likely one, for the intercept."""
    targets = lesson.targets
    if targets.ndim == 2:
        targets = targets[:, 1] if targets.shape[1] == 2 else targets.argmax(axis=1)
    lesson.data.set_info(label=targets)
    return lesson.data


def _soft_cross_entropy(lesson: Lesson) -> Any:
    """Return the objective of several classes: gradients of the cross-entropy with the targets."""

    def objective(margins: np.ndarray, _: DMatrix) -> tuple[np.ndarray, np.ndarray]:
        chances = softmax(margins)
        hessians = np.maximum(2.0 * chances * (1.0 - chances), _LEAST_HESSIAN)
        return chances - lesson.targets, hessians

    return objective


def softmax(margins: np.ndarray) -> np.ndarray:
    """Return probabilities ``[n_rows, n_classes]`` in float64."""
    shifted = np.exp(margins.astype(np.float64) - margins.max(axis=1, keepdims=True))
    result: np.ndarray = shifted / shifted.sum(axis=1, keepdims=True)
    return result


def losses_of(lesson: Lesson, predictions: np.ndarray) -> np.ndarray:
    """Return the squared error of each row, or its Kullback-Leibler divergence, from the targets."""
    targets = lesson.targets
    if targets.ndim == 1:
        errors: np.ndarray = (targets - predictions) ** 2
        return errors
    if predictions.ndim == 1:
        predictions = np.column_stack([1.0 - predictions, predictions])
    ratios = np.log(np.maximum(targets, 1e-12) / np.maximum(predictions, 1e-12))
    divergences: np.ndarray = (targets * ratios).sum(axis=1)
    return divergences


def loss_of(lesson: Lesson, predictions: np.ndarray) -> float:
    """Return the mean of the rows' losses."""
    return float(losses_of(lesson, predictions).mean())


def fidelity_of(lesson: Lesson, predictions: np.ndarray) -> float:
    """Return the agreement with the targets: the mean divergence from probabilities, or R2 of numbers as float32.

    R2 of numbers that are all equal is 1 if they are predicted up to rounding, and else 0.
    """
    if lesson.targets.ndim == 2:
        return loss_of(lesson, predictions)
    targets = lesson.targets.astype(np.float32).astype(np.float64)
    error = float(((targets - predictions) ** 2).mean())
    if targets.min() == targets.max():
        rounding = 4 * float(np.finfo(np.float32).eps) * abs(float(targets[0]))
        return float(error <= rounding**2)
    return 1.0 - error / float(np.var(targets))
