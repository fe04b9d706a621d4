"""explanation_peers.py: wrong answers of peers fail, those that are not numbers, too."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmark"))
import explanation_peers


def interactions() -> tuple[Any, list[dict[tuple[int, ...], float]]]:
    """Return interactions of some rows, and the same as a peer returns them."""
    X = np.random.default_rng(0).standard_normal((100, 3), dtype=np.float32)
    booster = kb.train({"max_depth": 3}, kb.DMatrix(X, label=X[:, 0] * X[:, 1] + X[:, 2]), 5, verbose_eval=False)
    ours = kb.explain_interactions(booster, X, index="SII", max_order=3)
    rows = [ours.row(row) for row in range(len(ours))]
    return ours, [{tuple(int(name[1:]) for name in names): value for names, value in row.items()} for row in rows]


def test_sets_of_equal_values_pass() -> None:
    ours, theirs = interactions()
    assert explanation_peers.sets_differ(ours, theirs) == 0.0


@pytest.mark.parametrize("wrong", [1e3, float("nan"), float("inf")])
def test_a_wrong_set_fails(wrong: float) -> None:
    ours, theirs = interactions()
    theirs[97][next(iter(theirs[97]))] = wrong
    with pytest.raises(AssertionError, match="differ"):
        explanation_peers.sets_differ(ours, theirs)


@pytest.mark.parametrize("wrong", [1e-3, float("nan")])
def test_a_wrong_value_fails(wrong: float) -> None:
    theirs = np.ones(3)
    assert explanation_peers.difference(np.ones(3), theirs) == 0.0
    with pytest.raises(AssertionError, match="differ"):
        explanation_peers.difference(np.array([1.0, 1.0, 1.0 + wrong]), theirs)
