"""The test of whether permutations are uniform: its level, its power, its command."""

from __future__ import annotations

from math import erf, exp, log, prod, sqrt
from pathlib import Path

import kauriboost as kb
import numpy as np
import pytest
from kauriboost._tools.uniformity import main

LEVEL = 0.05


def kernel_mean(d: int, strength: float) -> float:
    """Return the mean of the Mallows kernel, by the formula of the thesis."""
    step = strength / (d * (d - 1) / 2)
    return prod((1 - exp(-step * j)) / (j * (1 - exp(-step))) for j in range(1, d + 1))


def by_hand(table: np.ndarray, strength: float = 5.0) -> tuple[float, float]:
    """Return the statistic and the p-value, pair of elements by pair of elements."""
    n, d = table.shape
    similar = []
    for first, second in zip(table[0::2], table[1::2]):
        discordant = sum((first[i] < first[j]) != (second[i] < second[j]) for i in range(d) for j in range(i))
        similar.append(exp(-strength * discordant / (d * (d - 1) / 2)))
    found = float(np.mean(similar)) - kernel_mean(d, strength)
    if n < 100:
        return found, min(1.0, 2 * exp(-2 * len(similar) * found**2))
    variance = (kernel_mean(d, 2 * strength) - kernel_mean(d, strength) ** 2) / len(similar)
    return found, 1 - erf(abs(found) / sqrt(2 * variance))


def uniform(n: int, d: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).permuted(np.tile(np.arange(d), (n, 1)), axis=1)


def by_few_bits(n: int, d: int, bits: int) -> np.ndarray:
    keys = np.random.default_rng(5).integers(0, 2**bits, (n, d))
    return np.argsort(keys, axis=1, kind="stable")


def by_swaps(n: int, d: int, swaps: int) -> np.ndarray:
    rng = np.random.default_rng(6)
    table = np.tile(np.arange(d), (n, 1))
    rows = np.arange(n)
    for left, right in rng.integers(0, d, (swaps, 2, n)):
        table[rows, left], table[rows, right] = table[rows, right], table[rows, left]
    return table


@pytest.mark.parametrize(("n", "d", "strength"), [(2, 2, 5.0), (60, 5, 5.0), (100, 9, 5.0), (400, 12, 1.5)])
def test_it_is_the_formula_of_the_thesis(n: int, d: int, strength: float) -> None:
    table = uniform(n, d, 1)
    found = kb.shuffle_uniformity(table, strength)
    assert (found.statistic, found.p_value) == pytest.approx(by_hand(table, strength), rel=1e-9, abs=1e-12)
    assert kb.shuffle_uniformity(table.tolist(), strength) == found
    assert kb.shuffle_uniformity(np.vstack([table, table[:1]]), strength) == found, "the last of an odd number"


def test_it_is_the_same_for_any_number_of_threads() -> None:
    table = uniform(1001, 20, 2)
    with kb.config_context(nthread=1):
        alone = kb.shuffle_uniformity(table)
    with kb.config_context(nthread=3):
        assert kb.shuffle_uniformity(table) == alone


@pytest.mark.parametrize(("n", "d"), [(200, 5), (200, 30), (1000, 52)])
def test_its_level_holds(n: int, d: int) -> None:
    """Truly uniform permutations are rejected in 15 tests of 300 at 5 %, give or take 3.8."""
    rejected = sum(kb.shuffle_uniformity(uniform(n, d, seed)).p_value < LEVEL for seed in range(300))
    assert 3 <= rejected <= 29


def test_few_permutations_are_rarely_rejected() -> None:
    rejected = sum(kb.shuffle_uniformity(uniform(40, 8, seed)).p_value < LEVEL for seed in range(300))
    assert rejected <= 15


@pytest.mark.parametrize(
    "poor",
    [
        pytest.param(by_few_bits(2000, 52, 3), id="sorted by three bits"),
        pytest.param(by_swaps(2000, 20, 10), id="ten random swaps"),
        pytest.param(np.tile(np.arange(8), (100, 1)), id="always the same"),
        pytest.param(np.tile(np.arange(8), (20, 1)), id="always the same, few"),
    ],
)
def test_poor_sources_are_rejected(poor: np.ndarray) -> None:
    found = kb.shuffle_uniformity(poor)
    assert found.p_value < 1e-6
    assert found.statistic > 0


def test_good_sources_pass() -> None:
    assert kb.shuffle_uniformity(by_swaps(2000, 20, 200)).p_value > LEVEL
    ours = np.stack([kb.shuffle(52, seed) for seed in range(2000)])
    assert kb.shuffle_uniformity(ours).p_value > LEVEL
    assert kb.shuffle_uniformity(kb.sample_orders(30, 1000, method="mc").orders).p_value > LEVEL


def test_a_bias_of_the_parity_is_missed_as_documented() -> None:
    table = uniform(2000, 8, 3)
    odd = [round(np.linalg.det(np.eye(8)[row])) < 0 for row in table]
    table[odd, :2] = table[odd, 1::-1]
    assert kb.shuffle_uniformity(table).p_value > LEVEL


@pytest.mark.parametrize(
    ("table", "strength", "words"),
    [
        (np.zeros((4, 3)), 5.0, "integers"),
        (np.arange(4), 5.0, "shape"),
        ([[0, 1], [0, -1]], 5.0, "-1"),
        ([[0, 1], [0, 2**32]], 5.0, "4294967296"),
        ([[0, 1], [1, 1]], 5.0, "order 1 has player 1 twice"),
        ([[0, 1], [0, 2]], 5.0, "order 1 has player 2"),
        ([[0, 1]], 5.0, "1 permutations"),
        ([[0], [0]], 5.0, "of 1 "),
        ([[0, 1], [1, 0]], 0.5, "lambda is 0.5"),
        ([[0, 1], [1, 0]], float("nan"), "lambda is nan"),
        ([[0, 1], [1, 0]], 101.0, "lambda is 101"),
    ],
)
def test_refusals(table: object, strength: float, words: str) -> None:
    with pytest.raises(kb.KauriError, match=words):
        kb.shuffle_uniformity(table, strength)


def written(folder: Path, name: str, table: np.ndarray) -> str:
    path = folder / name
    if path.suffix == ".npy":
        np.save(path, table)
    else:
        np.savetxt(path, table, fmt="%d", delimiter="," if path.suffix == ".csv" else " ")
    return str(path)


@pytest.mark.parametrize("name", ["table.npy", "table.csv", "table.txt"])
def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert main([written(tmp_path, name, uniform(500, 10, 4))]) == 0
    assert "500 permutations of 10 elements" in capsys.readouterr().out
    assert main([written(tmp_path, name, by_swaps(500, 10, 2))]) == 1
    assert "not uniform" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "words"),
    [("0 1\n1 0 2\n", "line 2 has 3"), ("0 x\n", "'x'"), ("", "no permutation"), ("0 1\n0 0\n", "player 0 twice")],
)
def test_the_command_names_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, words: str
) -> None:
    path = tmp_path / "table.txt"
    path.write_text(text)
    assert main([str(path)]) == 2
    assert words in capsys.readouterr().err


def test_the_command_of_a_file_that_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "none.txt")]) == 2
    assert "none.txt" in capsys.readouterr().err


def test_hoeffding_and_the_normal_bound_are_those_of_the_thesis() -> None:
    """A statistic at the thesis's bounds for 100,000 permutations has a p-value of 5 %."""
    variance = 2 * (kernel_mean(5, 10.0) - kernel_mean(5, 5.0) ** 2) / 1e5
    assert 1.959964 * sqrt(variance) == pytest.approx(1.342e-3, rel=1e-3)
    assert sqrt(log(2 / LEVEL) / 1e5) == pytest.approx(6.07e-3, rel=1e-3)
