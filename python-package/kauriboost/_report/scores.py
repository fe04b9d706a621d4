"""Metrics of a model on some rows, with intervals from resampled rows (Efron 1979)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .._data.matrix import DMatrix
from .._data.shuffling import shuffle
from .._explaining.subject import Subject
from .._model.booster import Booster
from .._model.metrics import parse_line, require_queries

_N_RESAMPLES = 200
_MOST_ROWS = 100_000  # beyond, resampling takes seconds
_FIELDS = ("label", "weight", "label_lower_bound", "label_upper_bound")


@dataclass(frozen=True)
class ScoredMetric:
    """A metric's value, and its 95 % interval where there is one."""

    name: str
    value: float
    interval: tuple[float, float] | None


def scores_of(model: Subject, data: DMatrix, metrics: Sequence[str] | None, seed: int) -> list[ScoredMetric]:
    """Return the metrics of labelled rows; the model's own unless others are asked for.

    Whole queries are drawn where there are some. Without intervals: more than 100,000 rows, several targets.
    """
    begin, end = model.rounds
    booster = model.booster.copy()
    if (begin, end) != (0, 0):
        booster = booster[begin : end or booster.num_boosted_rounds()]
    if metrics is not None:
        booster.set_param({"eval_metric": list(metrics)})
    require_queries(booster, data)
    values = _values(booster, data)
    margins = np.asarray(booster.predict(data, output_margin=True, strict_shape=True))
    is_one_target = data.get_label().ndim == 1 and (margins.shape[1] == 1 or _is_multiclass(booster))
    if data.num_row() > _MOST_ROWS or not is_one_target or not values:
        return [ScoredMetric(name, value, None) for name, value in values.items()]
    resampled = _resampled_values(booster, data, margins, seed)
    low, high = np.percentile(resampled, [2.5, 97.5], axis=0)
    return [
        ScoredMetric(name, value, (float(low[place]), float(high[place])))
        for place, (name, value) in enumerate(values.items())
    ]


def _values(booster: Booster, data: DMatrix) -> dict[str, float]:
    return {name: value for _, name, value in parse_line(booster.eval(data))}


def _is_multiclass(booster: Booster) -> bool:
    return '"name":"multi:' in booster.save_config().replace(" ", "")


def _resampled_values(booster: Booster, data: DMatrix, margins: np.ndarray, seed: int) -> np.ndarray:
    """Return ``[n_resamples, n_metrics]``. Nothing is predicted: the margins are given to a booster without trees."""
    without_trees = Booster()
    without_trees.load_config(booster.save_config())
    draw = _drawer(data)
    seeds = shuffle(2**61, seed, _N_RESAMPLES)
    values = []
    for drawn in map(draw, seeds):
        rows, sizes = drawn
        fields = {name: data.get_float_info(name) for name in _FIELDS}
        fields = {name: field[rows] for name, field in fields.items() if len(field) == data.num_row()}
        matrix = DMatrix(np.zeros((len(rows), 0), np.float32), base_margin=margins[rows], group=sizes)
        matrix.set_info(**fields)
        values.append(list(_values(without_trees, matrix).values()))
    return np.array(values)


def _drawer(data: DMatrix) -> Callable[[int], tuple[np.ndarray, np.ndarray | None]]:
    """Return what draws with replacement, by a seed: rows, and where there are queries the sizes of those drawn."""
    bounds = data.get_uint_info("group_ptr").astype(np.int64)

    def rows(seed: int) -> tuple[np.ndarray, None]:
        return shuffle(2**53, int(seed), data.num_row()) % data.num_row(), None

    def queries(seed: int) -> tuple[np.ndarray, np.ndarray]:
        chosen = shuffle(2**53, int(seed), len(bounds) - 1) % (len(bounds) - 1)
        return np.concatenate([np.arange(bounds[q], bounds[q + 1]) for q in chosen]), np.diff(bounds)[chosen]

    return queries if len(bounds) > 1 else rows
