"""Mean ranks over data sets, and tests of whether their differences are chance.

Source: J. Demsar, "Statistical Comparisons of Classifiers over Multiple Data Sets", JMLR 7, 2006, sections
3.1.3 and 3.2.2.
Holm's correction: S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", 1979.
"""

from __future__ import annotations

import numpy as np

LEAST = 1e-9  # Losses below count as this where they are divided by; a loss may be 0.


def ranks_of(losses: np.ndarray) -> np.ndarray:
    """Return the ranks [n_sets, n_entrants] of losses of that shape. 1 is the least loss; equal losses share ranks."""
    ranks = np.empty_like(losses)
    for row, values in enumerate(losses):
        below = (values[None, :] < values[:, None]).sum(axis=1)
        equal = (values[None, :] == values[:, None]).sum(axis=1)
        ranks[row] = below + (equal + 1) / 2
    return ranks


def mean_ranks(losses: np.ndarray) -> np.ndarray:
    """Return mean ranks [n_entrants] of losses [n_sets, n_entrants]."""
    return ranks_of(losses).mean(axis=0)


def wins(losses: np.ndarray) -> np.ndarray:
    """Return on how many sets each entrant has the least loss [n_entrants]. Equal losses share a set."""
    least = losses == losses.min(axis=1, keepdims=True)
    return (least / least.sum(axis=1, keepdims=True)).sum(axis=0)


def excess(losses: np.ndarray) -> np.ndarray:
    """Return by how much each loss is above the least of its set, in percent."""
    losses = np.maximum(losses, LEAST)
    return 100 * (losses / losses.min(axis=1, keepdims=True) - 1)


def critical_difference(n_entrants: int, n_sets: int) -> float:
    """Return the critical difference of the two-tailed Nemenyi test at 0.05.

    Mean ranks that differ by less are not significantly different.
    """
    from scipy.stats import studentized_range

    if n_entrants < 2 or n_sets < 1:
        raise ValueError(f"{n_entrants} entrants on {n_sets} sets: at least 2 and 1 are needed")
    critical = float(studentized_range.ppf(0.95, n_entrants, np.inf)) / np.sqrt(2)
    return float(critical * np.sqrt(n_entrants * (n_entrants + 1) / (6 * n_sets)))


def friedman(losses: np.ndarray) -> float:
    """Return the chance of mean ranks so different if all entrants were equal, by Iman and Davenport's statistic."""
    from scipy.stats import f

    n_sets, n_entrants = losses.shape
    squares = float((mean_ranks(losses) ** 2).sum())
    chi = 12 * n_sets / (n_entrants * (n_entrants + 1)) * (squares - n_entrants * (n_entrants + 1) ** 2 / 4)
    most = n_sets * (n_entrants - 1)
    if chi >= most * (1 - 1e-12):
        return 0.0
    return float(f.sf((n_sets - 1) * chi / (most - chi), n_entrants - 1, (n_entrants - 1) * (n_sets - 1)))


def holm(chances: np.ndarray) -> np.ndarray:
    """Return the chances of several tests with Holm's correction."""
    order = np.argsort(chances, kind="stable")
    factors = len(chances) - np.arange(len(chances))
    corrected = np.minimum(1.0, np.maximum.accumulate(chances[order] * factors))
    found = np.empty_like(corrected)
    found[order] = corrected
    return found


def wilcoxon(losses: np.ndarray, reference: int) -> np.ndarray:
    """Return Wilcoxon's signed-rank test of each entrant against one [n_entrants], with Holm's correction.

    It compares logarithms of the losses, because sets have losses of different sizes. The reference's own is NaN.
    """
    from scipy.stats import wilcoxon as test

    logs = np.log(np.maximum(losses, LEAST))
    others = [entrant for entrant in range(losses.shape[1]) if entrant != reference]
    found = np.full(losses.shape[1], np.nan)
    chances = []
    for entrant in others:
        differences = logs[:, entrant] - logs[:, reference]
        chances.append(1.0 if not differences.any() else float(test(differences, zero_method="zsplit").pvalue))
    found[others] = holm(np.array(chances))
    return found
