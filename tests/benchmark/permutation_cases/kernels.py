"""Figures 13, 14, 16 and 17: lambda, the number of candidates and the kernel of greedy samplers (appendix B).

Data sets with few features are explained from the worth of all sets of features, which is computed once; those with
more from the prefixes of the orders, ten rows at a time against the whole background.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import kauriboost as kb
import numpy as np

from .claims import Sheet
from .problems import FEW_PLAYERS, Problem, all_sets, boosted, network, values_of

Margin = Callable[[np.ndarray], np.ndarray]
Choice = Callable[[int, int, int], kb.Orders]  # arguments: d, n and a seed
Errors = dict[tuple[str, int], float]


def compare(
    sheet: Sheet,
    choices: dict[str, Choice],
    sizes: tuple[int, ...] = (10, 50, 200),
    few: tuple[int, ...] = (10, 50),
) -> dict[str, Errors]:
    """Print and return the errors by data set, choice and number of orders (few with --quick)."""
    errors: dict[str, Errors] = {}
    for name in sheet.args.sets:
        problem = boosted(name, sheet.args.data)
        worth = None
        if name in FEW_PLAYERS:
            worth = all_sets(problem)
            np.testing.assert_allclose(exact(worth), problem.truth, atol=1e-4 * np.abs(problem.truth).max())
        errors[name] = {}
        sheet.line(f"{name}, {problem.rows.shape[1]} features; mean squared error")
        for n in few if sheet.args.quick else sizes:
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


def error_of(problem: Problem, worth: np.ndarray | None, choose: Choice, n: int, repeats: int) -> float:
    """Return the mean squared error against the exact values."""
    found = []
    for seed in range(1, repeats + 1):
        orders = choose(problem.rows.shape[1], n, seed)
        if worth is None:
            margin = partial(problem.model.inplace_predict, predict_type="margin")
            values = by_prefixes(margin, problem.rows, problem.background, orders)
        else:
            values = values_of(worth, orders.orders, orders.weights)
        found.append(np.mean((values - problem.truth) ** 2))
    return float(np.mean(found))


def by_prefixes(margin: Margin, rows: np.ndarray, background: np.ndarray, orders: kb.Orders) -> np.ndarray:
    """Return each feature's marginal contributions, weighted by the orders' weights, [rows, d]."""
    d = rows.shape[1]
    values = np.zeros((len(rows), d))
    for order, weight in zip(orders.orders.astype(np.int64), orders.weights):
        masks = np.argsort(order)[None, :] < np.arange(d + 1)[:, None]  # the features of each prefix
        for number, row in enumerate(rows):
            hybrid = np.where(masks[:, None, :], row, background[None])
            worth = margin(hybrid.reshape(-1, d)).reshape(d + 1, -1).astype(np.float64).mean(axis=1)
            values[number, order] += weight * np.diff(worth)
    return values


LAMBDAS = (1, 2, 4, 8, 16)


def of_lambda(method: str, strength: float) -> Choice:
    """Return the choice of orders by a greedy sampler with this lambda."""
    return lambda d, n, seed: kb.sample_orders(d, n, method, seed, strength=strength)


def figure_13(sheet: Sheet) -> None:
    """Compare values of lambda of the Mallows kernel for 100 orders of herding, as the paper, and of quadrature."""
    for method in ("herding", "sbq"):
        choices = {f"lambda {strength}": of_lambda(method, strength) for strength in LAMBDAS}
        sheet.line(method)
        for name, of_set in compare(sheet, choices, (100,), (10,)).items():
            trend(sheet, f"{name}, {method}", of_set)


def trend(sheet: Sheet, what: str, errors: Errors) -> None:
    """Claim that lambda 4 is a good choice, and, as the text does, that errors show no trend by lambda."""
    most = max(n for _, n in errors)
    at_most = [errors[f"lambda {strength}", most] for strength in LAMBDAS]
    sheet.claim(f"{what}: lambda 4 is within 1.5 times the best of all",
                errors["lambda 4", most] <= 1.5 * min(at_most))  # fmt: skip
    rises = np.diff(at_most)
    sheet.claim(f"{what}: no trend by lambda", not (bool(np.all(rises > 0)) or bool(np.all(rises < 0))))


def figure_14(sheet: Sheet) -> None:
    """Compare values of lambda for a network, by herding and quadrature. The mean of all trials serves as truth."""
    n = 10 if sheet.args.quick else 100
    for name in sheet.args.sets:
        margin, rows, background = network(name, sheet.args.data)
        for method in ("herding", "sbq"):
            runs: dict[tuple[str, int], list[np.ndarray]] = {}
            for strength in LAMBDAS:
                choose = of_lambda(method, strength)
                runs[f"lambda {strength}", n] = [
                    by_prefixes(margin, rows, background, choose(rows.shape[1], n, seed))
                    for seed in range(1, sheet.args.repeats + 1)
                ]
            truth = np.mean([found for of_run in runs.values() for found in of_run], axis=0)
            errors = {key: float(np.mean([(found - truth) ** 2 for found in of_run])) for key, of_run in runs.items()}
            sheet.line(f"{name}, {rows.shape[1]} features, a network, {n} orders of {method}; mean squared error")
            sheet.line("  ", *(f"{label} {error:.3e}" for (label, _), error in errors.items()))
            trend(sheet, f"{name}, {method}", errors)


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
