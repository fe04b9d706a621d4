"""Orders of players, for sampling Shapley values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._binding.errors import ParameterError
from .._binding.game_calls import call_discrepancy, call_sample_orders
from .._binding.text import config
from .._public import described, public

_MOST = 2**62


@public("kauriboost.orders")
@dataclass(frozen=True, repr=False)
class Orders:
    """Orders in which players join, with weights.

    Attributes
    ----------
    orders
        ``[n, d]``, uint32: each row lists the players in the order in which they join.
    weights
        ``[n]``, with the sum 1.
    method
        The method that chose them.
    """

    orders: np.ndarray
    weights: np.ndarray
    method: str

    def __repr__(self) -> str:
        n, d = self.orders.shape
        return described(self, n=n, d=d, method=self.method)

    def __len__(self) -> int:
        return len(self.orders)

    def ranks(self) -> np.ndarray:
        """Return ``[n, d]``: the position at which each player joins, from 0."""
        ranks = np.empty_like(self.orders)
        places = np.broadcast_to(np.arange(self.orders.shape[1], dtype=np.uint32), ranks.shape)
        np.put_along_axis(ranks, self.orders.astype(np.int64), places, axis=1)
        return ranks

    def discrepancy(self, kernel: str = "mallows", strength: float = 4.0) -> float:
        """Return the discrepancy between the weighted orders and all orders; 0 is best.

        Parameters
        ----------
        kernel
            ``"mallows"``, ``"kendall"`` or ``"spearman"``: the similarity of two orders.
        strength
            Lambda of the Mallows kernel.
        """
        orders = np.ascontiguousarray(self.orders, dtype=np.uint32)
        weights = np.ascontiguousarray(self.weights, dtype=np.float64)
        if orders.ndim != 2 or weights.shape != orders.shape[:1]:
            raise ParameterError(f"orders have shape {orders.shape}, weights {weights.shape}; give [n, d] and [n].")
        return call_discrepancy(orders, weights, config(kernel=kernel, **{"lambda": float(strength)}))


def integer(name: str, value: Any, least: int) -> int:
    """Return an argument as an int of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not least <= value < _MOST:
        raise ParameterError(f"{name} is {value!r}; expected an integer of at least {least}.")
    return int(value)


def sample_orders(
    d: int,
    n: int,
    method: str = "orthogonal",
    seed: int = 0,
    *,
    strength: float = 4.0,
    candidates: int = 25,
) -> Orders:
    """Return a few orders of ``0 .. d - 1`` that represent all (Mitchell, Cooper, Frank, Holmes 2022).

    Means over them have a smaller error than means over the same number of random permutations, for Shapley values or
    any other quantity that depends on an order.

    Parameters
    ----------
    d, n
        Number of players, at least 2, and number of orders.
    method
        ``"mc"``: random orders; ``"antithetic"``: each with its reverse; ``"orthogonal"``: points on a sphere at right
        angles, recommended for more than about 15 players; ``"sobol"``: a scrambled Sobol sequence on the sphere;
        ``"herding"`` and ``"sbq"``: chosen one by one to lower the discrepancy, best for few players. ``"sbq"`` has
        weights and takes time cubic in `n`.
    seed
        Selects the orders, which are the same on every machine.
    strength, candidates
        For ``"herding"`` and ``"sbq"``: lambda of the Mallows kernel, and number of candidates for each order.
    """
    d, n, seed = integer("d", d, 0), integer("n", n, 0), integer("seed", seed, 0)
    more = {"lambda": float(strength), "candidates": integer("candidates", candidates, 0)}
    settings = config(method=method, d=d, n=n, seed=seed, **more)
    orders, weights = call_sample_orders(settings, n, d)
    return Orders(orders, weights, method)
