"""The benchmark of sampled orders: its arithmetic compared with definitions, and its commands on small problems."""

from __future__ import annotations

import itertools
import math
import os
import re
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmark"))
import kauriboost as kb
import permutation_tables
from permutation_cases import claims, curves, kernels, problems, spheres

DATA = Path(os.environ.get("KAURI_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))


def test_taus_and_products_of_ranks_by_definition() -> None:
    start = np.arange(4, dtype=np.uint32)
    others = np.array(list(itertools.permutations(range(4))), dtype=np.uint32)
    ranks = np.broadcast_to(start, others.shape)
    for other, tau, product in zip(others, spheres.kendall(ranks, others), spheres.dot(ranks, others)):
        pairs = list(itertools.combinations(range(4), 2))
        discordant = sum(bool(other[i] > other[j]) for i, j in pairs)
        assert tau == pytest.approx(1 - 2 * discordant / len(pairs))
        assert product == pytest.approx(np.corrcoef(start, other)[0, 1])


def test_bounds_of_theorem_2_hold_for_all_orders_of_seven() -> None:
    others = np.array(list(itertools.permutations(range(7))), dtype=np.uint32)
    ranks = np.broadcast_to(np.arange(7, dtype=np.uint32), others.shape)
    tau, product = spheres.kendall(ranks, others), spheres.dot(ranks, others)
    low, high = spheres.bounds(tau)
    assert np.all(low <= product + 1e-12)
    assert np.all(product <= high + 1e-12)
    assert tau.min() == -1
    assert np.count_nonzero(product < low + 0.2) > 10  # the bounds are not vacuous


def test_values_of_sets_by_all_orders_and_by_the_definition() -> None:
    worth = np.random.default_rng(1).normal(size=(3, 2**4))
    orders = np.array(list(itertools.permutations(range(4))), dtype=np.uint32)
    values = problems.values_of(worth, orders, np.full(24, 1 / 24))
    np.testing.assert_allclose(values, kernels.exact(worth), atol=1e-12)
    np.testing.assert_allclose(values.sum(axis=1), worth[:, -1] - worth[:, 0])


def test_values_by_prefixes_and_by_all_sets() -> None:
    """Both give the values of the same orders, so that sets with many features are judged as those with few."""
    random = np.random.default_rng(2)
    rows, background = random.normal(size=(3, 5)), random.normal(size=(4, 5))
    orders = kb.sample_orders(5, 7, "sbq", 1)

    def margin(hybrid: np.ndarray) -> np.ndarray:
        found: np.ndarray = hybrid[:, 0] * hybrid[:, 1] + np.sin(hybrid[:, 2]) + hybrid[:, 3:].max(axis=1)
        return found

    masks = (np.arange(2**5)[:, None] >> np.arange(5)) & 1 == 1
    worth = np.array([[margin(np.where(mask, row, background)).mean() for mask in masks] for row in rows])
    expected = problems.values_of(worth, orders.orders, orders.weights)
    np.testing.assert_allclose(kernels.by_prefixes(margin, rows, background, orders), expected, atol=1e-12)


def test_ranks_as_the_papers_write_them() -> None:
    """Ranks (1 4 2 3) put four players in the order x1 x3 x4 x2; the inverse is (1 3 4 2)."""
    orders = kb.Orders(np.array([[0, 2, 3, 1]], np.uint32), np.ones(1), "given")
    assert orders.ranks().tolist() == [[0, 3, 1, 2]]
    assert (orders.orders[0] + 1).tolist() == [1, 3, 4, 2]


def test_a_right_angle_is_no_tau_of_zero() -> None:
    """Reversing the first d / 2^(1/3) of d players: the product of the ranks vanishes, tau is 1 - 2 / 2^(2/3)."""
    d = 1000
    k = round(d * 2 ** (-1 / 3))
    ranks = np.arange(d)
    ranks[:k] = ranks[:k][::-1]
    tau, product = (of(np.arange(d)[None], ranks[None])[0] for of in (spheres.kendall, spheres.dot))
    assert product == pytest.approx(0, abs=0.005)
    assert tau == pytest.approx(1 - 2 * 2 ** (-2 / 3), abs=0.002)  # the thesis has .37
    low, high = spheres.bounds(np.array([tau]))
    assert low[0] - 1 / d <= product <= high[0] + 1 / d


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_sobol_orders_are_spread_evenly(seed: int) -> None:
    """Figure 8: a thousand orders of four players. Random orders have a chi-square of about 23."""
    orders = kb.sample_orders(4, 1000, "sobol", seed).orders.astype(np.int64)
    _, counts = np.unique(orders @ 4 ** np.arange(4), return_counts=True)
    assert len(counts) == 24
    assert ((counts - 1000 / 24) ** 2 / (1000 / 24)).sum() < 7


@pytest.mark.parametrize("first_seed", ["1", "100", "5000"])
def test_discrepancies_are_the_printed_ones(first_seed: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--table", "4", "--most", "10", "--repeats", "12", "--first-seed", first_seed]
    assert permutation_tables.main(words) == 0
    out = capsys.readouterr().out
    assert out.count("ratio") == 15
    within = int(out.splitlines()[-1].split()[0])
    assert within >= 9  # of 15


@pytest.mark.parametrize("kind", ["mallows", "kendall", "spearman"])
def test_kernels_of_pairs(kind: str) -> None:
    ranks = np.array([[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [1, 0, 2, 4, 3]])
    found = kernels.kernel_between(kind, ranks, ranks)
    expected = {  # of the first order with itself, its reverse, and the third: two of ten pairs disagree
        "mallows": [1, math.exp(-4), math.exp(-0.8)],
        "kendall": [1, -1, 0.6],
        "spearman": [55, 35, 53],
    }
    np.testing.assert_allclose(found[0], expected[kind])
    np.testing.assert_allclose(found, found.T)


def test_herding_is_nearer_to_all_orders_than_chance() -> None:
    herded = np.mean([kernels.herd("mallows", 8, 40, seed).discrepancy() for seed in range(3)])
    chance = np.mean([kb.sample_orders(8, 40, "mc", seed).discrepancy() for seed in range(3)])
    ours = np.mean([kb.sample_orders(8, 40, "herding", seed).discrepancy() for seed in range(3)])
    assert herded == pytest.approx(ours, rel=0.05)
    assert herded < 0.8 * chance


@pytest.mark.parametrize(
    "what", [("--figure", "5"), ("--figure", "6"), ("--table", "5")], ids=lambda what: "".join(what)
)
def test_commands(what: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert permutation_tables.main([*what, "--quick", "--repeats", "1"]) == 0
    out = capsys.readouterr().out
    assert "DOES NOT HOLD" not in out
    assert len(out.splitlines()) >= 6


@pytest.mark.parametrize("figure", ["13", "14"])
def test_lambda_of_few_and_of_many_players(figure: str, capsys: pytest.CaptureFixture[str]) -> None:
    sets = ["regression", "breast_cancer"] if figure == "13" else ["regression"]
    assert permutation_tables.main(["--figure", figure, "--quick", "--repeats", "1", "--sets", *sets]) == 0
    out = capsys.readouterr().out
    for name in sets:
        for method in ("herding", "sbq"):
            assert f"claim: {name}, {method}: lambda 4 is within 1.5 times the best of all" in out
            assert f"claim: {name}, {method}: no trend by lambda" in out
    errors = [float(number) for number in re.findall(r"lambda \d+ (\S+e\S+)", out)]
    assert len(errors) == {"13": 20, "14": 10}[figure]
    assert all(0 < error < 1e6 for error in errors)


def test_intervals_of_the_mean_error() -> None:
    draws = np.random.default_rng(0).normal(1.0, 0.2, (2000, 25))
    held = [abs(np.mean(errors) - 1) <= curves.half_interval(list(errors)) for errors in draws]
    assert 0.92 < np.mean(held) < 0.97
    assert curves.half_interval([1.0]) == 0


def test_log_odds_of_a_network_are_finite(tmp_path: Path) -> None:
    """Its probabilities are float32, some of which are 0 or 1."""
    margin, rows, background = problems.network("breast_cancer", tmp_path)
    far = np.concatenate([rows, background, 1000 * rows]).astype(np.float32)
    assert np.all(np.isfinite(margin(far)))
    assert np.abs(margin(far)).max() == pytest.approx(np.log(1e12), rel=1e-3)


def test_statements_of_several_sets(capsys: pytest.CaptureFixture[str]) -> None:
    """Statements of the text about figure 10, judged on errors that agree with them."""
    sheet = claims.Sheet(permutation_tables.argparse.Namespace())
    of_many = {"antithetic": 1.0, "herding": 2.0, "sbq": 2.0, "orthogonal": 0.5, "sobol": 3.0}
    of_few = {**of_many, "herding": 0.2, "sbq": 0.1, "sobol": 0.4}
    errors = {
        **dict.fromkeys(("california", "regression"), of_few),
        **dict.fromkeys(("breast_cancer", "spambase", "year", "adult"), of_many),
    }
    curves.compare_methods(sheet, errors)
    assert len(sheet.claims) == 9
    assert all(holds for _, holds in sheet.claims)


def test_errors_shrink_with_the_orders(capsys: pytest.CaptureFixture[str]) -> None:
    if not (DATA / "load.py").is_file():
        pytest.skip(f"no real data sets at {DATA}")
    words = ["--data", str(DATA), "--figure", "10", "--quick", "--repeats", "2", "--sets", "breast_cancer"]
    assert permutation_tables.main(words) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines() if "evaluations" in line]
    cells = [dict(zip(line[2::2], (cell.split("+-") for cell in line[3::2]))) for line in lines]
    errors = [{method: float(mean) for method, (mean, _) in line.items()} for line in cells]
    assert all(0 < float(half) < 20 * float(mean) for line in cells for mean, half in line.values())
    assert len(errors) == 2
    assert set(errors[0]) == {"antithetic", "herding", "sbq", "orthogonal", "sobol"}
    for method, error in errors[1].items():
        assert error < errors[0][method]


def test_a_bound_that_does_not_hold_fails_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    sheet = claims.Sheet(permutation_tables.argparse.Namespace())
    sheet.claim("something the paper saw", False)
    assert sheet.end() == 0
    sheet.require("one is two", 1 == 2)
    assert sheet.end() == 1
    assert "WRONG: one is two" in capsys.readouterr().out
