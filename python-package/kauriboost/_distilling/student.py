"""The student: one booster that learns a teacher's results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

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


@dataclass(frozen=True)
class Lesson:
    """Rows and what to say of them: numbers ``[n_rows]`` or probabilities ``[n_rows, n_classes]``, and weights."""

    data: DMatrix
    targets: np.ndarray
    weights: np.ndarray


def settings_of(targets: np.ndarray, has_categories: bool) -> dict[str, Any]:
    """Return the student's settings for targets: numbers, or probabilities of two or more classes."""
    if targets.ndim == 1:
        return dict(_OF_NUMBERS)
    n_classes = targets.shape[1]
    if n_classes == 2:
        return dict(_OF_TWO)
    shape = {} if has_categories else {"grow_policy": "symmetric"}
    return {**_OF_SEVERAL, **shape, "num_class": n_classes}


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
    lesson.data.set_info(label=targets, weight=lesson.weights)
    return lesson.data


def _soft_cross_entropy(lesson: Lesson) -> Any:
    """Return the objective of several classes: gradients of the cross-entropy with the targets."""
    weights = lesson.weights[:, None]

    def objective(margins: np.ndarray, _: DMatrix) -> tuple[np.ndarray, np.ndarray]:
        chances = softmax(margins)
        hessians = np.maximum(2.0 * chances * (1.0 - chances), _LEAST_HESSIAN)
        return weights * (chances - lesson.targets), weights * hessians

    return objective


def softmax(margins: np.ndarray) -> np.ndarray:
    """Return probabilities ``[n_rows, n_classes]`` in float64."""
    shifted = np.exp(margins.astype(np.float64) - margins.max(axis=1, keepdims=True))
    result: np.ndarray = shifted / shifted.sum(axis=1, keepdims=True)
    return result


def loss_of(lesson: Lesson, predictions: np.ndarray) -> float:
    """Return the weighted mean of squared errors, or of Kullback-Leibler divergences, from the targets."""
    targets = lesson.targets
    if targets.ndim == 1:
        return float(np.average((targets - predictions) ** 2, weights=lesson.weights))
    if predictions.ndim == 1:
        predictions = np.column_stack([1.0 - predictions, predictions])
    ratios = np.log(np.maximum(targets, 1e-12) / np.maximum(predictions, 1e-12))
    return float(np.average((targets * ratios).sum(axis=1), weights=lesson.weights))
