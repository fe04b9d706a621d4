"""How `fit_best` compares settings: on folds, within a budget."""

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

_PATIENCE = 2.0  # how many rounds may bring nothing, times the learning rate
_MOST_ROUNDS = 100.0  # of a setting, times the learning rate
_RACE = 8.0  # of a setting that races before one of them goes on, times the learning rate
_LEAST_RATE = 0.001  # by which these are divided
_LEAST_GAIN = 1e-4  # what is less, as a share of the metric, is nothing
# Rounds in folds for each one with all rows that follows. On 19 sets of numbers a round for every three took 1.4 of the
# time and had 4 % less loss, where 10 folds in place of 5 took 2.2 of it for 2 %. A setting that the budget cut off
# while it got better has one for each: 1.8 % less loss than one for every three on these sets, in 1.2 of the time,
# where two fifths more rounds of the search have 1.0 % less in 1.3 of it.
_ROUNDS_FOR_ONE_MORE = 3
_ROUNDS_FOR_ONE_MORE_IF_CUT = 1
_STILL_BETTER = 0.9  # the best of all rounds, as a share of them, where a setting that was cut off still got better


class Budget:
    """Rounds, or the time in which to do them and what follows.

    Parameters
    ----------
    rounds, seconds
        None: as many as are wanted.
    nfold
        How many folds there are: the fewer, the longer rounds with all rows take beside those of folds.
    """

    def __init__(self, rounds: int | None, seconds: float | None, nfold: int) -> None:
        self._rounds = math.inf if rounds is None else rounds
        self._seconds = math.inf if seconds is None else seconds
        self._rows_of_all = nfold / max(nfold - 1, 1)  # for each that a fold learns from
        self._started = time.monotonic()
        self._attempt_started: float | None = None  # while one is under way
        self._owed = 0.0  # seconds that attempts which ended owe rounds with all rows, if these had as many rows
        self._was_over = False  # once and for all: what an attempt owes falls when it ends
        self.spent = 0

    def begin_attempt(self) -> None:
        """Note that a setting is tried from now on."""
        self._attempt_started = time.monotonic()

    def end_attempt(self, is_cut: bool, seconds_before: float = 0.0) -> float:
        """Note that it was tried, and whether it was cut off while it got better; return the seconds.

        seconds_before: of the same setting, which was cut off then, too.
        """
        seconds = self._in_attempt()
        self._attempt_started = None
        of_one = _ROUNDS_FOR_ONE_MORE_IF_CUT if is_cut else _ROUNDS_FOR_ONE_MORE
        self._owed += (seconds_before + seconds) / of_one - seconds_before / _ROUNDS_FOR_ONE_MORE_IF_CUT
        return seconds

    @property
    def seconds(self) -> float:
        """The time since the beginning."""
        return time.monotonic() - self._started

    def is_over(self) -> bool:
        """Whether nothing is left, but for the rounds with all rows."""
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
    """What settings are compared by."""

    params: dict[str, Any]  # of all of them
    folds: Sequence[tuple[DMatrix, DMatrix]]  # to learn from, to evaluate on
    metric: CustomMetric | None = None
    maximize: bool | None = None


class _Reached(NamedTuple):
    score: float
    deviation: float
    rounds: int


@dataclass
class _Run:
    """A setting, how far it has got, and what it needs to go on."""

    setting: dict[str, Any]
    boosters: list[Booster] | None = None
    best: _Reached | None = None
    done: int = 0
    waits_for: float = math.nan  # the score that a next one must clearly beat; any beats none
    since: int = 0  # the round that had it
    is_cut: bool = False  # by the budget, or the end of a race, while it got better
    seconds: float = 0.0


class Search:
    """Settings that were tried, and their boosters.

    Parameters
    ----------
    contest, budget
        What settings are compared by, and for how long.
    on_attempt
        Is called with each setting that was tried.
    """

    def __init__(self, contest: Contest, budget: Budget, on_attempt: Callable[[Attempt], None] | None = None) -> None:
        self._contest, self._budget, self._on_attempt = contest, budget, on_attempt
        self.attempts: list[Attempt] = []
        self.metric = ""
        self._best: int | None = None  # by number
        self._failure: KauriError | None = None  # the first
        self._runs: list[_Run] = []  # by attempt
        self._learnt: dict[int, list[Booster]] = {}  # of each fold, up to the best round, by attempt

    @property
    def best(self) -> Attempt:
        """The best setting. Where none has a score, raises what the first that failed has raised, else DataError."""
        if self._best is None:
            raise self._failure or DataError(
                f"{self.metric} is no number in any round; choose another eval_metric, or look at the data."
            )
        return self.attempts[self._best]

    def is_over(self) -> bool:
        """Whether the budget is; a first setting always has a round."""
        return bool(self.attempts) and self._budget.is_over()

    def has_tried(self, setting: dict[str, Any]) -> bool:
        """Whether a setting was tried before."""
        return any(attempt.params == setting for attempt in self.attempts)

    def blend(self) -> Blend:
        """Return the mean of settings that is best on the rows left out."""
        first = self.attempts.index(self.best)
        tests = [test for _, test in self._contest.folds]
        judge = Judge(self._contest.params, tests, self.metric, self._contest.metric)
        return best_blend(self._learnt, first, judge, self._maximizes(self._learnt[first][0]))

    def with_all_rows(self, blend: Blend, data: DMatrix) -> Blend:
        """Return a blend of the same settings, whose boosters have learnt from the rows left out of them, too."""
        learnt = {}
        for number in set(blend.members):
            boosters = CvBooster.going_on(blend.learnt[number], [(data, data)] * len(blend.learnt[number]))
            rounds = self.attempts[number].rounds
            more = rounds // (_ROUNDS_FOR_ONE_MORE_IF_CUT if self.attempts[number].is_cut else _ROUNDS_FOR_ONE_MORE)
            with boosters:
                for done in range(rounds, rounds + more):
                    boosters.update(done, None, None, False)
            learnt[number] = boosters.trained()
        return blend._replace(learnt=learnt)

    def shares(self, blend: Blend) -> list[float]:
        """Return the part of the mean that each attempt has."""
        return [blend.members.count(attempt) / len(blend.members) for attempt in range(len(self.attempts))]

    def attempt(self, setting: dict[str, Any], races: bool = False) -> bool:
        """Try a setting; whether it is the best now.

        One that races stops early, and `go_on` decides which goes on.
        """
        run = _Run(setting)
        self._runs.append(run)
        error = self._train(run, _RACE if races else _MOST_ROUNDS)
        self.attempts.append(self._told(run, error))
        return self._has_ended(len(self.attempts) - 1)

    def go_on(self) -> None:
        """Go on with settings that were cut off, the best first, until they end by themselves, or the budget does."""
        scores = {n: a.score for n, a in enumerate(self.attempts) if a.is_cut and a.score is not None}
        maximizes = bool(scores) and self._maximizes(self._learnt[min(scores)][0])
        for number in sorted(scores, key=lambda number: scores[number], reverse=maximizes):
            if self.is_over():
                return
            if self._train(self._runs[number], _MOST_ROUNDS) is None:  # else it stays what it was
                self.attempts[number] = self._told(self._runs[number], None)
                self._has_ended(number)

    def _train(self, run: _Run, most: float) -> str | None:
        """Train it further, up to so many rounds times the learning rate; return what was wrong, if it failed."""
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
        """Tell of an attempt, and keep what it has learnt; whether it is the best now."""
        attempt, boosters = self.attempts[number], self._runs[number].boosters
        if not attempt.is_cut:
            self._runs[number].boosters = None
        if self._on_attempt is not None:
            self._on_attempt(attempt)
        return boosters is not None and attempt.score is not None and self._keep(number, attempt.score, boosters)

    def _keep(self, number: int, score: float, boosters: list[Booster]) -> bool:
        attempt = self.attempts[number]
        self._learnt[number] = [booster[: attempt.rounds] for booster in boosters]
        before = None if self._best in (None, number) else self.best.score
        is_better = before is None or self._gain(boosters[0], before, score) > 0
        self._best = number if is_better else self._best
        return is_better

    def _boosters(self, run: _Run) -> CvBooster:
        """Return those of a setting. Each draws by a seed of its own, for which the mean of them is better."""
        if run.boosters is not None:
            return CvBooster.going_on(run.boosters, self._contest.folds, ("test",))
        told = {**self._contest.params, **run.setting}
        boosters = CvBooster([(told, train, test) for train, test in self._contest.folds], evaluated=("test",))
        seed = _seed_of(boosters.boosters[0])
        for fold, booster in enumerate(boosters.boosters):
            booster.set_param("seed", seed ^ fold)  # a sum might be too large
        return boosters

    def _maximizes(self, booster: Booster) -> bool:
        told = self._contest.maximize
        return booster.higher_is_better(self.metric) if told is None else told

    def _gain(self, booster: Booster, before: float, now: float) -> float:
        return now - before if self._maximizes(booster) else before - now

    def _learn(self, run: _Run, most: float) -> None:
        """Train until nothing has come of it for a while, or it has as many rounds as it may, or the budget is over."""
        boosters = self._boosters(run)
        rate = max(_rate_of(boosters.boosters[0]), _LEAST_RATE)
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
        """Compare a round with the best one before."""
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
