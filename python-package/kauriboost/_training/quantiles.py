"""Quantiles calibrated on rows that were not learnt from: conformalized quantile regression.

Romano, Patterson, Candès (2019), with a separate error for each end (their theorem 2):

1. learn quantiles on some rows, and predict other rows: calibration rows, or each fold by a model of the other folds;
2. compute the residuals, label - margin, of each quantile q on those n rows;
3. for q > 1/2 find the smallest shift such that at least q (n + 1) of the residuals do not exceed it; for q < 1/2
   likewise from above; for 1/2 take the median of the residuals;
4. add the shifts to the intercepts of the model, so any program that reads its file predicts calibrated quantiles.

If calibration rows are drawn like later rows, the label of a new row is at most quantile q > 1/2 with probability at
least q. It is between two quantiles p < 1/2 < q with probability at least q - p. With folds, the model of all rows is
not the model of any fold, so the statement is empirical and not a theorem.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from .._binding.errors import DataError, ParameterError
from .._data.device import to_host
from .._data.matrix import DMatrix
from .._model.booster import Booster
from .._model.params import ParamsOrPairs
from .cv_booster import CvBooster
from .folds import Folds, make_folds
from .train import train

ATTRIBUTE = "kauri_calibration"
_OBJECTIVE = "reg:quantileerror"


def train_quantiles(
    params: ParamsOrPairs,
    dtrain: DMatrix,
    num_boost_round: int = 100,
    *,
    nfold: int = 5,
    folds: Folds | None = None,
    calibration: DMatrix | None = None,
    seed: int = 0,
) -> Booster:
    """Train quantiles and calibrate them: each covers the stated share of new labels.

    The shifts are in the intercepts of the model, so they are saved in its file, and every method of prediction returns
    calibrated quantiles. These are sorted in each row and so do not cross. Base margins would replace the intercepts.

    Parameters
    ----------
    params
        Parameters of the booster, with the quantiles as ``quantile_alpha``. The objective is ``reg:quantileerror``.
    dtrain
        Data to learn from, with one label per row. Weights apply to training and calibration.
    num_boost_round
        Number of rounds.
    nfold, folds, seed
        As for `cv`: each fold's rows are predicted by a model of the other folds. This takes one additional training
        per fold, side by side, and the rows of the folds are copied before the first.
    calibration
        Rows to calibrate on instead of folds; they must not be in `dtrain`. Only these give the theoretical guarantee.

    Returns
    -------
    Booster
        A booster trained on all of `dtrain`. Its attribute ``kauri_calibration`` has the quantiles, the shifts and the
        number of rounds that they belong to. Training it further, or slicing its rounds, invalidates the calibration.

    Raises
    ------
    ParameterError
        Another objective, ``booster=gblinear``, no quantiles, or too few rows for a quantile.
    DataError
        Several labels per row, no labels, or base margins.
    """
    told = _with_objective(params)
    _require_labels(dtrain, "dtrain")
    if calibration is not None:
        _require_labels(calibration, "calibration")
    n_rows = (dtrain if calibration is None else calibration).num_row()
    levels = _levels(told, n_rows)
    if calibration is None:
        residuals, weights = _of_folds(
            told, dtrain, num_boost_round, make_folds(dtrain, nfold, False, folds, seed, True)
        )
    booster = train(told, dtrain, num_boost_round, verbose_eval=False)
    if calibration is not None:
        margins = to_host(booster.predict(calibration, output_margin=True, strict_shape=True))
        residuals, weights = _residuals(margins, calibration)
    slack = 8 * float(np.spacing(np.abs(dtrain.get_label()).max()))  # float32 sums may end just short of a label
    shifts = [
        _shift(level, column, weights) + slack * float(np.sign(level - 0.5))
        for level, column in zip(levels, residuals.T)
    ]
    booster = _with_shifted_intercepts(booster, shifts, told)
    kept = {"quantiles": levels, "shifts": shifts, "rows": len(weights), "rounds": booster.num_boosted_rounds()}
    booster.set_attr(**{ATTRIBUTE: json.dumps(kept)})
    return booster


def _with_objective(params: ParamsOrPairs) -> dict[str, Any]:
    told = dict(params.items() if isinstance(params, Mapping) else params)
    objective, kind = told.setdefault("objective", _OBJECTIVE), told.get("booster", "gbtree")
    if objective != _OBJECTIVE:
        raise ParameterError(f"objective is {objective!r}; quantiles are trained with {_OBJECTIVE!r}: leave it out.")
    if kind == "gblinear":
        raise ParameterError("booster is 'gblinear', which learns intercepts of its own; pass a booster of trees.")
    if "quantile_alpha" not in told:
        raise ParameterError("quantile_alpha is not given; pass the quantiles to learn, as [0.05, 0.5, 0.95].")
    return told


def _require_labels(data: DMatrix, name: str) -> None:
    labels = data.get_label()
    if labels.shape != (data.num_row(),):
        raise DataError(f"{name} has labels of the shape {labels.shape} for {data.num_row()} rows; give one per row.")
    if len(data.get_base_margin()):
        raise DataError(f"{name} has base margins, which would replace the calibrated intercepts; drop them.")


def _levels(params: dict[str, Any], n_rows: int) -> list[float]:
    """Return the quantiles. Raises ParameterError if there are too few rows for one of them."""
    config = json.loads(Booster(params).save_config())["learner"]["objective"]
    levels = [float(level) for level in np.atleast_1d(json.loads(config["quantile_loss_param"]["quantile_alpha"]))]
    for level in levels:
        needed = math.ceil(round(1 / min(level, 1 - level), 6)) - 1
        if n_rows < needed:
            raise ParameterError(f"the quantile {level} needs {needed} calibration rows, got {n_rows}.")
    return levels


def _of_folds(
    params: dict[str, Any], data: DMatrix, n_rounds: int, folds: list[tuple[np.ndarray, np.ndarray]]
) -> tuple[np.ndarray, np.ndarray]:
    """Return residuals ``[n_rows, n_quantiles]`` of each fold's test rows under its model, and their weights."""
    parts = [[data.slice(rows, allow_groups=True) for rows in fold] for fold in folds]
    with CvBooster([(params, train_part, test) for train_part, test in parts], evaluated=()) as model:
        for iteration in range(n_rounds):
            model.update(iteration, None, None, False)
        margins = model.predict_test(output_margin=True, strict_shape=True)
    found = [_residuals(of_fold, test) for of_fold, (_, test) in zip(margins, parts)]
    return np.concatenate([residuals for residuals, _ in found]), np.concatenate([weights for _, weights in found])


def _residuals(margins: np.ndarray, data: DMatrix) -> tuple[np.ndarray, np.ndarray]:
    weights = data.get_weight().astype(np.float64)
    residuals = data.get_label().astype(np.float64)[:, None] - margins.astype(np.float64)
    return residuals, weights if len(weights) else np.ones(len(margins))


def _shift(level: float, residuals: np.ndarray, weights: np.ndarray) -> float:
    """Return the number to add to the margins of a quantile."""
    if level < 0.5:
        return -_shift(1 - level, -residuals, weights)
    if level == 0.5:
        return (_reached(residuals, weights, 0.5) - _reached(-residuals, weights, 0.5)) / 2
    return _reached(residuals, weights, level * (1 + 1 / len(weights)))


def _reached(residuals: np.ndarray, weights: np.ndarray, share: float) -> float:
    """Return the smallest residual at which the cumulative weight reaches this share, or else the largest."""
    order = np.argsort(residuals, kind="stable")
    sums = np.cumsum(weights[order])
    place = np.searchsorted(sums, share * sums[-1] * (1 - 1e-12))
    return float(residuals[order[min(place, len(order) - 1)]])


def _with_shifted_intercepts(booster: Booster, shifts: list[float], params: dict[str, Any]) -> Booster:
    """Return a booster with shifted intercepts, set through the model file; ``base_score`` of `params` is dropped."""
    document = json.loads(bytes(booster.save_raw("json")))
    members = document["learner"]["learner_model_param"]
    intercepts = np.array(json.loads(members["base_score"]), dtype=np.float32) + np.array(shifts, dtype=np.float32)
    members["base_score"] = json.dumps([float(intercept) for intercept in intercepts])
    kept = {name: value for name, value in params.items() if name != "base_score"}
    return Booster(kept, model_file=json.dumps(document).encode())
