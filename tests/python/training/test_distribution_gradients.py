"""Natural gradients of objective=dist:... beside differences of SciPy's densities, and a plain version of boosting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from distribution_rows import NAMES, drawn, frozen, log_density, natural, parameters_of, raw_scores, rows_of
from scipy import special, stats


def plain_score(name: str, raw: np.ndarray, y: float) -> np.ndarray:
    """Return the gradient of the negative log-likelihood of one row by differences of SciPy's densities."""
    step = 1e-4
    gradient = np.zeros(len(raw))
    for k in range(len(raw)):
        ends = []
        for sign in (1, -1, 2, -2):
            moved = raw.copy()
            moved[k] += sign * step
            ends.append(-log_density(name, natural(name, moved[np.newaxis])[0], y))
        gradient[k] = (8 * (ends[0] - ends[1]) - (ends[2] - ends[3])) / (12 * step)
    return gradient


def plain_information(name: str, raw: np.ndarray) -> np.ndarray:
    """Return the Fisher information: the mean of products of scores over the distribution."""
    p = natural(name, raw[np.newaxis])[0]
    one = frozen(name, p)
    share = p[-1] if name.startswith("zero_inflated") else 1.0
    if hasattr(one, "pmf"):
        labels = np.arange(int(one.ppf(1 - 1e-10)) + 1)
        chances = np.array([np.exp(log_density(name, p, float(y))) for y in labels])
    else:
        places, weights = np.polynomial.legendre.leggauss(400)
        at = (places + 1) / 2
        labels = one.ppf(at**2 * (3 - 2 * at))
        chances = share * weights / 2 * 6 * at * (1 - at)
        if share < 1:
            labels, chances = np.append(labels, 0.0), np.append(chances, 1 - share)
    scores = np.array([plain_score(name, raw, float(y)) for y in labels])
    information: np.ndarray = (scores * chances[:, np.newaxis]).T @ scores
    return information


DAMPING = {
    "student_t": [0, 0, 0.01],
    "negative_binomial": [0, 1e-3],
    "zero_inflated_poisson": [1e-6, 1e-3],
    "zero_inflated_negative_binomial": [1e-6, 1e-3, 1e-3],
}


@pytest.mark.parametrize("name", [name for name in NAMES if name != "zero_inflated_gamma"])
def test_a_leaf_takes_the_natural_gradient_of_its_row(name: str) -> None:
    """One row per leaf: the step of its scores is eta times the natural gradient, whatever the hessians are."""
    rng = np.random.default_rng(6)
    raw = raw_scores(name, 8, seed=2)
    labels = np.array([drawn(name, p, rng) for p in natural(name, raw)])
    X = np.arange(8, dtype=np.float32)[:, np.newaxis]
    data = kb.DMatrix(X, label=labels, base_margin=raw)
    params = {"objective": f"dist:{name}", "max_depth": 8, "eta": 1.0, "base_score": 0.0, "lambda": 0}
    booster = kb.train(params, data, 1, verbose_eval=False)
    leaves = booster.predict(data, pred_leaf=True).reshape(8, -1)
    assert len(np.unique(leaves[:, 0])) >= 7  # two zeros of Poisson counts have one natural gradient
    steps = booster.predict(data, output_margin=True, strict_shape=True) - raw
    for row in range(8):
        start = np.float32(raw[row]).astype(np.float64)
        information = plain_information(name, start) + np.diag(DAMPING.get(name, [0] * len(start)))
        expected = -np.linalg.solve(information, plain_score(name, start, float(labels[row])))
        if name in ("normal", "lognormal", "laplace"):  # outliers: the mean of expected and observed information
            place = np.log(labels[row]) if name == "lognormal" else labels[row]
            z = (place - start[0]) / np.exp(start[1])
            observed = abs(z) if name == "laplace" else z**2
            expected[1] /= max(1.0, (1 + observed) / 2)
        np.testing.assert_allclose(steps[row], expected, rtol=2e-3, atol=2e-4 * (1 + np.abs(expected).max()))


@pytest.mark.parametrize(
    ("mean", "size"), [(20.0, 0.1), (20.0, 0.05), (100.0, 0.05), (1000.0, 0.1), (1000.0, 0.01), (300.0, 3.0)]
)
@pytest.mark.parametrize("name", ["negative_binomial", "zero_inflated_negative_binomial"])
def test_information_of_overdispersed_counts(name: str, mean: float, size: float) -> None:
    start = np.log([mean, size, np.e][: 2 + (name != "negative_binomial")]).astype(np.float32).astype(np.float64)
    data = kb.DMatrix(np.zeros((1, 1), np.float32), label=[3.0], base_margin=start[np.newaxis])
    params = {"objective": f"dist:{name}", "max_depth": 1, "eta": 1.0, "base_score": 0.0, "lambda": 0}
    booster = kb.train(params, data, 1, verbose_eval=False)
    step = booster.predict(data, output_margin=True, strict_shape=True)[0] - start
    m, s = np.exp(start[:2])
    counts = np.arange(int(stats.nbinom.ppf(1 - 1e-9, s, s / (s + m))) + 1)
    chances = stats.nbinom.pmf(counts, s, s / (s + m))
    between = special.digamma(counts + s) - special.digamma(s)
    scores = [s / (s + m) * (m - counts), s * (np.log1p(m / s) - between + (counts - m) / (s + m))]
    if len(start) == 3:
        share = special.expit(start[2])
        at_zero = 1 - share + share * chances[0]
        for of_one in scores:
            of_one[0] *= share * chances[0] / at_zero
        scores.append(np.full(len(counts), share - 1))
        scores[2][0] = share * (1 - share) * (1 - chances[0]) / at_zero
        chances = share * chances
        chances[0] = at_zero
    table = np.stack(scores)
    information = (table * chances) @ table.T + np.diag(DAMPING[name])
    np.testing.assert_allclose(step, -np.linalg.solve(information, table[:, 3]), rtol=0.01, atol=1e-4)


@pytest.mark.parametrize("name", NAMES)
def test_gradients_at_the_bounds_are_finite(name: str) -> None:
    ends = np.array(np.meshgrid(*[[-39.0, 0.0, 39.0]] * parameters_of(name))).reshape(parameters_of(name), -1).T
    if name in ("normal", "lognormal", "laplace", "student_t"):
        ends[:, 1] /= 4  # the information of a location is the square of 1 / scale
    data = kb.DMatrix(np.zeros((len(ends), 1), np.float32), label=np.full(len(ends), 3.0), base_margin=ends)
    booster = kb.train({"objective": f"dist:{name}", "base_score": 0.0, "lambda": 0}, data, 1, verbose_eval=False)
    assert np.all(np.isfinite(booster.predict(data, output_margin=True)))


def test_training_is_that_of_plain_natural_gradient_boosting() -> None:
    """Stumps of one threshold: vectors in the leaves are information-weighted means of natural gradients."""
    rng = np.random.default_rng(7)
    X = rng.integers(0, 2, size=(400, 1)).astype(np.float32)
    y = np.where(X[:, 0] > 0, rng.normal(3, 2, 400), rng.normal(0, 0.5, 400)).astype(np.float32)
    data = kb.DMatrix(X, label=y)
    booster = kb.train({"objective": "dist:normal", "max_depth": 1, "eta": 0.3}, data, 12, verbose_eval=False)
    raw = np.tile([y.mean(dtype=np.float64), np.log(y.std(dtype=np.float64))], (400, 1))
    for _ in range(12):
        z = (y - raw[:, 0]) / np.exp(raw[:, 1])
        gradients = np.stack([-z / np.exp(raw[:, 1]), 1 - z**2], axis=1)
        hessians = np.stack([np.exp(-2 * raw[:, 1]), np.maximum(2, 1 + z**2)], axis=1)
        for side in (X[:, 0] > 0, X[:, 0] <= 0):
            raw[side] -= 0.3 * gradients[side].sum(axis=0) / hessians[side].sum(axis=0)
    np.testing.assert_allclose(booster.predict(data, output_margin=True), raw, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(
        booster.predict(data), np.stack([raw[:, 0], np.exp(raw[:, 1])], axis=1), rtol=2e-4, atol=1e-4
    )


def with_a_spike() -> np.ndarray:
    """Return labels of which most are nearly equal, so that their density at the median is high."""
    rng = np.random.default_rng(5)
    return np.concatenate([rng.normal(5, 0.001, 600), rng.normal(0, 10, 400)]).astype(np.float32)


def with_atoms() -> np.ndarray:
    return np.repeat([0.0, 1.0, 100.0], [300, 301, 399]).astype(np.float32)


def with_zeros() -> np.ndarray:
    return np.concatenate([np.zeros(600), np.random.default_rng(6).exponential(10, 400)]).astype(np.float32)


@pytest.mark.parametrize("labels", [with_a_spike, with_atoms, with_zeros])
def test_laplace_starts_at_the_median(labels: Callable[[], np.ndarray]) -> None:
    y = labels()
    data = kb.DMatrix(np.zeros((len(y), 1), np.float32), label=y)
    booster = kb.train({"objective": "dist:laplace", "eta": 0.0}, data, 1, verbose_eval=False)
    location, scale = booster.predict(data)[0]
    assert location == pytest.approx(np.median(y), abs=1e-5)
    assert scale == pytest.approx(np.abs(y - np.median(y)).mean(), rel=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_the_start_has_the_largest_likelihood(name: str) -> None:
    y = rows_of(name)[1]
    weights = np.random.default_rng(1).integers(1, 4, len(y)).astype(np.float32)
    data = kb.DMatrix(np.zeros((len(y), 1), np.float32), label=y, weight=weights)
    booster = kb.train({"objective": f"dist:{name}", "max_depth": 1}, data, 1, verbose_eval=False)
    start = booster.predict(data, output_margin=True, strict_shape=True)[0].astype(np.float64)

    def loss(raw: np.ndarray) -> float:
        rows = np.tile(natural(name, raw[np.newaxis]), (len(y), 1))
        return float(np.average(kb.Distribution(name, rows).nll(y), weights=weights))

    for k in range(len(start)):
        for step in (-0.03, 0.03):
            moved = start.copy()
            moved[k] += step
            assert loss(moved) >= loss(start) - 1e-7, (name, k, start)


@pytest.mark.parametrize("name", NAMES)
def test_training_lowers_both_scores_and_metrics_are_their_means(name: str) -> None:
    X, y = rows_of(name)
    weights = np.random.default_rng(2).random(len(y)).astype(np.float32)
    data = kb.DMatrix(X, label=y, weight=weights)
    history: dict[str, Any] = {}
    params = {"objective": f"dist:{name}", "max_depth": 3, "eta": 0.1, "eval_metric": ["nll", "crps"]}
    booster = kb.train(params, data, 25, evals=[(data, "rows")], evals_result=history, verbose_eval=False)
    found = kb.distribution_of(booster, data)
    for metric, values in (("nll", found.nll(y)), ("crps", found.crps(y))):
        scores = history["rows"][metric]
        assert scores[-1] < scores[0]
        assert scores[-1] == pytest.approx(float(np.average(values, weights=weights)), rel=1e-5)
