"""Functions of distributions beside SciPy's: densities, shares, quantiles, samples and scores."""

from __future__ import annotations

import kauriboost as kb
import numpy as np
import pytest
from distribution_rows import NAMES, cumulative, drawn, frozen, log_density, natural, raw_scores, shares_of
from scipy import integrate, special, stats


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


@pytest.mark.parametrize(
    ("mean", "size"),
    [(200.0, 0.02), (300.0, 0.05), *((mean, size) for mean in (900.0, 40000.0) for size in (0.7, 50.0, 1e6))],
)
def test_crps_of_large_counts_is_near_the_sum(mean: float, size: float) -> None:
    one = stats.nbinom(size, size / (size + mean))
    for y in (float(one.ppf(0.1)), float(one.ppf(0.97)), 0.0):
        counts = np.arange(int(max(one.ppf(1 - 1e-12), y)) + 10)
        expected = float(np.sum((one.cdf(counts) - (counts >= y)) ** 2))
        score = kb.Distribution("negative_binomial", [[mean, size]]).crps([y])[0]
        assert score == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("mean", [5000.0, 60000.0])
def test_crps_of_large_poisson_counts_is_near_the_sum(mean: float) -> None:
    one = stats.poisson(mean)
    for y in (mean, mean - 100, 0.0):
        counts = np.arange(int(one.ppf(1 - 1e-12)) + 10)
        expected = float(np.sum((one.cdf(counts) - (counts >= y)) ** 2))
        assert kb.Distribution("poisson", [mean]).crps([y])[0] == pytest.approx(expected, rel=1e-4)


FUNCTIONS: dict[str, list[float]] = {"cdf": [0.0, 1.0], "nll": [np.inf, np.inf], "crps": [np.inf, np.inf]}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_missing_labels_have_no_value_and_infinite_ones_the_limit(name: str, function: str) -> None:
    found = kb.Distribution(name, np.repeat(natural(name, raw_scores(name, 1)), 3, axis=0))
    values = getattr(found, function)(np.array([np.nan, -np.inf, np.inf]))
    np.testing.assert_array_equal(values, [np.nan, *FUNCTIONS[function]])
    density = (found.pmf if found.is_discrete else found.pdf)(np.array([np.nan, -np.inf, np.inf]))
    np.testing.assert_array_equal(density, [np.nan, 0.0, 0.0])
    assert np.isnan(found.pit([np.nan, 1.0, 1.0])[0])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("label", [-1.5, -1.0, 0.0, 0.25, 2.5])
def test_crps_of_labels_outside_of_the_family_is_the_integral(name: str, label: float) -> None:
    p = natural(name, 0.3 * raw_scores(name, 1, seed=3))
    found = kb.Distribution(name, p)
    if found.is_discrete or found.quantile([0.0])[0, 0] == 0:
        at_zero = found.crps(0.0)[0]
        expected = at_zero - label
        if label > 0 and not found.is_discrete:
            below = integrate.quad(lambda x: cumulative(name, p[0], x) ** 2, 0, label, epsabs=1e-11)[0]
            above = integrate.quad(lambda x: (1 - cumulative(name, p[0], x)) ** 2, 0, label, epsabs=1e-11)[0]
            expected = at_zero + below - above
        elif label > 0:
            steps = cumulative(name, p[0], np.floor(np.arange(0, label, 1e-3) + 5e-4))
            expected = at_zero + 1e-3 * float(np.sum(steps**2 - (1 - steps) ** 2))
        assert found.crps(label)[0] == pytest.approx(expected, rel=1e-8)
    else:
        assert found.crps(label)[0] > 0


@pytest.mark.parametrize("shape", [1e5, 1e6, 1e8, 1e10, 1e12])
def test_shares_of_large_shapes_agree_with_scipy(shape: float) -> None:
    z = np.array([-1.0, 0.0, 0.3, 2.0, 4.0])
    labels = shape + z * np.sqrt(shape)
    found = kb.Distribution("gamma", [[shape, shape]])
    np.testing.assert_allclose(found.cdf(labels[np.newaxis])[0], special.gammainc(shape, labels), rtol=1e-11)
    counts = np.floor(labels)
    places = kb.Distribution("poisson", [shape]).cdf(counts[np.newaxis])[0]
    np.testing.assert_allclose(places, special.gammaincc(counts + 1, shape), rtol=1e-11)
    expected = shape + np.sqrt(shape) * stats.norm.ppf(0.975) + (stats.norm.ppf(0.975) ** 2 - 1) / 3
    assert found.quantile(0.975)[0] == pytest.approx(expected, abs=2e-4 * np.sqrt(shape))
    # A gamma distribution of a large shape is nearly normal.
    normal = kb.Distribution("normal", [[shape, np.sqrt(shape)]])
    np.testing.assert_allclose(found.crps(labels[np.newaxis]), normal.crps(labels[np.newaxis]), rtol=2 / np.sqrt(shape))
    np.testing.assert_allclose(
        kb.Distribution("student_t", [[0.0, 1.0, shape]]).cdf(z[np.newaxis])[0], stats.t.cdf(z, shape), rtol=1e-12
    )


def test_values_at_the_ends_of_float64() -> None:
    assert kb.Distribution("normal", [[0.0, 1.0]]).quantile(1e-310)[0] == pytest.approx(-37.66, abs=0.01)
    for scale in (1e-9, 1e-6, 1e-3, 0.0999, 0.1001, 1.0):
        expected = np.exp(scale**2 / 2) * np.sqrt(np.expm1(scale**2))
        assert kb.Distribution("lognormal", [[0.0, scale]]).std[0] == pytest.approx(expected, rel=1e-13)
    assert kb.Distribution("lognormal", [[0.0, 1000.0]]).crps(1.0)[0] == np.inf


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
    with pytest.raises(ValueError, match="n is -1"):
        known.sample(-1)
    with pytest.raises(TypeError, match="rows only"):
        known[:2, 0]
    assert known[0].parameters["mean"] == [0.0]
    table = np.array([[0.0, 1.0]])
    own = kb.Distribution("normal", table)
    table[:] = 5.0
    assert own.std == [1.0]
    np.testing.assert_array_equal(known.quantile([0.0, 1.0]), [[-np.inf, np.inf]] * 2)
    np.testing.assert_array_equal(kb.Distribution("gamma", [[1.0, 2.0]]).quantile([0.0, 1.0]), [[0.0, np.inf]])
