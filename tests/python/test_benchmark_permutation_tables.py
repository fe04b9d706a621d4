"""The benchmark of sampled orders: its arithmetic compared with definitions, and its commands on small problems."""

from __future__ import annotations

import itertools
import math
import os
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmark"))
import kauriboost as kb
import permutation_tables
from permutation_cases import claims, kernels, problems, spheres

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


def test_errors_shrink_with_the_orders(capsys: pytest.CaptureFixture[str]) -> None:
    if not (DATA / "load.py").is_file():
        pytest.skip(f"no real data sets at {DATA}")
    words = ["--data", str(DATA), "--figure", "10", "--quick", "--repeats", "2", "--sets", "breast_cancer"]
    assert permutation_tables.main(words) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines() if "evaluations" in line]
    errors = [dict(zip(line[2::2], map(float, line[3::2]))) for line in lines]
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
