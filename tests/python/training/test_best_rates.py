"""fit_best: lower learning rates come early if the best kind of trees has few rounds."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from kauriboost._training import best, settings

RNG = np.random.default_rng(21)
ROWS = RNG.normal(size=(400, 5)).astype(np.float32)
NOISY = (RNG.random(400) < 1 / (1 + np.exp(-ROWS[:, 0]))).astype(int)  # learnt in some ten rounds
PLAIN = (ROWS[:, 0] * ROWS[:, 1] + ROWS[:, 2] > 0).astype(int)
LOGISTIC: dict[str, Any] = {"objective": "binary:logistic"}


def rates_of(labels: np.ndarray, **told: Any) -> tuple[list[float], float]:
    """Return the learning rates of all attempts in turn, and the way of the best of the three kinds."""
    found = kb.fit_best(ROWS, labels, params={**LOGISTIC, **told}, nfold=3, rounds_budget=3000)
    kinds = [attempt for attempt in found.attempts[:3] if attempt.score is not None]
    first = min(kinds, key=lambda attempt: attempt.score or np.inf)
    return [attempt.params.get("eta", 0.1) for attempt in found.attempts], 0.1 * first.rounds


def test_lower_rates_come_before_the_changes_where_rounds_are_few() -> None:
    rates, way = rates_of(NOISY)
    assert way < settings.SHORT_WAY
    assert rates[:4] == [0.1, 0.1, 0.1, 0.05]
    assert len(rates) > 6


def test_lower_rates_come_last_where_rounds_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    rates, way = rates_of(PLAIN)
    monkeypatch.setattr(best, "SHORT_WAY", way + 1e-9)
    early, same = rates_of(PLAIN)
    assert same == way
    assert early[3] == 0.05
    monkeypatch.setattr(best, "SHORT_WAY", way)
    late, _ = rates_of(PLAIN)
    assert late == sorted(late, reverse=True)
    assert late[:5] == [0.1] * 5
    assert rates in (early, late)


def test_a_rate_that_is_given_stays() -> None:
    for name in ("eta", "learning_rate"):
        rates, _ = rates_of(NOISY, **{name: 0.1})
        assert set(rates) == {0.1}
