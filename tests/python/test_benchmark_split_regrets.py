"""Splits by absolute errors on small data: arithmetic by definition, and what the page on papers says of them."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmark" / "research"))
import kauriboost as kb
import split_regrets

LOADER = """
import numpy as np
def load(name):
    random = np.random.default_rng(len(name))
    X = random.normal(size=(3000, 3))
    return X, X[:, 1] + .5 * X[:, 0] * X[:, 2] + .5 * random.normal(size=3000), {}
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "load.py").write_text(LOADER)
    monkeypatch.setattr(split_regrets, "DATA", tmp_path)
    monkeypatch.setattr(split_regrets, "BINS", 24)  # each boundary is evaluated in Python


def test_gains_by_definition() -> None:
    y = np.array([0.0, 1.0, 5.0, 6.0, 6.5], np.float32)
    codes = np.array([[0, 1, 2, 3, 4]], np.float32).T
    found = split_regrets.gains(codes, y, split_regrets.errors_of)
    whole = np.abs(y - 5).sum()
    expected = [
        whole - np.abs(y[:i] - np.median(y[:i])).sum() - np.abs(y[i:] - np.median(y[i:])).sum() for i in range(1, 5)
    ]
    np.testing.assert_allclose(found[0, 1:5], expected, rtol=1e-6)
    assert np.all(found[0, 5:] == 0)  # nothing is on the right


@pytest.mark.parametrize("seed", range(3))
def test_errors_by_moments_are_near_the_true_ones(seed: int) -> None:
    y = np.random.default_rng(seed).uniform(size=2000)
    assert split_regrets.series_errors(y) == pytest.approx(split_regrets.errors_of(y), rel=0.03)
    skewed = np.exp(3 * np.random.default_rng(seed).normal(size=2000))
    ratio = split_regrets.series_errors(skewed) / split_regrets.errors_of(skewed)
    assert abs(ratio - 1) > 0.3  # hence labels are clipped


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", split_regrets.LABELS)
def test_label_bins_find_the_best_boundary(kind: str, seed: int) -> None:
    """Label bins miss next to nothing of the gain that is possible; moments miss more, signs the most."""
    codes, y = split_regrets.rows_of("any", kind, 300, seed)
    found = split_regrets.regrets(codes, y)
    assert set(found) == {*split_regrets.CRITERIA, "legendre", "clipped"}
    assert all(-1e-6 <= regret <= 100 for regret in found.values())
    assert found["bins"] < 2
    assert found["moments"] < 40
    assert found["bins"] <= min(found["sign"], found["moments"]) + 2


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", split_regrets.LABELS)
def test_no_model_records_more_than_it_gains(kind: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(split_regrets, "BINS", 256)  # so sides have few rows
    codes, y = split_regrets.rows_of("any", kind, 300, seed)
    params = {**split_regrets.BASE, **split_regrets.BY_ERRORS, "max_depth": 1, "lambda": 0}
    params["base_score"] = float(np.median(y))
    root = kb.train(params, kb.DMatrix(codes, label=y), 1, verbose_eval=False).trees_to_dataframe().iloc[0]
    left = codes[:, int(root.Feature[1:])] < root.Split
    true = split_regrets.errors_of(y) - split_regrets.errors_of(y[left]) - split_regrets.errors_of(y[~left])
    assert root.Gain <= 1.05 * true


def test_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    split_regrets.main(["any", "--rows", "120", "--splits", "1"])
    rows = [line.split("|")[1:-1] for line in capsys.readouterr().out.splitlines()][2:]
    assert [row[1].strip() for row in rows] == split_regrets.LABELS
    assert all(float(row[5].split("-")[-1]) < 2 for row in rows)  # the largest regret of label bins
    split_regrets.main(["any", "--boost", "--rows", "400", "--rounds", "4", "--splits", "2"])
    assert capsys.readouterr().out.count("+-") == 6
    split_regrets.main(["any", "--times", "--rows", "300", "--rounds", "2"])
    assert "| any | 300 |" in capsys.readouterr().out


def test_without_the_real_sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(split_regrets, "DATA", tmp_path / "nowhere")
    with pytest.raises(SystemExit, match=r"no real data sets at .*nowhere; set KAURI_DATA"):
        split_regrets.main(["any"])
