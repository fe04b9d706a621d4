"""Orders of players."""

from __future__ import annotations

import math

import kauriboost as kb
import numpy as np
import pytest
from kauriboost import Orders

METHODS = ("mc", "antithetic", "orthogonal", "sobol", "herding", "sbq")


@pytest.mark.parametrize("method", METHODS)
def test_are_orders_named_by_their_seed(method: str) -> None:
    drawn = kb.sample_orders(9, 40, method, seed=3)
    assert drawn.orders.dtype == np.uint32
    assert np.array_equal(np.sort(drawn.orders, axis=1), np.tile(np.arange(9), (40, 1)))
    assert drawn.weights.sum() == pytest.approx(1.0, abs=1e-12)
    again = kb.sample_orders(9, 40, method, seed=3)
    assert np.array_equal(drawn.orders, again.orders)
    assert np.array_equal(drawn.weights, again.weights)
    assert not np.array_equal(drawn.orders, kb.sample_orders(9, 40, method, seed=4).orders)
    assert (len(drawn), drawn.method) == (40, method)
    assert repr(drawn) == f"Orders(n=40, d=9, method='{method}')"


def naive_discrepancy(orders: Orders, strength: float) -> float:
    """Compute section 5.3.3 of the paper with all pairs of players, and the mean by its product."""
    ranks = orders.ranks().astype(int)
    d = ranks.shape[1]
    pairs = d * (d - 1) / 2
    ahead = ranks[:, :, None] < ranks[:, None, :]
    discordant = np.array([[(a != b).sum() / 2 for b in ahead] for a in ahead])
    q = math.exp(-strength / pairs)
    mean = math.prod((1 - q**j) / (j * (1 - q)) for j in range(1, d + 1))
    kernel = np.exp(-strength * discordant / pairs)
    return math.sqrt(mean - 2 * mean * orders.weights.sum() + orders.weights @ kernel @ orders.weights)


@pytest.mark.parametrize("method", METHODS)
def test_discrepancy_is_that_of_its_definition(method: str) -> None:
    drawn = kb.sample_orders(7, 30, method, seed=1)
    assert drawn.discrepancy(strength=2.5) == pytest.approx(naive_discrepancy(drawn, 2.5), rel=1e-9)


def test_ranks_are_the_inverse() -> None:
    drawn = kb.sample_orders(6, 5)
    assert all(drawn.ranks()[i][drawn.orders[i]].tolist() == list(range(6)) for i in range(5))


def test_chosen_orders_are_better_than_random_ones() -> None:
    random = kb.sample_orders(10, 100, "mc").discrepancy()
    for method in METHODS[1:]:
        assert kb.sample_orders(10, 100, method).discrepancy() < random


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"d": 1, "n": 3}, "d is 1; orders are of 2"),
        ({"d": 3, "n": 0}, "n is 0; expected 1"),
        ({"d": 2.0, "n": 3}, "d is 2.0"),
        ({"d": 3, "n": 3, "method": "best"}, "method is 'best'; expected mc"),
        ({"d": 3, "n": 3, "seed": -1}, "seed is -1"),
        ({"d": 3, "n": 3, "strength": float("nan")}, "lambda is nan"),
        ({"d": 3, "n": 5001, "method": "sbq"}, "sbq chooses at most 5000"),
        ({"d": 2000, "n": 5, "method": "sobol"}, "at most 1113 players"),
    ],
)
def test_refuses(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(kb.ParameterError, match=words):
        kb.sample_orders(**arguments)


def test_refuses_what_are_no_orders() -> None:
    drawn = kb.sample_orders(4, 3)
    with pytest.raises(kb.ParameterError, match="order 0 has player 0 twice"):
        Orders(np.zeros((2, 4), dtype=np.uint32), np.full(2, 0.5), "mine").discrepancy()
    with pytest.raises(kb.ParameterError, match="weights"):
        Orders(drawn.orders, drawn.weights[:2], "mine").discrepancy()
    with pytest.raises(kb.ParameterError, match="kernel is 'cayley'"):
        drawn.discrepancy("cayley")
