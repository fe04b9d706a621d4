"""Objectives dist:..., their metrics, model files and functions, beside SciPy and a plain version of natural gradients."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import expit

NAMES = kb.Distribution.names()
BY_ONE_TREE = ("exact", "approx", "hist")


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


# ---- functions of distributions ----


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
    with pytest.raises(kb.ParameterError, match="share 1.5"):
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


# ---- training ----


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
    params = {"objective": f"dist:{name}", "max_depth": 8, "eta": 1.0, "base_score": 0.0}
    booster = kb.train(params, data, 1, verbose_eval=False)
    leaves = booster.predict(data, pred_leaf=True).reshape(8, -1)
    assert len(np.unique(leaves[:, 0])) == 8
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


@pytest.mark.parametrize("name", NAMES)
def test_the_start_has_the_largest_likelihood(name: str) -> None:
    X, y = rows_of(name)
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


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("strategy", ["multi_output_tree", "one_output_per_tree"])
def test_threads_and_runs_give_the_same_bytes(name: str, strategy: str) -> None:
    one, _ = train(name, multi_strategy=strategy, nthread=1)
    assert one.save_raw() == train(name, multi_strategy=strategy, nthread=3)[0].save_raw()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", ["json", "ubj"])
def test_a_file_names_the_distribution_in_an_attribute(name: str, form: str, tmp_path: Path) -> None:
    booster, data = train(name)
    path = tmp_path / f"model.{form}"
    booster.save_model(path)
    loaded = kb.Booster(model_file=path)
    np.testing.assert_array_equal(loaded.predict(data), booster.predict(data))
    assert loaded.save_raw() == booster.save_raw()
    learner = json.loads(booster.save_raw("json"))["learner"]
    assert learner["objective"]["name"] == "reg:squarederror"
    assert learner["learner_model_param"]["num_target"] == str(parameters_of(name))
    assert json.loads(learner["attributes"]["kauri_distribution"])["objective"] == f"dist:{name}"
    restored = pickle.loads(pickle.dumps(booster))
    assert restored.save_raw() == booster.save_raw()
    assert "nll" in restored.eval(data)


def test_training_continues_from_a_file() -> None:
    whole, data = train("gamma", 10)
    begun, _ = train("gamma", 4)
    loaded = kb.Booster({"max_depth": 3, "eta": 0.2})
    loaded.load_model(begun.save_raw())
    continued = kb.train({"max_depth": 3, "eta": 0.2}, data, 6, xgb_model=loaded, verbose_eval=False)
    assert continued.save_raw() == whole.save_raw()
    assert continued[:4].save_raw() == begun.save_raw()


def test_files_that_others_have_changed_are_refused_or_no_distribution() -> None:
    booster, data = train("normal")
    document = json.loads(booster.save_raw("json"))
    learner = document["learner"]

    def load(change: Callable[[], None]) -> kb.Booster:
        change()
        return kb.Booster(model_file=json.dumps(document).encode())

    attribute = json.loads(learner["attributes"]["kauri_distribution"])
    attribute["objective"] = "dist:student_t"
    with pytest.raises(kb.ModelError, match="has 3 outputs, but the model has 2"):
        load(lambda: learner["attributes"].update(kauri_distribution=json.dumps(attribute)))
    attribute["objective"] = "dist:cauchy"
    with pytest.raises(kb.ModelError, match="'dist:cauchy'; expected a distribution's"):
        load(lambda: learner["attributes"].update(kauri_distribution=json.dumps(attribute)))
    attribute.update(objective="dist:normal", trees=attribute["trees"][:-1])
    with pytest.raises(kb.ModelError, match="another library has trained the model further"):
        load(lambda: learner["attributes"].update(kauri_distribution=json.dumps(attribute)))
    raw = load(lambda: learner["attributes"].pop("kauri_distribution"))
    np.testing.assert_array_equal(raw.predict(data), booster.predict(data, output_margin=True))
    with pytest.raises(kb.ParameterError, match="kauri_distribution"):
        booster.set_attr(kauri_distribution="{}")


def test_xgboost_reads_the_file_as_raw_scores(tmp_path: Path) -> None:
    xgboost = pytest.importorskip("xgboost")
    X, _ = rows_of("student_t")
    for strategy in ("multi_output_tree", "one_output_per_tree"):
        booster, data = train("student_t", multi_strategy=strategy)
        for dialect in (None, "3.2"):
            booster.save_model(tmp_path / "model.json", **({} if dialect is None else {"dialect": dialect}))
            theirs = xgboost.Booster(model_file=str(tmp_path / "model.json"))
            found = theirs.predict(xgboost.DMatrix(X))
            np.testing.assert_allclose(found, booster.predict(data, output_margin=True), rtol=1e-5, atol=1e-6)
            theirs.save_model(str(tmp_path / "theirs.json"))
            again = kb.Booster(model_file=tmp_path / "theirs.json")
            np.testing.assert_array_equal(again.predict(data), booster.predict(data))


def test_old_dialects_are_refused() -> None:
    booster, _ = train("normal")
    with pytest.raises(kb.ParameterError, match="vector leaves"):
        booster.save_raw(dialect="1.7")
    with pytest.raises(kb.ParameterError, match="base scores that differ"):
        booster.save_raw(dialect="3.0")


WRONG = {
    "normal": (np.inf, "finite"),
    "lognormal": (0.0, "above 0"),
    "gamma": (-1.0, "above 0"),
    "poisson": (1.5, "whole number of 0 or more"),
    "negative_binomial": (-1.0, "whole number of 0 or more"),
    "zero_inflated_gamma": (-0.5, "0 or more"),
}


@pytest.mark.parametrize("name", WRONG)
def test_labels_outside_the_support_are_refused_and_change_nothing(name: str) -> None:
    booster, data = train(name, 3)
    before = booster.save_raw()
    X, y = rows_of(name)
    value, words = WRONG[name]
    y[7] = value
    wrong = kb.DMatrix(X, label=y)
    with pytest.raises(kb.DataError, match=rf"dist:{name}: label .* of row 7 .*{words}"):
        booster.update(wrong, 3)
    with pytest.raises(kb.DataError, match=rf"nll: label .* of row 7 .*{words}"):
        booster.eval(wrong)
    with pytest.raises(kb.DataError, match="2 label columns"):
        booster.update(kb.DMatrix(X, label=np.ones((len(X), 2))), 3)
    assert booster.save_raw() == before
    booster.update(data, 3)
    assert booster.save_raw() == train(name, 4)[0].save_raw()


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"booster": "gblinear"}, "gblinear does not support objectives of whole distributions"),
        ({"tree_method": "exact"}, "tree_method=exact builds no trees with vector leaves"),
        ({"tree_method": "approx"}, "tree_method=approx builds no trees with vector leaves"),
        ({"linear_tree": 1}, "linear_tree=1 does not support leaves with several outputs"),
        ({"base_score": "[1,2,3]"}, "base_score"),
    ],
)
def test_what_does_not_go_together_is_refused(params: dict[str, Any], words: str) -> None:
    with pytest.raises(kb.ParameterError, match=words):
        train("normal", **params)


@pytest.mark.parametrize(
    "params",
    [
        {"booster": "dart", "rate_drop": 0.3},
        {"tree_method": "exact", "multi_strategy": "one_output_per_tree"},
        {"tree_method": "approx", "multi_strategy": "one_output_per_tree"},
        {"linear_tree": 1, "multi_strategy": "one_output_per_tree"},
        {"subsample": 0.7, "colsample_bynode": 0.5},
        {"grow_policy": "lossguide", "max_leaves": 5, "max_depth": 0},
        {"gradient_bits": 8},
        {"num_parallel_tree": 2, "subsample": 0.5},
    ],
    ids=str,
)
def test_what_goes_together_learns(params: dict[str, Any]) -> None:
    booster, data = train("normal", 15, **params)
    start, _ = train("normal", 1, **params)
    assert float(booster.eval(data).split(":")[1]) < float(start.eval(data).split(":")[1])
    loaded = kb.Booster(model_file=booster.save_raw())
    np.testing.assert_array_equal(loaded.predict(data), booster.predict(data))


@pytest.mark.parametrize("strategy", ["multi_output_tree", "one_output_per_tree"])
@pytest.mark.parametrize("name", NAMES)
def test_constraints_keep_the_mean_monotone(name: str, strategy: str) -> None:
    booster, _ = train(name, 30, monotone_constraints="(1,0,-1,0)", multi_strategy=strategy)
    base = np.random.default_rng(9).normal(size=(30, 4)).astype(np.float32)
    for column, sign in ((0, 1), (2, -1)):
        steps = np.linspace(-3, 3, 60, dtype=np.float32)
        rows = np.repeat(base, 60, axis=0)
        rows[:, column] = np.tile(steps, 30)
        means = kb.distribution_of(booster, kb.DMatrix(rows)).mean.reshape(30, 60)
        assert np.all(np.diff(means, axis=1) * sign >= -1e-12 * np.abs(means[:, :-1]))


def test_metrics_need_a_distribution() -> None:
    X, y = rows_of("normal")
    for metric in ("nll", "crps"):
        with pytest.raises(kb.ParameterError, match=f"metric {metric} scores a whole distribution"):
            kb.train({"eval_metric": metric}, kb.DMatrix(X, label=y), 1, verbose_eval=False)
    booster, _ = train("normal")
    with pytest.raises(kb.ParameterError, match="predicts no distribution"):
        kb.distribution_of(kb.train({}, kb.DMatrix(X, label=y), 1, verbose_eval=False), X)
    booster.set_param({"eval_metric": "rmse"})
    with pytest.raises(kb.DataError, match="2 predictions per row"):
        booster.eval(kb.DMatrix(X, label=y))


def test_degenerate_labels_train() -> None:
    X = np.random.default_rng(0).normal(size=(60, 2)).astype(np.float32)
    for name, value in (
        ("normal", 3.0),
        ("gamma", 2.0),
        ("poisson", 0.0),
        ("zero_inflated_gamma", 0.0),
        ("student_t", 0.0),
    ):
        data = kb.DMatrix(X, label=np.full(60, value, np.float32))
        booster = kb.train({"objective": f"dist:{name}"}, data, 5, verbose_eval=False)
        assert np.all(np.isfinite(booster.predict(data)))


def test_the_program_trains_evaluates_and_predicts(tmp_path: Path) -> None:
    program = Path(os.environ["KAURI_LIBRARY"]).parents[1] / "bin" / "kauri"
    if not program.exists():
        pytest.skip("the program kauri is not built")
    X, y = rows_of("gamma")
    np.savetxt(tmp_path / "rows.csv", np.column_stack([y, X]), delimiter=",", fmt="%.9g")
    source = f"{tmp_path}/rows.csv?format=csv&label_column=0"
    common = [f"model_out={tmp_path}/model.json", "objective=dist:gamma", "max_depth=3", "eta=0.2", "num_round=8"]
    told = subprocess.run(
        [program, "train", f"data={source}", f"eval[rows]={source}", "eval_metric=crps", *common],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "rows-crps:" in told.stderr + told.stdout
    subprocess.run(
        [program, "pred", f"model_in={tmp_path}/model.json", f"test:data={source}", f"name_pred={tmp_path}/out.txt"],
        capture_output=True,
        text=True,
        check=True,
    )
    booster, data = train("gamma")
    np.testing.assert_allclose(np.loadtxt(tmp_path / "out.txt"), booster.predict(data), rtol=1e-5)
