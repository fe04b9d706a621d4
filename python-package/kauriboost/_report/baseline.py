"""The same metrics of a model without features, for comparison."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from .._data.matrix import DMatrix
from .._explaining.subject import Subject
from .._model.booster import Booster
from .._model.metrics import evaluate_with_intervals
from .._training.train import train
from .subject import Judged

_ROUNDS = 60  # enough for a constant to converge with half Newton steps
_N_ORDERS = 20
_INFO = ("label_lower_bound", "label_upper_bound")
_LEARNING = {"eta": 0.5, "lambda": 0.0, "alpha": 0.0, "max_delta_step": 0.0, "min_child_weight": 0.0, "max_depth": 1}


def about_baseline(model: Judged) -> str:
    """Return a sentence about the baseline."""
    if model.kind == "ranking":
        return f"The baseline puts the rows of each query in a random order (mean of {_N_ORDERS} orders)."
    of_classes = " For classes, these are their shares, so that it always chooses the most frequent class."
    return (
        "The baseline is a model without features: it gives every row the same answer, the best one for these labels."
        + of_classes * model.is_of_classes()
    )


def baseline_of(subject: Subject, model: Judged, data: DMatrix, metrics: Sequence[str]) -> dict[str, float]:
    """Return the value of each metric for the best constant prediction, or for a random order of each query's rows."""
    if model.kind == "ranking":
        return _of_random_orders(model, data, metrics)
    features = _rows_like(data, np.zeros((data.num_row(), 1), np.float32))
    constant = train({**_settings(subject.booster, model), **_LEARNING}, features, _ROUNDS, verbose_eval=False)
    constant.set_param({"eval_metric": list(metrics)})
    return {one["name"]: one["value"] for one in evaluate_with_intervals(constant, features, 0, 0)}


def _of_random_orders(model: Judged, data: DMatrix, metrics: Sequence[str]) -> dict[str, float]:
    rng = np.random.default_rng(0)
    empty = _rows_like(data, np.zeros((data.num_row(), 1), np.float32))
    empty.set_info(group=np.diff(data.get_uint_info("group_ptr")))
    random = train({"objective": model.objective, "max_depth": 1}, empty, 1, verbose_eval=False)
    random.set_param({"eval_metric": list(metrics)})
    values = []
    for _ in range(_N_ORDERS):
        empty.set_base_margin(rng.permutation(data.num_row()).astype(np.float32))
        values.append([one["value"] for one in evaluate_with_intervals(random, empty, 0, 0)])
    names = [one["name"] for one in evaluate_with_intervals(random, empty, 0, 0)]
    return dict(zip(names, np.mean(values, axis=0).tolist()))


def _rows_like(data: DMatrix, features: np.ndarray) -> DMatrix:
    """Return rows with other features, and the labels, bounds and weights of `data`."""
    rows = DMatrix(features, label=data.get_label()) if len(data.get_label()) else DMatrix(features)
    if len(weights := data.get_weight()):
        rows.set_weight(weights)
    for name in _INFO:
        if len(bound := data.get_float_info(name)):
            rows.set_float_info(name, bound)
    return rows


def _settings(booster: Booster, model: Judged) -> dict[str, object]:
    """Return the objective and its own parameters."""
    learner = json.loads(booster.save_config())["learner"]
    found: dict[str, object] = {"objective": model.objective}
    for name, part in learner["objective"].items():
        if name != "name" and isinstance(part, dict):
            found.update({key: value for key, value in part.items() if key != "scale_pos_weight"})
    if model.kind == "classes":
        found["num_class"] = model.predictions.shape[1]
    return found
