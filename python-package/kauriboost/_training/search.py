"""Comparison of settings for `fit_best`, on folds and within a budget."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .._binding.errors import DataError, KauriError
from .._data.matrix import DMatrix
from .._model.booster import Booster
from .._model.metrics import CustomMetric
from .attempts import Attempt
from .blend import Blend, Judge, best_blend
from .cv_booster import CvBooster

_PATIENCE = 2.0  # number of rounds allowed without improvement, times the learning rate
_MOST_ROUNDS = 100.0  # maximum rounds of a setting, times the learning rate
_RACE = 8.0  # rounds of a racing setting before one continues, times the learning rate
_LEAST_RATE = 0.001  # minimum rate to divide the numbers above by
_LEAST_GAIN = 1e-4  # a smaller gain, as a share of the metric, counts as none
# Rounds of the search for each later round on all rows. On 19 data sets of numbers, one round per three took 1.4 times
# as long and had 4 % less loss; 10 folds instead of 5 took 2.2 times as long for 2 % less. A setting that the budget
# cut off while it improved gets one per round: 1.8 % less loss than one per three on these data sets, in 1.2 times the
# time. Two fifths more rounds of the search have 1.0 % less loss in 1.3 times the time.
_ROUNDS_FOR_ONE_MORE = 3
_ROUNDS_FOR_ONE_MORE_IF_CUT = 1
_LEAST_PART = 0.5  # minimum training rows of a fold with boosters in the model, as a share of the largest fold's
_STILL_BETTER = 0.9  # a cut-off setting was still improving if its best round is beyond this share of its rounds


class Budget:
    """A budget of rounds, or of time for the search and the final rounds on all rows.

    Parameters
    ----------
    rounds, seconds
        Limits; None for no limit.
    rows_of_all
        Number of all rows divided by the mean number of training rows of a fold: rounds on all rows take that many
        times as long as rounds of folds.
    started
        The start of the time, by the monotonic clock; now by default.
    """

    def __init__(
        self, rounds: int | None, seconds: float | None, rows_of_all: float, started: float | None = None
    ) -> None:
        self._rounds = math.inf if rounds is None else rounds
        self._seconds = math.inf if seconds is None else seconds
        self._rows_of_all = rows_of_all
        self._started = time.monotonic() if started is None else started
        self._attempt_started: float | None = None  # None between attempts
        self._owed = 0.0  # seconds that the final rounds of ended attempts would take on the rows of a fold
        self._was_over = False  # never reset, because the debt of an attempt falls when it ends
        self.spent = 0

    def begin_attempt(self) -> None:
        """Record the start of an attempt."""
        self._attempt_started = time.monotonic()

    def end_attempt(self, is_cut: bool, seconds_before: float = 0.0) -> float:
        """Record the end of an attempt, and whether it was cut off while improving; return its seconds.

        `seconds_before` is the earlier time of the same setting, which was also cut off then.
        """
        seconds = self._in_attempt()
        self._attempt_started = None
        of_one = _ROUNDS_FOR_ONE_MORE_IF_CUT if is_cut else _ROUNDS_FOR_ONE_MORE
        self._owed += (seconds_before + seconds) / of_one - seconds_before / _ROUNDS_FOR_ONE_MORE_IF_CUT
        return seconds

    @property
    def seconds(self) -> float:
        """The time since the start."""
        return time.monotonic() - self._started

    def is_over(self) -> bool:
        """Return whether the budget is used up, except for the final rounds on all rows."""
        if self.spent >= self._rounds:
            return True
        if self._seconds == math.inf:
            return False
        with_all_rows = self._owed + self._in_attempt() / _ROUNDS_FOR_ONE_MORE_IF_CUT
        self._was_over = self._was_over or self.seconds + with_all_rows * self._rows_of_all >= self._seconds
        return self._was_over

    def _in_attempt(self) -> float:
        return 0.0 if self._attempt_started is None else time.monotonic() - self._attempt_started


class Contest(NamedTuple):
    """The data, parameters and metric by which settings are compared."""

    params: dict[str, Any]  # common to all settings
    folds: Sequence[tuple[DMatrix, DMatrix]]  # (training data, test data)
    metric: CustomMetric | None = None
    maximize: bool | None = None


class _Reached(NamedTuple):
    score: float
    deviation: float
    rounds: int


@dataclass
class _Run:
    """A setting, its progress, and the state needed to continue it."""

    setting: dict[str, Any]
    boosters: list[Booster] | None = None
    best: _Reached | None = None
    done: int = 0
    rate: float = math.nan
    waits_for: float = math.nan  # the score that a later round must clearly beat; NaN is beaten by any
    since: int = 0  # the round that reached it
    is_cut: bool = False  # by the budget or the end of a race, while it improved
    seconds: float = 0.0


class Search:
    """The settings tried so far, and their boosters.

    Parameters
    ----------
    contest, budget
        The basis of the comparison, and its budget.
    on_attempt
        Called with each setting that was tried.
    """

    def __init__(self, contest: Contest, budget: Budget, on_attempt: Callable[[Attempt], None] | None = None) -> None:
        self._contest, self._budget, self._on_attempt = contest, budget, on_attempt
        self.attempts: list[Attempt] = []
        self.metric = ""
        self._best: int | None = None  # number of the attempt
        self._failure: KauriError | None = None  # the first failure
        self._runs: list[_Run] = []  # one per attempt
        self._trained: dict[int, list[Booster]] = {}  # by attempt: the boosters of each fold, up to the best round

    @property
    def best(self) -> Attempt:
        """The best setting. If none has a score, raises the first failure, or DataError if there is none."""
        if self._best is None:
            raise self._failure or DataError(
                f"{self.metric} is no number in any round; choose another eval_metric, or look at the data."
            )
        return self.attempts[self._best]

    @property
    def way(self) -> float:
        """The number of rounds of the best setting, times its learning rate."""
        return self.best.rounds * self._runs[self.attempts.index(self.best)].rate

    def is_over(self) -> bool:
        """Return whether the budget is used up; a first setting always gets a round."""
        return bool(self.attempts) and self._budget.is_over()

    def has_tried(self, setting: dict[str, Any]) -> bool:
        """Return whether a setting was tried before."""
        return any(attempt.params == setting for attempt in self.attempts)

    def blend(self) -> Blend:
        """Return the mean of settings that is best on the left-out rows."""
        first = self.attempts.index(self.best)
        tests = [test for _, test in self._contest.folds]
        judge = Judge(self._contest.params, tests, self.metric, self._contest.metric)
        return best_blend(self._trained, first, judge, self._maximizes(self._trained[first][0]))

    def with_all_rows(self, blend: Blend, data: DMatrix) -> Blend:
        """Return a blend of the same settings after its boosters were trained further on all rows.

        Boosters of folds with few training rows are left out; a mean would give them the weight of the others.
        """
        sizes = [train.num_row() for train, _ in self._contest.folds]
        trained = {}
        for number in set(blend.members):
            learnt = [one for one, size in zip(blend.trained[number], sizes) if size >= _LEAST_PART * max(sizes)]
            boosters = CvBooster.going_on(learnt, [(data, data)] * len(learnt))
            rounds = self.attempts[number].rounds
            more = rounds // (_ROUNDS_FOR_ONE_MORE_IF_CUT if self.attempts[number].is_cut else _ROUNDS_FOR_ONE_MORE)
            with boosters:
                for done in range(rounds, rounds + more):
                    boosters.update(done, None, None, False)
            trained[number] = boosters.trained()
        return blend._replace(trained=trained)

    def shares(self, blend: Blend) -> list[float]:
        """Return the weight of each attempt in the mean."""
        return [blend.members.count(attempt) / len(blend.members) for attempt in range(len(self.attempts))]

    def attempt(self, setting: dict[str, Any], races: bool = False) -> bool:
        """Try a setting; return whether it is now the best.

        A racing setting stops early, and `go_on` decides which one continues.
        """
        run = _Run(setting)
        self._runs.append(run)
        error = self._train(run, _RACE if races else _MOST_ROUNDS)
        self.attempts.append(self._told(run, error))
        return self._has_ended(len(self.attempts) - 1)

    def go_on(self) -> None:
        """Continue settings that were cut off, best first, until each ends by itself or the budget is used up."""
        scores = {n: a.score for n, a in enumerate(self.attempts) if a.is_cut and a.score is not None}
        maximizes = bool(scores) and self._maximizes(self._trained[min(scores)][0])
        for number in sorted(scores, key=lambda number: scores[number], reverse=maximizes):
            if self.is_over():
                return
            if self._train(self._runs[number], _MOST_ROUNDS) is None:  # otherwise it stays as it was
                self.attempts[number] = self._told(self._runs[number], None)
                self._has_ended(number)

    def _train(self, run: _Run, most: float) -> str | None:
        """Train a setting further, up to `most` rounds divided by the learning rate; return the error if it failed."""
        self._budget.begin_attempt()
        error, before = None, run.seconds
        try:
            self._learn(run, most)
        except KauriError as failure:
            self._failure = self._failure or failure
            error = str(failure)
        run.seconds += self._budget.end_attempt(run.is_cut, before)
        return error

    @staticmethod
    def _told(run: _Run, error: str | None) -> Attempt:
        best = run.best if error is None else None
        score, deviation, rounds = best or (None, None, 0)
        return Attempt(run.setting, score, deviation, rounds, run.done, run.seconds, error, run.is_cut)

    def _has_ended(self, number: int) -> bool:
        """Report an attempt and keep its boosters; return whether it is now the best."""
        attempt, boosters = self.attempts[number], self._runs[number].boosters
        if not attempt.is_cut:
            self._runs[number].boosters = None
        if self._on_attempt is not None:
            self._on_attempt(attempt)
        return boosters is not None and attempt.score is not None and self._keep(number, attempt.score, boosters)

    def _keep(self, number: int, score: float, boosters: list[Booster]) -> bool:
        attempt = self.attempts[number]
        self._trained[number] = [booster[: attempt.rounds] for booster in boosters]
        before = None if self._best in (None, number) else self.best.score
        is_better = before is None or self._gain(boosters[0], before, score) > 0
        self._best = number if is_better else self._best
        return is_better

    def _boosters(self, run: _Run) -> CvBooster:
        """Return the boosters of a setting, each with its own seed, which improves their mean."""
        if run.boosters is not None:
            return CvBooster.going_on(run.boosters, self._contest.folds, ("test",))
        told = {**self._contest.params, **run.setting}
        boosters = CvBooster([(told, train, test) for train, test in self._contest.folds], evaluated=("test",))
        seed = _seed_of(boosters.boosters[0])
        for fold, booster in enumerate(boosters.boosters):
            booster.set_param("seed", seed ^ fold)  # a sum might overflow
        return boosters

    def _maximizes(self, booster: Booster) -> bool:
        told = self._contest.maximize
        return booster.higher_is_better(self.metric) if told is None else told

    def _gain(self, booster: Booster, before: float, now: float) -> float:
        return now - before if self._maximizes(booster) else before - now

    def _learn(self, run: _Run, most: float) -> None:
        """Train until the metric stops improving, the setting reaches a limit of rounds, or the budget is used up."""
        boosters = self._boosters(run)
        rate = run.rate = max(_rate_of(boosters.boosters[0]), _LEAST_RATE)
        may_stop = has_ended = False
        with boosters:
            while not may_stop and not has_ended:
                boosters.update(run.done, None, self._contest.metric, False)
                self._budget.spent += 1
                run.done += 1
                self._judge(run, boosters)
                has_ended = run.done - run.since >= _PATIENCE / rate or run.done >= _MOST_ROUNDS / rate
                may_stop = run.best is not None and run.done >= most / rate
                may_stop = self._budget.is_over() or may_stop
        run.boosters = boosters.trained()
        run.is_cut = not has_ended and run.best is not None and run.best.rounds >= _STILL_BETTER * run.done

    def _judge(self, run: _Run, boosters: CvBooster) -> None:
        """Compare the latest round with the best one before."""
        _, self.metric, score = boosters._evaluate()[-1]
        mean, deviation = score if isinstance(score, tuple) else (score, 0.0)
        booster = boosters.boosters[0]
        if math.isnan(mean) or (run.best is not None and not self._gain(booster, run.best.score, mean) > 0):
            return
        run.best = _Reached(mean, deviation, run.done)
        if not self._gain(booster, run.waits_for, mean) <= _LEAST_GAIN * abs(run.waits_for):
            run.waits_for, run.since = mean, run.done


def _rate_of(booster: Booster) -> float:
    return float(json.loads(booster.save_config())["learner"]["gradient_booster"]["tree_train_param"]["eta"])


def _seed_of(booster: Booster) -> int:
    return int(json.loads(booster.save_config())["learner"]["generic_param"]["seed"])
