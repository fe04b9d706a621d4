"""Figures 9 to 11: the error of every sampler against the number of orders, for trees and for a network."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import numpy as np
from scipy.stats import spearmanr

from .claims import Sheet
from .problems import FEW_PLAYERS, Problem, boosted, network

EXISTING = ("mc", "antithetic", "owen", "owen_halved", "stratified")
PROPOSED = ("antithetic", "herding", "sbq", "orthogonal", "sobol")
NEED_SETS = ("owen", "owen_halved", "stratified")  # methods that sample coalitions, not orders
MANY_PLAYERS = ("adult", "year")  # sets of about a hundred features
MOST = {"herding": 300, "sbq": 100}  # maximum number of orders; their time grows with its square and cube

Errors = dict[tuple[str, int], float]  # by method and orders


def budget(method: str, n: int, d: int) -> dict[str, Any]:
    """Return the budget argument for the number of sets that n orders take."""
    return {"max_evals": n * (d - 1) + 2} if method in NEED_SETS else {"n_orders": n}


def error_of(problem: Problem, method: str, n: int, repeats: int) -> tuple[float, float] | None:
    """Return the mean squared error over rows, features and seeds, and half of its 95 % interval over the seeds.

    None if the budget does not suit the method.
    """
    d = problem.rows.shape[1]
    if n > MOST.get(method, n) or (method == "stratified" and n * (d - 1) < 2 * d * d):
        return None
    how = {"method": method, **budget(method, n, d)}
    errors = []
    for seed in range(1, repeats + 1):
        try:
            found = kb.explain(problem.model, problem.rows, background=problem.background, seed=seed, **how)
        except kb.ParameterError:
            return None  # the budget is too small for the method
        errors.append(np.mean((found.values - problem.truth) ** 2))
    return float(np.mean(errors)), half_interval(errors)


def half_interval(errors: list[float]) -> float:
    """Return half of the 95 % confidence interval of the mean, which the paper draws as a shaded area."""
    return 1.96 * float(np.std(errors, ddof=1)) / len(errors) ** 0.5 if len(errors) > 1 else 0.0


def curve(sheet: Sheet, problem: Problem, methods: tuple[str, ...]) -> Errors:
    """Print a line for each number of orders; returns the errors."""
    found: Errors = {}
    d = problem.rows.shape[1]
    sheet.line(f"{problem.name}, {d} features; mean squared error")
    for n in (10, 50) if sheet.args.quick else (10, 30, 100, 300, 1000):
        cells = []
        for method in methods:
            error = error_of(problem, method, n, sheet.args.repeats)
            if error is not None:
                found[method, n] = error[0]
            cells.append(f"{method} {'-' if error is None else f'{error[0]:.3e}+-{error[1]:.0e}':16}")
        sheet.line(f"  {n * d:>6} evaluations", *cells)
    return found


def best_at(errors: Errors, n: int) -> list[str]:
    """Return the methods by error, the least first."""
    return sorted((method for method, size in errors if size == n), key=lambda method: errors[method, n])


def problems(sheet: Sheet) -> list[Problem]:
    """Return the requested problems."""
    return [boosted(name, sheet.args.data) for name in sheet.args.sets]


def figure_9(sheet: Sheet) -> None:
    """Compare the earlier samplers on trees."""
    least = []
    for problem in problems(sheet):
        errors = curve(sheet, problem, EXISTING)
        most = max(n for _, n in errors)
        least.append(best_at(errors, most)[0] == "antithetic")
    sheet.claim(f"antithetic orders have the least error on every set ({sum(least)} of {len(least)})", all(least))


def figure_10(sheet: Sheet) -> None:
    """Compare the samplers that the paper proposes on trees, and correlate their discrepancies with their errors."""
    at_most: dict[str, dict[str, float]] = {}  # by set and method, at the most orders of all methods
    for problem in problems(sheet):
        d = problem.rows.shape[1]
        errors = curve(sheet, problem, PROPOSED)
        greedy = max(n for method, n in errors if method == "sbq")
        if d <= 10:
            sheet.claim(f"{problem.name}: herding and sbq have the least errors at {greedy} orders",
                        set(best_at(errors, greedy)[:2]) == {"herding", "sbq"})  # fmt: skip
        sizes = sorted({n for method, n in errors if method == "orthogonal" and n >= 2 * (d - 1)})
        if sizes:
            below = [errors["orthogonal", n] < errors["antithetic", n] for n in sizes]
            sheet.claim(f"{problem.name}: orthogonal below antithetic from 2 (d - 1) orders on "
                        f"({sum(below)} of {len(below)})", all(below))  # fmt: skip
        _discrepancies(sheet, problem, errors, greedy)
        at_most[problem.name] = {method: error for (method, n), error in errors.items() if n == greedy}
    compare_methods(sheet, at_most)


def compare_methods(sheet: Sheet, errors: dict[str, dict[str, float]]) -> None:
    """Judge what the text says of several sets: each statement by the sets that are here."""
    worse = [name for name, of in errors.items() if of["sobol"] > of["antithetic"]]
    sheet.claim(f"Sobol is worse than antithetic on four of six sets (here on {len(worse)} of {len(errors)}: "
                f"{', '.join(worse)})", 3 * len(worse) == 2 * len(errors))  # fmt: skip
    for name, of in errors.items():
        if name in FEW_PLAYERS:
            sheet.claim(f"{name}: Sobol is better than orthogonal", of["sobol"] < of["orthogonal"])
        else:
            sheet.claim(f"{name}: orthogonal is better than Sobol", of["orthogonal"] < of["sobol"])
        if name in MANY_PLAYERS:
            sheet.claim(f"{name}: herding and sbq are worse than antithetic",
                        min(of["herding"], of["sbq"]) > of["antithetic"])  # fmt: skip


def _discrepancies(sheet: Sheet, problem: Problem, errors: Errors, n: int) -> None:
    methods = [method for method, size in errors if size == n]
    d = problem.rows.shape[1]
    seeds = range(1, min(sheet.args.repeats, 5) + 1)
    of_methods = [np.mean([kb.sample_orders(d, n, method, s).discrepancy() for s in seeds]) for method in methods]
    found = spearmanr(of_methods, [errors[method, n] for method in methods]).statistic
    sheet.line(f"  rank correlation of discrepancy and error over {len(methods)} samplers at {n} orders: {found:.2f}")


def figure_11(sheet: Sheet) -> None:
    """Compare the proposed samplers on a network. The mean of all trials with the most orders serves as truth."""
    for name in sheet.args.sets:
        margin, rows, background = network(name, sheet.args.data)
        d = rows.shape[1]
        sizes = (10, 20) if sheet.args.quick else (10, 30, 100)
        runs: dict[tuple[str, int], list[np.ndarray]] = {}
        for method in PROPOSED:
            for n in sizes:
                runs[method, n] = [
                    kb.explain_function(margin, rows, background, method=method, n_orders=n, seed=seed).values
                    for seed in range(1, sheet.args.repeats + 1)
                ]
        truth = np.mean([found for (_, n), of_run in runs.items() if n == sizes[-1] for found in of_run], axis=0)
        errors = {key: float(np.mean([(found - truth) ** 2 for found in of_run])) for key, of_run in runs.items()}
        sheet.line(f"{name}, {d} features, a network; mean squared error")
        for n in sizes:
            sheet.line(f"  {n * d:>6} evaluations", *(f"{method} {errors[method, n]:.3e}" for method in PROPOSED))
        if name in FEW_PLAYERS:
            sheet.claim(f"{name}: herding and sbq have the least errors at {sizes[-1]} orders",
                        set(best_at(errors, sizes[-1])[:2]) == {"herding", "sbq"})  # fmt: skip
