"""Random permutations, the same for the same seed on every machine."""

from __future__ import annotations

import numpy as np

from .._binding.arrays import permutation
from .._binding.errors import ParameterError

_MAX = 2**64


def shuffle(n: int, seed: int = 0, count: int | None = None) -> np.ndarray:
    """Return a random permutation of ``0 .. n - 1``, or its first elements.

    Parameters
    ----------
    n
        The number of elements.
    seed
        Names the permutation: it depends on nothing else.
    count
        How many elements to return, all by default. A longer list starts with a shorter one.

    Returns
    -------
    int64, [count].
    """
    count = n if count is None else count
    for name, value in {"n": n, "seed": seed, "count": count}.items():
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 0 <= value < _MAX:
            raise ParameterError(f"{name} is {value!r}; expected an integer from 0 to 2^64 - 1.")
    if count > n:
        raise ParameterError(f"count is {count}, more than the {n} elements there are; lower it.")
    return permutation(int(n), int(seed), int(count))
