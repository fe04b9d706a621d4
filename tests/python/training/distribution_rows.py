"""Rows whose labels have a distribution that depends on features, and SciPy's version of each family."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import kauriboost as kb
import numpy as np
from scipy import stats
from scipy.special import expit

NAMES = kb.Distribution.names()


def shares_of(name: str) -> str:
    """Return the family without added zeros."""
    return name.removeprefix("zero_inflated_")


def frozen(name: str, p: np.ndarray) -> Any:
    """Return SciPy's distribution of one row, without added zeros."""
    made: dict[str, Callable[[], Any]] = {
        "normal": lambda: stats.norm(p[0], p[1]),
        "lognormal": lambda: stats.lognorm(p[1], scale=np.exp(p[0])),
        "laplace": lambda: stats.laplace(p[0], p[1]),
        "student_t": lambda: stats.t(p[2], p[0], p[1]),
        "gamma": lambda: stats.gamma(p[1], scale=p[0] / p[1]),
        "poisson": lambda: stats.poisson(p[0]),
        "negative_binomial": lambda: stats.nbinom(p[1], p[1] / (p[0] + p[1])),
    }
    return made[shares_of(name)]()


def natural(name: str, raw: np.ndarray) -> np.ndarray:
    """Return the parameters of raw scores, [n_rows, n_parameters]."""
    if name in ("normal", "laplace", "lognormal"):
        return np.stack([raw[:, 0], np.exp(raw[:, 1])], axis=1)
    if name == "student_t":
        return np.stack([raw[:, 0], np.exp(raw[:, 1]), 1 + np.exp(raw[:, 2])], axis=1)
    parameters = np.exp(raw)
    if name.startswith("zero_inflated"):
        parameters[:, -1] = expit(raw[:, -1])
    return parameters


def log_density(name: str, p: np.ndarray, y: float) -> float:
    """Return the logarithm of the density or probability of a label by SciPy."""
    one = frozen(name, p)
    is_count = hasattr(one, "pmf")
    if not name.startswith("zero_inflated"):
        return float(one.logpmf(y) if is_count else one.logpdf(y))
    share = p[-1]
    if is_count:
        return float(np.log(share * one.pmf(y) + (1 - share) * (y == 0)))
    return float(np.log(1 - share) if y == 0 else np.log(share) + one.logpdf(y))


def cumulative(name: str, p: np.ndarray, y: np.ndarray | float) -> Any:
    """Return the share of labels up to y by SciPy."""
    share = p[-1] if name.startswith("zero_inflated") else 1.0
    return (1 - share) * (np.asarray(y) >= 0) + share * frozen(name, p).cdf(y)


def raw_scores(name: str, n: int, seed: int = 0) -> np.ndarray:
    """Return random raw scores, [n, n_parameters]."""
    return np.random.default_rng(seed).normal(scale=0.8, size=(n, parameters_of(name)))


def parameters_of(name: str) -> int:
    many = {"student_t": 3, "poisson": 1, "zero_inflated_negative_binomial": 3, "zero_inflated_gamma": 3}
    return many.get(name, 2)


def drawn(name: str, p: np.ndarray, rng: np.random.Generator) -> float:
    """Return a random label of one row."""
    if name.startswith("zero_inflated") and rng.random() > p[-1]:
        return 0.0
    return float(frozen(name, p).rvs(random_state=rng))


def rows_of(name: str, n: int = 1500, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return features and labels whose distribution depends on them."""
    X, y = _rows(name, n, seed)
    return X.copy(), y.copy()


@cache
def _rows(name: str, n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:  # SciPy takes seconds
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)).astype(np.float32)
    raw = 0.3 * rng.normal(size=parameters_of(name)) + 0.5 * X[:, : parameters_of(name)]
    parameters = natural(name, raw.astype(np.float64))
    return X, np.array([drawn(name, p, rng) for p in parameters], dtype=np.float32)


def train(name: str, rounds: int = 8, **more: Any) -> tuple[kb.Booster, kb.DMatrix]:
    X, y = rows_of(name)
    data = kb.DMatrix(X, label=y)
    params = {"objective": f"dist:{name}", "max_depth": 3, "eta": 0.2, **more}
    return kb.train(params, data, rounds, verbose_eval=False), data
