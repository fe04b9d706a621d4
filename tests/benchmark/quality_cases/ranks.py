"""Mean ranks over data sets, and their critical difference.

Source: J. Demsar, "Statistical Comparisons of Classifiers over Multiple Data Sets", JMLR 7, 2006, section 3.2.2.
"""

from __future__ import annotations

import numpy as np

# Critical values of the two-tailed Nemenyi test at 0.05, for 2, 3, ... entrants (table 5 a there).
CRITICAL = (1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164)


def mean_ranks(losses: np.ndarray) -> np.ndarray:
    """Return mean ranks [n_entrants] of losses [n_sets, n_entrants]. 1 is the least loss; equal losses share ranks."""
    ranks = np.empty_like(losses)
    for row, values in enumerate(losses):
        below = (values[None, :] < values[:, None]).sum(axis=1)
        equal = (values[None, :] == values[:, None]).sum(axis=1)
        ranks[row] = below + (equal + 1) / 2
    return ranks.mean(axis=0)


def critical_difference(n_entrants: int, n_sets: int) -> float:
    """Return the critical difference: mean ranks that differ by less are not significantly different at 0.05."""
    if not 2 <= n_entrants < 2 + len(CRITICAL):
        raise ValueError(f"{n_entrants} entrants: critical values are known of 2 to {1 + len(CRITICAL)}")
    return CRITICAL[n_entrants - 2] * float(np.sqrt(n_entrants * (n_entrants + 1) / (6 * n_sets)))
