"""Figures 13, 16 and 17: effect of lambda, the number of candidates and the kernel on greedy samplers (appendix B).

All sets of features are evaluated once, so only data sets with few features qualify.
"""

from __future__ import annotations

from collections.abc import Callable

import kauriboost as kb
import numpy as np

from .claims import Sheet
from .problems import FEW_PLAYERS, Problem, all_sets, boosted, values_of

Choice = Callable[[int, int, int], kb.Orders]  # arguments: d, n and a seed
Errors = dict[tuple[str, int], float]


def compare(sheet: Sheet, choices: dict[str, Choice]) -> dict[str, Errors]:
    """Print and return the errors by data set, choice and number of orders."""
    errors: dict[str, Errors] = {}
    for name in sheet.args.sets:
        if name not in FEW_PLAYERS:
            sheet.line(f"{name} is left out: it has more features than sets of them can be listed")
            continue
        problem = boosted(name, sheet.args.data)
        worth = all_sets(problem)
        np.testing.assert_allclose(exact(worth), problem.truth, atol=1e-4 * np.abs(problem.truth).max())
        errors[name] = {}
        sheet.line(f"{name}, {problem.rows.shape[1]} features; mean squared error")
        for n in (10, 50) if sheet.args.quick else (10, 50, 200):
            for label, choose in choices.items():
                errors[name][label, n] = error_of(problem, worth, choose, n, sheet.args.repeats)
            sheet.line(f"  {n:>4} orders", *(f"{label} {errors[name][label, n]:.3e}" for label in choices))
    return errors


def exact(worth: np.ndarray) -> np.ndarray:
    """Return Shapley values, [rows, d], by their definition over all sets."""
    from math import comb

    n_sets = worth.shape[1]
    d = n_sets.bit_length() - 1
    numbers = np.arange(n_sets)
    sizes = np.array([bin(number).count("1") for number in numbers])
    values = []
    for feature in range(d):
        without = numbers[(numbers >> feature) & 1 == 0]
        shares = 1 / (d * np.array([comb(d - 1, size) for size in sizes[without]]))
        values.append(((worth[:, without | (1 << feature)] - worth[:, without]) * shares).sum(axis=1))
    return np.array(values).T


def error_of(problem: Problem, worth: np.ndarray, choose: Choice, n: int, repeats: int) -> float:
    """Return the mean squared error against the exact values."""
    found = []
    for seed in range(1, repeats + 1):
        orders = choose(problem.rows.shape[1], n, seed)
        found.append(np.mean((values_of(worth, orders.orders, orders.weights) - problem.truth) ** 2))
    return float(np.mean(found))


def figure_13(sheet: Sheet) -> None:
    """Compare values of lambda of the Mallows kernel, for Bayesian quadrature."""

    def of(strength: float) -> Choice:
        return lambda d, n, seed: kb.sample_orders(d, n, "sbq", seed, strength=strength)

    errors = compare(sheet, {f"lambda {strength}": of(strength) for strength in (1, 2, 4, 8, 16)})
    for name, of_set in errors.items():
        most = max(n for _, n in of_set)
        at_most = {label: error for (label, n), error in of_set.items() if n == most}
        least = min(at_most.values())
        sheet.claim(f"{name}: lambda 4 is within 1.5 times the best of all", at_most["lambda 4"] <= 1.5 * least)


def figure_16(sheet: Sheet) -> None:
    """Compare numbers of candidates per order, for herding."""

    def of(candidates: int) -> Choice:
        return lambda d, n, seed: kb.sample_orders(d, n, "herding", seed, candidates=candidates)

    errors = compare(sheet, {f"{count} candidates": of(count) for count in (5, 10, 25, 50)})
    for name, of_set in errors.items():
        most = max(n for _, n in of_set)
        sheet.claim(f"{name}: 25 candidates have less error than 5",
                    of_set["25 candidates", most] < of_set["5 candidates", most])  # fmt: skip
        sheet.claim(f"{name}: 50 are within a third of 25",
                    abs(of_set["50 candidates", most] / of_set["25 candidates", most] - 1) < 1 / 3)  # fmt: skip


def kernel_between(kind: str, ranks: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the kernel between two lists of orders, [n, m]. ranks: [n, d], others: [m, d]."""
    d = ranks.shape[1]
    if kind == "spearman":
        result: np.ndarray = (ranks + 1.0) @ (others + 1.0).T
        return result
    first, second = np.triu_indices(d, 1)
    signs = [np.sign(table[:, first].astype(np.int64) - table[:, second]) for table in (ranks, others)]
    tau = signs[0].astype(np.float64) @ signs[1].T / len(first)
    return tau if kind == "kendall" else np.exp(-4.0 * (1 - tau) / 2)


def herd(kind: str, d: int, n: int, seed: int, candidates: int = 25) -> kb.Orders:
    """Draw orders by equation 6 with any kernel: each is the random candidate least similar to the orders before."""
    rng = np.random.default_rng((seed, d, n))
    chosen = np.empty((0, d), np.int64)
    for _ in range(n):
        fresh = np.array([rng.permutation(d) for _ in range(candidates)])
        likeness = kernel_between(kind, fresh, chosen).sum(axis=1) if len(chosen) else np.zeros(candidates)
        chosen = np.vstack([chosen, fresh[np.argmin(likeness)]])
    return kb.Orders(np.argsort(chosen, axis=1).astype(np.uint32), np.full(n, 1 / n), f"herding, {kind}")


def figure_17(sheet: Sheet) -> None:
    """Compare herding by the Mallows, Kendall and Spearman kernels."""

    def of(kind: str) -> Choice:
        return lambda d, n, seed: herd(kind, d, n, seed)

    errors = compare(sheet, {kind: of(kind) for kind in ("mallows", "kendall", "spearman")})
    for name, of_set in errors.items():
        most = max(n for _, n in of_set)
        at_most = {label: error for (label, n), error in of_set.items() if n == most}
        sheet.claim(f"{name}: the Spearman kernel is the worst", max(at_most, key=at_most.__getitem__) == "spearman")
        sheet.claim(f"{name}: the Mallows kernel is the best or within a tenth of it",
                    at_most["mallows"] <= 1.1 * min(at_most.values()))  # fmt: skip
