"""Permutation importance: the loss of quality of a model when the values of a feature are shuffled over rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Callable

import numpy as np

from .._binding.errors import DataError, ParameterError
from .._data.matrix import DMatrix
from .._data.shuffling import shuffle, shuffle_rows
from .._data.tables import all_columns, matrix_like
from .._model.booster import Booster
from .._model.metrics import require_queries
from .._public import described, public
from .subject import Queries, Subject, feature_numbers, subject_of

Metric = Callable[[np.ndarray, np.ndarray], float]


@public("kauriboost.permutation")
@dataclass(frozen=True, repr=False)
class PermutationImportance:
    """The result of `permutation_importance`.

    Attributes
    ----------
    values
        ``[n_features]``: the mean deterioration of the metric over the repeats; positive if the model needs the
        feature.
    std
        ``[n_features]``: the standard deviation over the repeats.
    repeats
        ``[n_features, n_repeats]``: the deterioration in each repeat.
    baseline
        The metric of the unchanged rows.
    metric
        The name of the metric.
    feature_names
        ``[n_features]``.
    """

    values: np.ndarray
    std: np.ndarray
    repeats: np.ndarray
    baseline: float
    metric: str
    feature_names: list[str]

    def __repr__(self) -> str:
        ranked = [(self.feature_names[i], float(f"{self.values[i]:.3g}")) for i in np.argsort(-self.values)]
        return described(self, metric=self.metric, baseline=float(f"{self.baseline:.6g}"), strongest=ranked)


@dataclass(frozen=True)
class _Scorer:
    """A metric of a model's rounds; larger is better if `sign` is 1, smaller if it is -1."""

    booster: Booster
    metric: Metric | None
    name: str
    sign: int

    def __call__(self, data: DMatrix) -> float:
        """Return the metric's value."""
        if self.metric is not None:
            return float(self.metric(data.get_label(), np.asarray(self.booster.predict(data))))
        return _named_values(self.booster, data)[self.name]


def _named_values(booster: Booster, data: DMatrix) -> dict[str, float]:
    parts = booster.eval(data, "data").split("\t")[1:]
    pairs = (part[len("data-") :].rsplit(":", 1) for part in parts)
    return {name: float(value) for name, value in pairs}


def _scorer(model: Subject, metric: str | Metric | None, greater_is_better: bool, data: DMatrix) -> _Scorer:
    begin, end = model.rounds
    booster = model.booster.copy()
    if (begin, end) != (0, 0):
        booster = booster[begin : end or booster.num_boosted_rounds()]
    if callable(metric):
        name = getattr(metric, "__name__", type(metric).__name__)
        return _Scorer(booster, metric, name, 1 if greater_is_better else -1)
    if metric is not None:
        booster.set_param({"eval_metric": metric})
    require_queries(booster, data)
    names = list(_named_values(booster, data))
    if not names:
        raise ParameterError("the model has no metric; pass metric.")
    name = metric if metric in names else names[-1]
    return _Scorer(booster, None, name, 1 if booster.higher_is_better(name) else -1)


def _with_labels(model: Subject, X: Any, y: Any, queries: Queries) -> DMatrix:
    """Return the rows with labels and queries in the model's encoding."""
    matrix = model.labelled(X, y, queries)
    if matrix.num_row() == 0 or len(matrix.get_label()) + len(matrix.get_float_info("label_lower_bound")) == 0:
        raise DataError("permutation importance needs rows and labels; pass y, or a DMatrix with labels.")
    return matrix


def permutation_importance(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    qid: Any = None,
    group: Any = None,
    metric: str | Metric | None = None,
    greater_is_better: bool = True,
    n_repeats: int = 5,
    seed: int = 0,
    features: Sequence[str | int] | None = None,
    feature_names: Sequence[str] | None = None,
    iteration_range: tuple[int, int] | None = None,
) -> PermutationImportance:
    """Return how much worse the model gets on rows with one feature's values shuffled (Breiman 2001).

    Memory is needed for two dense float32 tables of the rows. Rows of a CuPy or PyTorch array in device memory stay
    there: columns are shuffled on the device, and with ``device=cuda`` the model predicts and is evaluated there. The
    permutations are the same as on the host.

    Parameters
    ----------
    model
        A Booster, or a fitted estimator of `kauriboost.sklearn`.
    X
        The rows, preferably not used in training: a DMatrix, or data to make one from.
    y
        The labels; by default the labels of the DMatrix.
    qid, group
        The query of each row, ascending, ``[n_rows]``, or rows per query, in order, ``[n_queries]``. Pass neither if X
        is a DMatrix with queries, or has a column ``qid`` that is not a feature of the model.
    metric
        The name of a metric of the library, or a function of (labels, predictions); by default the last of the model's
        metrics.
    greater_is_better
        For a function: whether larger values are better. For the library's own metrics this is known.
    n_repeats
        Number of times to shuffle each feature.
    seed
        Selects the permutations, which are the same on every machine.
    features
        Shuffle only these features, given by name or number.
    feature_names, iteration_range
        As for `explain`.

    Raises
    ------
    ParameterError
        No repeats, an unknown metric or feature.
    DataError
        No labels, no queries for a metric that needs them, or rows that do not fit the model.
    """
    if n_repeats < 1:
        raise ParameterError(f"n_repeats is {n_repeats}; expected at least 1.")
    asked = subject_of(model, iteration_range)
    matrix = _with_labels(asked, X, y, Queries(qid, group))
    names = asked.names(feature_names, matrix)
    chosen = feature_numbers(features, names) or list(range(len(names)))
    columns = all_columns(matrix, asked.without_queries(X), len(names))
    score = _scorer(asked, metric, greater_is_better, matrix)
    baseline = score(matrix_like(matrix, columns))
    losses = np.empty((len(chosen), n_repeats))
    seeds = shuffle(2**61, seed, losses.size).reshape(losses.shape)
    for place, feature in enumerate(chosen):
        column = columns[feature]
        for repeat in range(n_repeats):
            columns[feature] = shuffle_rows(column, int(seeds[place, repeat]))
            losses[place, repeat] = score.sign * (baseline - score(matrix_like(matrix, columns)))
        columns[feature] = column
    return PermutationImportance(
        losses.mean(axis=1), losses.std(axis=1), losses, baseline, score.name, [names[feature] for feature in chosen]
    )
