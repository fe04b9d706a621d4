"""Results of a cross-validation besides its table: models, and predictions for left-out rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._model.booster import Booster
from .._public import described, public
from .folds import RowsOfFold


@public("kauriboost.cv")
@dataclass(frozen=True, repr=False)
class CvResult:
    """The result of `cv` with ``return_models=True``.

    Attributes
    ----------
    table
        The result of `cv` without `return_models`: the evaluations, a value per round.
    boosters
        The model of each fold, with all trained rounds; the same bytes as `train` gives on the fold's training rows.
    predictions
        Prediction of each row by the model that did not learn from it, ``[n_rows]`` or ``[n_rows, n_outputs]`` as
        `predict` returns them: margins if `obj` is given. After early stopping, predictions use the rounds up to the
        best one. A row tested by several folds gets the mean; a row tested by none gets NaN. Scores of a ranking are
        comparable within a query, which one model predicts, but not across folds.
    folds
        (training rows, test rows) of each fold.
    best_iteration
        The best round found by early stopping, from 0, common to all folds; None without early stopping.
    """

    table: Any
    boosters: list[Booster]
    predictions: np.ndarray
    folds: list[RowsOfFold]
    best_iteration: int | None = None

    def __repr__(self) -> str:
        rounds = self.boosters[0].num_boosted_rounds()
        shape = self.predictions.shape
        return described(
            self, folds=len(self.folds), rounds=rounds, predictions=shape, best_iteration=self.best_iteration
        )


def times_tested(folds: Sequence[RowsOfFold], n_rows: int) -> np.ndarray:
    """Return for each row the number of folds that test it, ``[n_rows]``."""
    counts = np.zeros(n_rows, dtype=np.int64)
    for _, test in folds:
        np.add.at(counts, test, 1)
    return counts


def by_row(predictions: Sequence[np.ndarray], folds: Sequence[RowsOfFold], n_rows: int) -> np.ndarray:
    """Return the test rows' predictions in the order of all rows: means, and NaN for rows that no fold tests."""
    sums = np.zeros((n_rows, *predictions[0].shape[1:]))
    for values, (_, test) in zip(predictions, folds):
        np.add.at(sums, test, values.astype(np.float64))
    counts = times_tested(folds, n_rows).reshape(-1, *[1] * (sums.ndim - 1))
    with np.errstate(invalid="ignore"):
        means: np.ndarray = (sums / counts).astype(predictions[0].dtype)
    return means
