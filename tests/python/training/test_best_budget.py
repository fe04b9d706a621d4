"""fit_best: the end of a budget, and the settings that it cuts off."""

from __future__ import annotations

import copy
import time
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from best_rows import X, Y
from kauriboost._training import search
from kauriboost._training.search import Budget


class Clock:
    """Replaces the machine's clock."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr(search.time, "monotonic", lambda: self.now)


def is_over_at(clock: Clock, budget: Budget, now: float) -> bool:
    """Return whether `budget` would be used up at time `now`."""
    clock.now, before = now, clock.now
    try:
        return copy.copy(budget).is_over()
    finally:
        clock.now = before


def test_time_is_left_for_what_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    budget = Budget(None, 100.0, 5 / 4)  # rounds on all rows take 5 / 4 as long as rounds of folds
    clock.now = 10.0  # preparation, which causes no final rounds
    assert not budget.is_over()
    budget.begin_attempt()
    # There are equally many final rounds: 10 + t + 5 / 4 t = 100.
    assert not is_over_at(clock, budget, 49.9)
    assert is_over_at(clock, budget, 50.1)
    clock.now = 46.0
    assert budget.end_attempt(is_cut=False) == 36.0
    # The final rounds are a third: 15 s are owed, whether or not another attempt has begun.
    assert not is_over_at(clock, budget, 84.9)
    assert is_over_at(clock, budget, 85.1)
    budget.begin_attempt()
    assert not is_over_at(clock, budget, 46 + (100 - 46 - 15) / 2.25 - 0.1)
    assert is_over_at(clock, budget, 46 + (100 - 46 - 15) / 2.25 + 0.1)


def test_what_is_over_stays_over(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    budget = Budget(None, 100.0, 5 / 4)
    budget.begin_attempt()
    clock.now = 50.0
    assert budget.is_over()
    budget.end_attempt(is_cut=False)
    assert budget.is_over()  # although a third of its rounds would be less


def test_what_was_cut_off_owes_as_many_rounds_again_until_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    budget = Budget(None, 100.0, 5 / 4)
    budget.begin_attempt()
    clock.now = 8.0
    assert budget.end_attempt(is_cut=True) == 8.0
    # The attempt owes 8 s: t + 5 / 4 * 8 = 100.
    assert not is_over_at(clock, budget, 89.9)
    assert is_over_at(clock, budget, 90.1)
    budget.begin_attempt()  # it continues and ends by itself
    clock.now = 24.0
    assert budget.end_attempt(is_cut=False, seconds_before=8.0) == 16.0
    assert not is_over_at(clock, budget, 89.9)  # a third of 24 s
    assert is_over_at(clock, budget, 90.1)


def test_rounds_are_counted_whatever_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    budget = Budget(7, None, 5 / 4)
    budget.begin_attempt()
    budget.spent = 6
    clock.now = 1e9
    assert not budget.is_over()
    budget.spent = 7
    assert budget.is_over()


def test_the_first_setting_has_a_round_however_little_time_there_is() -> None:
    found = kb.fit_best(X, Y, time_budget=1e-6, nfold=2)
    assert [(attempt.rounds, attempt.trained) for attempt in found.attempts] == [(1, 1)]
    assert found.predict(X).shape == (600,)


def test_a_setting_that_has_all_its_rounds_is_not_cut_off() -> None:
    calls: list[int] = []

    def better_and_better(_predictions: np.ndarray, _data: kb.DMatrix) -> tuple[str, float]:
        calls.append(1)
        return "down", -float(len(calls))

    told: dict[str, Any] = {"custom_metric": better_and_better, "nfold": 2}
    told["params"] = {"eta": 1.0, "objective": "binary:logistic"}
    for rounds, is_cut in ((99, True), (100, False), (101, False)):
        found = kb.fit_best(X, Y > 0, rounds_budget=rounds, maximize=False, **told)
        first = found.attempts[0]
        assert (first.rounds, first.is_cut) == (min(rounds, 100), is_cut)


def test_a_time_is_used_and_kept() -> None:
    once = kb.fit_best(X, Y, rounds_budget=400, nfold=2).seconds
    began = time.monotonic()
    found = kb.fit_best(X, Y, time_budget=once, nfold=2)
    assert time.monotonic() - began < 20 * once + 5
    assert found.trained >= 20
    again = kb.fit_best(X, Y, rounds_budget=found.trained, nfold=2)
    assert [a.is_cut for a in again.attempts] == [a.is_cut for a in found.attempts]
    assert again.booster.save_raw() == found.booster.save_raw()
