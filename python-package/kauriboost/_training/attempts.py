"""Results of `fit_best`: the settings that it tried and the model that it found."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._binding.errors import ParameterError
from .._data.matrix import DMatrix
from .._data.naming import recalling_categories
from .._markup.markup import joined, paragraph, table
from .._model.booster import Booster
from .._model.missing import missing_of
from .._model.result import ModelResult
from .._public import described, public

_OF_PROBABILITIES = ("binary:logistic", "multi:softprob")


@public("kauriboost.training")
@dataclass(frozen=True)
class Attempt:
    """A setting that `fit_best` tried.

    Attributes
    ----------
    params
        The chosen parameters, in addition to those given by the user.
    score, deviation
        Mean and standard deviation of the metric over the folds, after the best round; None if the setting failed.
    rounds
        The number of rounds up to the best one.
    trained
        The number of rounds that were trained in each fold.
    seconds
        The time taken.
    error
        The reason for a failure; None if there was none.
    is_cut
        Whether the budget or another setting stopped it while it was still improving; a larger budget would improve it
        further.
    """

    params: dict[str, Any]
    score: float | None
    deviation: float | None
    rounds: int
    trained: int
    seconds: float
    error: str | None = None
    is_cut: bool = False

    def line(self) -> str:
        """Return a one-line description."""
        how = ", ".join(f"{name}={value}" for name, value in self.params.items()) or "as given"
        if self.score is None:
            return f"{how}: {self.error or 'the metric is no number'}"
        what = f"{self.score:.6g} (deviation {self.deviation:.2g})"
        cut = ", cut off" if self.is_cut else ""
        return f"{what} after {self.rounds} of {self.trained} rounds{cut} in {self.seconds:.1f} s: {how}"


@public("kauriboost.training")
@dataclass(frozen=True, repr=False)
class BestFit(ModelResult):
    """The result of `fit_best`, and its cost.

    Attributes
    ----------
    booster
        The model.
    best
        The best single setting, with its score on the left-out rows.
    metric
        The name of the metric of all scores.
    attempts
        All settings in the order in which they were first tried.
    trained
        The number of rounds of the search, each in all folds. As `rounds_budget`, this number reproduces the model on
        any machine.
    seconds
        The time of the whole call.
    score
        The metric of the model on left-out rows, before it also learnt from them: the mean over the folds.
    shares
        The weight of each of `attempts` in the model's mean; the weights sum to 1.
    classes_
        The names of the classes that `fit_best` found in the labels, ascending. None for amounts, and for numbers whose
        objective `params` named (of several classes with ``num_class``).
    """

    booster: Booster
    best: Attempt
    metric: str
    attempts: list[Attempt]
    trained: int
    seconds: float
    score: float
    shares: list[float]
    classes_: np.ndarray | None = None

    def predict(self, X: Any, **how: Any) -> Any:
        """Predict rows: a `DMatrix`, or data to make one from, with the value ``missing`` that `fit_best` got.

        Without further arguments, the result for a model with `classes_` is the most likely class of each row. Else it
        is the result of `Booster.predict`, which takes `how`.
        """
        data = self._matrix(X)
        if self.classes_ is None or how:
            return self.booster.predict(data, **how)
        margins = self.booster.predict(data, output_margin=True)
        codes = margins.argmax(axis=1) if margins.ndim == 2 else (margins > 0).astype(np.int64)
        return self.classes_[codes]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probabilities of the classes, ``[n_rows, n_classes]``.

        Raises
        ------
        ParameterError
            The model has no classes, or its objective predicts no probabilities.
        """
        objective = json.loads(self.booster.save_config())["learner"]["objective"]["name"]
        if self.classes_ is None or objective not in _OF_PROBABILITIES:
            raise ParameterError(
                f"the model learnt no probabilities of named classes: its objective is {objective}. predict() returns "
                "its predictions; for classes pass texts as y, or leave out the objective."
            )
        values: np.ndarray = self.booster.predict(self._matrix(X))
        return values if values.ndim == 2 else np.column_stack([1.0 - values, values])

    def _matrix(self, X: Any) -> DMatrix:
        with recalling_categories(self.booster):
            return X if isinstance(X, DMatrix) else DMatrix(X, missing=missing_of(self.booster))

    def __repr__(self) -> str:
        return described(
            self,
            params=self.best.params,
            rounds=self.booster.num_boosted_rounds(),
            score=f"{self.metric} {self.score:.6g}",
            settings=sum(share > 0 for share in self.shares),
            attempts=len(self.attempts),
            trained=self.trained,
            seconds=round(self.seconds, 2),
        )

    def _repr_html_(self) -> str:
        """Return HTML for notebooks."""
        head = ["share", "setting", f"{self.metric}, mean", "deviation", "rounds", "trained", "seconds"]
        rows = [[_mark(attempt, share), *_cells(attempt)] for attempt, share in zip(self.attempts, self.shares)]
        about = (
            f"{self.metric} {self.score:.6g} of a mean with the shares below; {len(self.attempts)} settings, "
            f"{self.trained} rounds trained in {self.seconds:.1f} s"
        )
        return joined([paragraph(about), table(head, rows, n_texts=2)]).text


def _mark(attempt: Attempt, share: float) -> str:
    return f"{share:.0%}" if share > 0 else "failed" if attempt.error else ""


def _cells(attempt: Attempt) -> list[str]:
    setting = attempt.error or ", ".join(f"{name}={value}" for name, value in attempt.params.items())
    scores = [f"{number:.6g}" if number is not None else "" for number in (attempt.score, attempt.deviation)]
    trained = f"{attempt.trained}, cut off" if attempt.is_cut else str(attempt.trained)
    return [setting, *scores, str(attempt.rounds), trained, f"{attempt.seconds:.2f}"]
