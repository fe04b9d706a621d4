"""A test of whether permutations are uniform."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._binding.errors import DataError
from .._binding.game_calls import call_uniformity
from .._binding.text import config
from .._public import public


@public("kauriboost.shuffling")
@dataclass(frozen=True)
class ShuffleUniformity:
    """Result of `shuffle_uniformity`.

    Attributes
    ----------
    statistic
        The estimate of the squared mean discrepancy: 0 on average for uniform permutations, above 0 for others.
    p_value
        How probable it is that uniform permutations give a statistic as far from 0.
    """

    statistic: float
    p_value: float


def shuffle_uniformity(permutations: Any, strength: float = 5.0) -> ShuffleUniformity:
    """Test whether a source of permutations is uniform (Mitchell, Stokes, Frank, Holmes 2022).

    The mean similarity of disjoint pairs of permutations is compared with its known mean over all permutations. This
    takes time linear in the number of permutations, and works for permutations of any length.

    Parameters
    ----------
    permutations
        ``[n, d]``, integers: independent draws of the source, each ``0 .. d - 1`` in some order. The last of an odd
        number is left out.
    strength
        Lambda of the Mallows kernel, from 1 to 100.

    Returns
    -------
    The statistic and the p-value. A small p-value, say below 0.01, tells that the source is not uniform. From 100
    permutations on it comes from the central limit theorem. With fewer it is an upper bound by Hoeffding's inequality.

    Notes
    -----
    The test sees only how often elements come in opposite order. It misses a bias of the parity, for example.

    Examples
    --------
    >>> import kauriboost as kb
    >>> import numpy as np
    >>> kb.shuffle_uniformity(np.stack([kb.shuffle(52, seed) for seed in range(2000)]))
    """
    array = np.asarray(permutations)
    if array.ndim != 2 or array.dtype.kind not in "iu":
        raise DataError(
            f"permutations have the shape {array.shape} and the dtype {array.dtype}; "
            "give integers, one permutation per row."
        )
    if array.size and not 0 <= array.min() <= array.max() < 2**32:
        raise DataError(
            f"permutations hold {array.min() if array.min() < 0 else array.max()}; each row must hold 0 to "
            f"{array.shape[1] - 1} once."
        )
    found = call_uniformity(np.ascontiguousarray(array, dtype=np.uint32), config(**{"lambda": float(strength)}))
    return ShuffleUniformity(*found)
