"""Functions of distributions beside SciPy's: densities, shares, quantiles, samples and scores."""

from __future__ import annotations

import kauriboost as kb
import numpy as np
import pytest
from distribution_rows import NAMES, cumulative, drawn, frozen, log_density, natural, raw_scores, shares_of
from scipy import integrate, stats


@pytest.mark.parametrize("name", NAMES)
def test_functions_agree_with_scipy(name: str) -> None:
    rng = np.random.default_rng(3)
    parameters = natural(name, raw_scores(name, 25))
    labels = np.array([drawn(name, p, rng) for p in parameters])
    found = kb.Distribution(name, parameters)
    np.testing.assert_allclose(
        -found.nll(labels), [log_density(name, *one) for one in zip(parameters, labels)], rtol=1e-10, atol=1e-11
    )
    expected = [cumulative(name, *one) for one in zip(parameters, labels)]
    np.testing.assert_allclose(found.cdf(labels), expected, rtol=1e-10, atol=1e-13)
    share = parameters[:, -1] if name.startswith("zero_inflated") else np.ones(25)
    whole = [frozen(name, p) for p in parameters]
    means = np.array([one.mean() for one in whole])
    variances = np.array([one.var() for one in whole])
    np.testing.assert_allclose(found.mean, share * means, rtol=1e-10)
    np.testing.assert_allclose(found.std**2, share * (variances + means**2) - (share * means) ** 2, rtol=1e-9)
    for q in (0.01, 0.3, 0.5, 0.95):
        places = found.quantile(q)
        at = np.array([cumulative(name, *one) for one in zip(parameters, places)])
        if found.is_discrete:
            below = np.array([cumulative(name, *one) for one in zip(parameters, places - 1)])
            assert np.all((at >= q - 1e-12) & (below < q))
        else:
            np.testing.assert_allclose(at, np.maximum(q, 1 - share), atol=1e-11)


@pytest.mark.parametrize("name", NAMES)
def test_crps_is_the_integral_of_its_definition(name: str) -> None:
    rng = np.random.default_rng(4)
    parameters = natural(name, 0.5 * raw_scores(name, 6, seed=1))
    labels = np.array([drawn(name, p, rng) for p in parameters])
    found = kb.Distribution(name, parameters).crps(labels)
    for p, y, score in zip(parameters, labels, found):
        if shares_of(name) in ("poisson", "negative_binomial"):
            counts = np.arange(int(y) + 400)
            expected = float(np.sum((cumulative(name, p, counts) - (counts >= y)) ** 2))
            assert score == pytest.approx(expected, rel=1e-8)
            continue
        low = 0.0 if cumulative(name, p, -1e-9) == 0 else -np.inf
        settings = {"epsabs": 1e-10, "limit": 400}
        below = integrate.quad(lambda x, p=p: cumulative(name, p, x) ** 2, low, y, **settings)[0]
        above = integrate.quad(lambda x, p=p: (1 - cumulative(name, p, x)) ** 2, y, np.inf, **settings)[0]
        assert score == pytest.approx(below + above, rel=1e-6)


@pytest.mark.parametrize("mean", [900.0, 40000.0])
@pytest.mark.parametrize("size", [0.7, 50.0, 1e6])
def test_crps_of_large_counts_is_near_the_sum(mean: float, size: float) -> None:
    one = stats.nbinom(size, size / (size + mean))
    for y in (float(one.ppf(0.1)), float(one.ppf(0.97)), 0.0):
        counts = np.arange(int(max(one.ppf(1 - 1e-12), y)) + 10)
        expected = float(np.sum((one.cdf(counts) - (counts >= y)) ** 2))
        score = kb.Distribution("negative_binomial", [[mean, size]]).crps([y])[0]
        assert score == pytest.approx(expected, rel=1e-4)


def test_samples_follow_the_seed_and_the_distribution() -> None:
    parameters = natural("gamma", raw_scores("gamma", 3))
    whole = kb.Distribution("gamma", parameters)
    samples = whole.sample(4000, seed=5)
    np.testing.assert_array_equal(samples, whole.sample(4000, seed=5))
    np.testing.assert_array_equal(samples[:, :10], whole.sample(10, seed=5))
    assert not np.array_equal(samples, whole.sample(4000, seed=6))
    for p, row in zip(parameters, samples):
        assert stats.kstest(row, frozen("gamma", p).cdf).pvalue > 0.001


def test_wrong_calls_of_functions_are_refused_in_words() -> None:
    known = kb.Distribution("normal", [[0.0, 1.0], [1.0, 2.0]])
    with pytest.raises(kb.ParameterError, match="no distribution 'gaussian'; choose one of normal"):
        kb.Distribution("gaussian", [[0.0, 1.0]])
    with pytest.raises(ValueError, match=r"columns mean, scale"):
        kb.Distribution("normal", [[0.0, 1.0, 2.0]])
    with pytest.raises(kb.DataError, match="parameter scale of the distribution normal is -1 in row 1"):
        kb.Distribution("normal", [[0.0, 1.0], [0.0, -1.0]]).cdf(0)
    with pytest.raises(kb.ParameterError, match=r"share 1\.5"):
        known.quantile(1.5)
    with pytest.raises(ValueError, match="one label for each of the 2 rows"):
        known.crps([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="call pdf"):
        known.pmf(1)
    with pytest.raises(ValueError, match="call pmf"):
        kb.Distribution("poisson", [1.0]).pdf(1)
    assert known[0].parameters["mean"] == [0.0]
    np.testing.assert_array_equal(known.quantile([0.0, 1.0]), [[-np.inf, np.inf]] * 2)
    np.testing.assert_array_equal(kb.Distribution("gamma", [[1.0, 2.0]]).quantile([0.0, 1.0]), [[0.0, np.inf]])
