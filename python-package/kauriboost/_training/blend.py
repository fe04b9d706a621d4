"""The mean of settings that is best on rows left out of training, found greedily.

Ensemble selection (Caruana, Niculescu-Mizil, Crew and Ksikes, 2004), on margins: beginning with the best setting, the
one that improves the mean most is added, the same ones again and again if they do, until none brings anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._data.device import to_host
from .._data.matrix import DMatrix
from .._model.booster import Booster
from .._model.metrics import CustomMetric
from .cv_booster import CvBooster

_MOST_MEMBERS = 10
_LEAST_GAIN = 1e-4  # what is less, as a share of the metric, is not worth more trees


class Blend(NamedTuple):
    """A mean of settings.

    Attributes
    ----------
    members
        The settings by number, each as often as it counts.
    score
        The mean of the metric over the folds.
    learnt
        The boosters of each fold, by setting.
    """

    members: list[int]
    score: float
    learnt: Mapping[int, list[Booster]]

    def model(self) -> Booster:
        """Return a booster whose margins are the means of those of all folds of all members."""
        return CvBooster.mean_of([booster for member in self.members for booster in self.learnt[member]])


class Judge:
    """The metric of margins that no booster has: those of means.

    Parameters
    ----------
    params
        What all settings have in common.
    tests
        The rows left out, by fold. Their base margins are lost.
    name
        The metric.
    metric
        It, where it is the user's.
    """

    def __init__(
        self, params: Mapping[str, Any], tests: Sequence[DMatrix], name: str, metric: CustomMetric | None
    ) -> None:
        self._tests, self._name, self._metric = tests, name, metric
        self._silent = [_silent_booster(params, test) for test in tests]

    def score(self, margins: Sequence[np.ndarray]) -> float:
        """Return the mean of the metric over the folds."""
        return float(np.mean([self._of_fold(fold, of_fold) for fold, of_fold in enumerate(margins)]))

    def margins(self, boosters: Sequence[Booster]) -> list[np.ndarray]:
        """Return the margins of the boosters of each fold on the rows left out of it."""
        return [
            np.asarray(to_host(booster.predict(test, output_margin=True)), dtype=np.float64)
            for booster, test in zip(boosters, self._tests)
        ]

    def _of_fold(self, fold: int, margins: np.ndarray) -> float:
        test = self._tests[fold]
        test.set_info(base_margin=margins.astype(np.float32))
        found = self._silent[fold]._evaluate([(test, "test")], 0, self._metric, False)
        return float(next(value for _, name, value in reversed(found) if name == self._name))


def _silent_booster(params: Mapping[str, Any], test: DMatrix) -> Booster:
    """Return a booster that adds nothing to margins: it has a round, as labels tell the number of outputs, of zeros."""
    told = {name: value for name, value in params.items() if name != "learning_rate"}
    booster = Booster({**told, "eta": 0, "max_depth": 1}, [test])
    booster.update(test, 0)
    return booster


def best_blend(learnt: Mapping[int, list[Booster]], first: int, judge: Judge, maximizes: bool) -> Blend:
    """Find it among settings whose boosters are `learnt`, beginning with the number `first`."""
    margins = {number: judge.margins(boosters) for number, boosters in learnt.items()}
    sign = -1.0 if maximizes else 1.0
    members, totals = [first], margins[first]
    loss = sign * judge.score(totals)
    while len(margins) > 1 and len(members) < _MOST_MEMBERS:
        tried = []
        for number in margins:
            means = [(total + more) / (len(members) + 1) for total, more in zip(totals, margins[number])]
            tried.append((sign * judge.score(means), number))
        least, number = min(tried)
        if not loss - least > _LEAST_GAIN * abs(loss):
            break
        loss, members = least, [*members, number]
        totals = [total + more for total, more in zip(totals, margins[number])]
    return Blend(members, sign * loss, learnt)
