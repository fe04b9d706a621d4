"""What a cross-validation has found besides its table: models, and predictions of rows that these did not see."""

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
    """What `cv` returns with ``return_models=True``.

    Attributes
    ----------
    table
        What it returns without: the evaluations, a value per round.
    boosters
        The model of each fold, with all rounds that were trained: the bytes of `train` on the fold's training rows.
    predictions
        Each row predicted by the model that did not learn from it, ``[n_rows]`` or ``[n_rows, n_outputs]`` as `predict`
        returns them: margins where `obj` is given. After early stopping with the rounds up to the best one. The mean
        over the folds that test a row, where several do; NaN where none does. Scores of a ranking are of one scale
        within a query, which one model predicts, and not from one fold to the next.
    folds
        (training rows, test rows) of each.
    best_iteration
        The best round by early stopping, from 0, one for all folds; None without early stopping.
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
    """Return how many times each row is among the test rows, ``[n_rows]``."""
    counts = np.zeros(n_rows, dtype=np.int64)
    for _, test in folds:
        np.add.at(counts, test, 1)
    return counts


def by_row(predictions: Sequence[np.ndarray], folds: Sequence[RowsOfFold], n_rows: int) -> np.ndarray:
    """Return the predictions of the folds' test rows in the order of all rows: means, and NaN of rows without one."""
    sums = np.zeros((n_rows, *predictions[0].shape[1:]))
    for values, (_, test) in zip(predictions, folds):
        np.add.at(sums, test, values.astype(np.float64))
    counts = times_tested(folds, n_rows).reshape(-1, *[1] * (sums.ndim - 1))
    with np.errstate(invalid="ignore"):
        means: np.ndarray = (sums / counts).astype(predictions[0].dtype)
    return means
