"""What `fit_best` has tried and found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._data.matrix import DMatrix
from .._markup.markup import joined, paragraph, table
from .._model.booster import Booster
from .._public import described, public


@public("kauriboost.training")
@dataclass(frozen=True)
class Attempt:
    """A setting that `fit_best` has tried.

    Attributes
    ----------
    params
        The setting: what was chosen besides the parameters that the user gave.
    score, deviation
        Mean and standard deviation of the metric over the folds, after the best round; None of a setting that failed.
    rounds
        The number of rounds up to the best one.
    trained
        The number of rounds that were trained, of all folds each.
    seconds
        What they took.
    error
        Why it failed; None if it did not.
    """

    params: dict[str, Any]
    score: float | None
    deviation: float | None
    rounds: int
    trained: int
    seconds: float
    error: str | None = None


@public("kauriboost.training")
@dataclass(frozen=True, repr=False)
class BestFit:
    """What `fit_best` has found, and what it cost.

    Attributes
    ----------
    booster
        The model.
    best
        The setting that it was trained with, and how good it is on rows that were left out.
    metric
        The name of the metric of all scores.
    attempts
        All settings in the order in which they were tried.
    trained
        The number of rounds trained, of all folds each: the budget that gives this model again, however fast.
    seconds
        What everything took.
    """

    booster: Booster
    best: Attempt
    metric: str
    attempts: list[Attempt]
    trained: int
    seconds: float

    def predict(self, X: Any, **how: Any) -> Any:
        """Predict rows: a `DMatrix`, or what one is made of. For `how` see `Booster.predict`."""
        return self.booster.predict(X if isinstance(X, DMatrix) else DMatrix(X), **how)

    def __repr__(self) -> str:
        return described(
            self,
            params=self.best.params,
            rounds=self.best.rounds,
            score=f"{self.metric} {self.best.score:.6g}",
            attempts=len(self.attempts),
            trained=self.trained,
            seconds=round(self.seconds, 2),
        )

    def _repr_html_(self) -> str:
        """Return what notebooks show."""
        head = ["", "setting", f"{self.metric}, mean", "deviation", "rounds", "trained", "seconds"]
        rows = [[_mark(attempt, self.best), *_cells(attempt)] for attempt in self.attempts]
        about = f"{len(self.attempts)} settings, {self.trained} rounds trained in {self.seconds:.1f} s"
        return joined([paragraph(about), table(head, rows, n_texts=2)]).text


def _mark(attempt: Attempt, best: Attempt) -> str:
    return "chosen" if attempt is best else "failed" if attempt.error else ""


def _cells(attempt: Attempt) -> list[str]:
    setting = attempt.error or ", ".join(f"{name}={value}" for name, value in attempt.params.items())
    scores = [f"{number:.6g}" if number is not None else "" for number in (attempt.score, attempt.deviation)]
    return [setting, *scores, str(attempt.rounds), str(attempt.trained), f"{attempt.seconds:.2f}"]
