"""Metrics of a model on some rows, with intervals computed by the library (src/booster/predict/metric_intervals.h)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._data.matrix import DMatrix
from .._explaining.subject import Subject
from .._model.booster import Booster
from .._model.metrics import evaluate_with_intervals, require_queries

N_RESAMPLES = 200
_MOST_ROWS = 100_000  # above this, resampling takes seconds


@dataclass(frozen=True)
class ScoredMetric:
    """A metric's value, its 95 % interval if there is one, and whether larger values are better."""

    name: str
    value: float
    interval: tuple[float, float] | None
    is_up: bool = False


def scores_of(
    model: Subject, data: DMatrix, metrics: Sequence[str] | None, seed: int, extra: Sequence[str] = ()
) -> list[ScoredMetric]:
    """Return the metrics of labelled rows: `metrics`, or else the model's own and then those of `extra`.

    If there are queries, whole queries are resampled. There are no intervals for more than 100,000 rows or several
    targets.
    """
    begin, end = model.rounds
    booster = model.booster.copy()
    if (begin, end) != (0, 0):
        booster = booster[begin : end or booster.num_boosted_rounds()]
    if metrics is not None:
        booster.set_param({"eval_metric": list(metrics)})
    elif extra:
        own = [one["name"] for one in evaluate_with_intervals(booster, data, 0, seed)]
        booster.set_param({"eval_metric": [*own, *(name for name in extra if name not in own)]})
    require_queries(booster, data)
    n_outputs = np.asarray(booster.predict(data, output_margin=True, strict_shape=True)).shape[1]
    is_one_target = data.get_label().ndim == 1 and (n_outputs == 1 or _is_multiclass(booster))
    has_intervals = data.num_row() <= _MOST_ROWS and is_one_target
    found = evaluate_with_intervals(booster, data, N_RESAMPLES if has_intervals else 0, seed)
    return [
        ScoredMetric(
            one["name"],
            one["value"],
            (one["low"], one["high"]) if has_intervals else None,
            booster.higher_is_better(one["name"]),
        )
        for one in found
    ]


def _is_multiclass(booster: Booster) -> bool:
    return '"name":"multi:' in booster.save_config().replace(" ", "")
