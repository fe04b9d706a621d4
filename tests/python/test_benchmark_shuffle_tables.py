"""Tables and figures of chapter 6 at small sizes: its tests find what is not uniform, and let fair shuffles pass."""

from __future__ import annotations

import itertools
import os
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmark"))
import kauriboost as kb
import shuffle_tables
from paper_tables import shuffle_figures

BIN = Path(os.environ.get("KAURI_BUILD_DIR", Path(__file__).resolve().parents[2] / "build")) / "bin"
GPU_RATES = """#!/bin/sh
for n in 257 67108865; do
  echo $n,gather,100; echo $n,bijective0,20; echo $n,bijective1,30; echo $n,bijective2,$FUSED; echo $n,lcg,95
  echo $n,dart,9; echo $n,sort,4; echo $n,copy,200; echo $n,thrust,50; echo $n,in_place,5
done
"""


def need(name: str) -> None:
    if not (BIN / name).is_file():
        pytest.skip(f"the program {name} is not built in {BIN}")


def every_permutation(n: int, times: int) -> np.ndarray:
    return np.array(list(itertools.permutations(range(n))) * times)


def test_probabilities_of_perfect_and_of_hopeless_shuffles() -> None:
    perfect = every_permutation(4, 50)
    same = np.tile(np.arange(4), (1200, 1))
    for test in (shuffle_tables.all_permutations, shuffle_tables.positions, shuffle_tables.parity):
        assert test(perfect) == pytest.approx(1.0)
        assert test(same) < 1e-12


def test_parity_by_definition() -> None:
    rows = every_permutation(4, 1)
    signs = [round(np.linalg.det(np.eye(4)[row])) for row in rows]
    even = rows[[sign == 1 for sign in signs]]
    assert len(even) == 12
    assert shuffle_tables.parity(np.tile(even, (20, 1))) < 1e-12
    assert shuffle_tables.positions(np.tile(even, (20, 1))) == pytest.approx(1.0)  # which does not see it


def test_a_biased_shuffle_is_found() -> None:
    random = np.random.default_rng(0)
    rows = np.tile(np.arange(5), (20_000, 1))
    for place in range(5):  # exchanges with any element, as in a well-known mistake
        other = random.integers(0, 5, len(rows))
        at = np.arange(len(rows))
        rows[at, place], rows[at, other] = rows[at, other], rows[at, place].copy()
    assert shuffle_tables.all_permutations(rows) < 1e-6
    assert shuffle_tables.positions(rows) < 1e-6


@pytest.mark.parametrize("first", [0, 1_000_000, 7_000_000])
def test_our_shuffles_pass_whatever_the_seeds(first: int) -> None:
    for n, test in ((4, shuffle_tables.all_permutations), (10, shuffle_tables.positions), (16, shuffle_tables.parity)):
        rows = np.stack([kb.shuffle(n, first + seed) for seed in range(1500)])
        assert test(rows) > 1e-5


def test_own_tests(capsys: pytest.CaptureFixture[str]) -> None:
    assert shuffle_tables.main(["--seeds", "300"]) == 0
    rows = [line.split("|")[1:-1] for line in capsys.readouterr().out.splitlines() if line.startswith("|")][2:]
    assert len(rows) == 10
    assert all(1e-5 < float(cell) <= 1 for row in rows for cell in row[2:])


@pytest.mark.parametrize("first_seed", ["1", "3000001"])
@pytest.mark.parametrize(("figure", "count"), [("6", "20000"), ("7", "5000"), ("8", "2000")])
def test_few_rounds_are_not_uniform(
    figure: str, count: str, first_seed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The thesis's figures 6 to 8: four rounds fail, 24 pass, as do the library's own, swap-or-not and std::shuffle."""
    need("shuffle_quality_bench")
    words = ["--figure", figure, "--permutations", count, "--first-seed", first_seed, "--bin", str(BIN)]
    assert shuffle_tables.main(words) == 0
    rows = [line.split("|")[1:-1] for line in capsys.readouterr().out.splitlines() if line.startswith("|")][2:]
    over_limit = {row[0].strip(): abs(float(row[1])) / float(row[2]) for row in rows}
    assert over_limit["philox:24"] < 2
    assert over_limit["lcg"] > 2
    assert over_limit["philox:4"] > 2 * over_limit["philox:24"]


def test_a_thousand_elements(capsys: pytest.CaptureFixture[str]) -> None:
    """So few permutations find no fault in a linear congruence, which the command says; fair shuffles pass."""
    need("shuffle_quality_bench")
    assert shuffle_tables.main(["--figure", "9", "--permutations", "100", "--bin", str(BIN)]) in (0, 1)
    lines = capsys.readouterr().out.splitlines()
    assert len([line for line in lines if line.startswith("| philox:")]) == 10
    assert not [line for line in lines if line.startswith("MISSED") and "lcg" not in line]


def test_a_shuffle_that_is_not_uniform_fails_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bench = tmp_path / "shuffle_quality_bench"
    bench.write_text("#!/bin/sh\necho 400 119\n")
    bench.chmod(0o755)
    assert shuffle_tables.main(["--figure", "6", "--bin", str(tmp_path)]) == 1
    assert "MISSED: figure 6: swap has 400" in capsys.readouterr().out


def test_rates_on_the_processor(capsys: pytest.CaptureFixture[str]) -> None:
    need("shuffle_bench")
    assert shuffle_tables.main(["--table", "3", "--high", "8", "--threads", "1", "--bin", str(BIN)]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| 2^8+1")]
    assert "/ 128.03 = " in line
    assert "/ 2.45 = " in line


def test_rates_on_a_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A script replaces gpu_shuffle_bench, which needs a device."""
    bench = tmp_path / "gpu_shuffle_bench"
    bench.write_text(GPU_RATES)
    bench.chmod(0o755)
    for fused, status in (("94", 0), ("40", 1)):
        monkeypatch.setenv("FUSED", fused)
        assert shuffle_tables.main(["--table", "1", "--bin", str(tmp_path)]) == status
        out = capsys.readouterr().out
        assert "100 / 4465 = 0.02" in out
        assert ("MISSED: 67108865 keys: 0.40 of a gather, below 0.9" in out) is (status == 1)
    assert shuffle_tables.main(["--figure", "10", "--bin", str(tmp_path)]) == 0
    assert capsys.readouterr().out.count("| 257 | 100 | 20 | 30 | 40 | 0.40 |") == 2


def test_a_program_that_is_not_built(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"shuffle_bench is not there; build it"):
        shuffle_figures.run_rates(tmp_path, "shuffle_bench")
