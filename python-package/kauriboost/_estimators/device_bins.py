"""The rows that an estimator learns from: binned by the device that trains, if nothing needs their values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._data.matrix import DMatrix
from .._data.quantile import QuantileDMatrix
from . import best
from .fit_data import FitData
from .held_out import stops_early

_MANY_VALUES = 1 << 20  # from here on a copy of the values costs more than the preparation of the device
# Parameters of trees of bins, none of which reads the values of the rows once more.
_WITH_BINS = frozenset(
    [
        "objective",
        "num_class",
        "base_score",
        "scale_pos_weight",
        "eval_metric",
        "n_estimators",
        "learning_rate",
        "eta",
        "max_depth",
        "max_leaves",
        "grow_policy",
        "max_bin",
        "gamma",
        "min_split_loss",
        "min_child_weight",
        "max_delta_step",
        "subsample",
        "sampling_method",
        "colsample_bytree",
        "colsample_bylevel",
        "colsample_bynode",
        "reg_alpha",
        "alpha",
        "reg_lambda",
        "lambda",
        "monotone_constraints",
        "interaction_constraints",
        "num_parallel_tree",
        "random_state",
        "seed",
        "n_jobs",
        "nthread",
        "verbosity",
        "tree_method",
        "device",
    ]
)


def _bins_suffice(X: Any, params: Mapping[str, Any]) -> bool:
    """Return whether a `QuantileDMatrix` made on the device trains the same model as a `DMatrix`, and sooner."""
    return (
        str(params.get("device", "cpu")).startswith("cuda")
        and params.get("tree_method", "hist") in ("hist", "auto", "gpu_hist")
        and _WITH_BINS.issuperset(params)
        and type(X) is np.ndarray
        and X.ndim == 2
        and X.dtype.kind in "fiu"
        and X.size >= _MANY_VALUES
    )


def training_rows(model: Any, given: FitData, params: dict[str, Any]) -> DMatrix:
    """Return the rows that `model`, an estimator, learns from. What it learns does not depend on how they are kept."""
    X, y, fields = given.train
    model._require_target(y)
    labels = model._encode(y) if given.codes is None else given.codes
    holds_out = not given.evals and model.validation_fraction is not None and stops_early(model)
    if given.model is not None or holds_out or best.is_wanted(model, given) or not _bins_suffice(X, params):
        rows: DMatrix = model._matrix(X, label=labels, **fields)
        return rows
    binning = {"device": params["device"], "max_bin": params.get("max_bin")}
    bins: DMatrix = model._matrix(X, label=labels, kind=QuantileDMatrix, **binning, **fields)
    return bins
