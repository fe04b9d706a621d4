"""Greedy search for the mean of settings that is best on left-out rows.

Ensemble selection (Caruana, Niculescu-Mizil, Crew and Ksikes, 2004), on margins. It starts with the best setting and
repeatedly adds the setting that improves the mean most, possibly one added before, until none improves it.
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
_LEAST_GAIN = 1e-4  # a smaller gain, as a share of the metric, does not justify more trees


class Blend(NamedTuple):
    """A mean of settings.

    Attributes
    ----------
    members
        Setting numbers; a setting with weight k appears k times.
    score
        The mean of the metric over the folds.
    trained
        The boosters of each fold, by setting.
    """

    members: list[int]
    score: float
    trained: Mapping[int, list[Booster]]

    def model(self) -> Booster:
        """Return a booster whose margins are the means over all folds of all members."""
        return CvBooster.mean_of([booster for member in self.members for booster in self.trained[member]])


class Judge:
    """Computes the metric of averaged margins, for which there is no booster.

    Parameters
    ----------
    params
        Parameters common to all settings.
    tests
        The left-out rows, by fold. Their base margins are overwritten.
    name
        The name of the metric.
    metric
        The metric function, if it is the user's.
    """

    def __init__(
        self, params: Mapping[str, Any], tests: Sequence[DMatrix], name: str, metric: CustomMetric | None
    ) -> None:
        self._tests, self._name, self._metric = tests, name, metric
        self._zeros = [_zero_booster(params, test) for test in tests]

    def score(self, margins: Sequence[np.ndarray]) -> float:
        """Return the mean of the metric over the folds."""
        return float(np.mean([self._of_fold(fold, of_fold) for fold, of_fold in enumerate(margins)]))

    def margins(self, boosters: Sequence[Booster]) -> list[np.ndarray]:
        """Return the margins of each fold's boosters on the fold's left-out rows."""
        return [
            np.asarray(to_host(booster.predict(test, output_margin=True)), dtype=np.float64)
            for booster, test in zip(boosters, self._tests)
        ]

    def _of_fold(self, fold: int, margins: np.ndarray) -> float:
        test = self._tests[fold]
        test.set_info(base_margin=margins.astype(np.float32))
        found = self._zeros[fold]._evaluate([(test, "test")], 0, self._metric, False)
        return float(next(value for _, name, value in reversed(found) if name == self._name))


def _zero_booster(params: Mapping[str, Any], test: DMatrix) -> Booster:
    """Return a booster that adds 0 to margins. It has one round of zeros, because labels set the number of outputs."""
    told = {name: value for name, value in params.items() if name != "learning_rate"}
    booster = Booster({**told, "eta": 0, "max_depth": 1}, [test])
    booster.update(test, 0)
    return booster


def best_blend(trained: Mapping[int, list[Booster]], first: int, judge: Judge, maximizes: bool) -> Blend:
    """Return the best blend of settings with boosters `trained`, starting with the setting `first`."""
    margins = {number: judge.margins(boosters) for number, boosters in trained.items()}
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
    return Blend(members, sign * loss, trained)
