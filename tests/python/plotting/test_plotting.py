"""plot_importance draws the scores of get_score."""

from __future__ import annotations

from pathlib import Path

import kauriboost as kb
import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")


@pytest.fixture
def trained(binary: tuple[np.ndarray, np.ndarray]) -> kb.Booster:
    X, y = binary
    names = ["ash", "birch", "cedar", "douglas", "elm", "fir"]
    data = kb.DMatrix(X, label=y, feature_names=names)
    return kb.train({"objective": "binary:logistic", "max_depth": 4}, data, 10, verbose_eval=False)


@pytest.mark.parametrize("kind", ["weight", "gain", "total_cover"])
def test_bars_are_the_scores(trained: kb.Booster, kind: str, tmp_path: Path) -> None:
    axes = kb.plot_importance(trained, importance_type=kind)
    scores = trained.get_score(importance_type=kind)
    drawn = {
        label.get_text(): patch.get_width() for label, patch in zip(axes.get_yticklabels(), axes.patches, strict=True)
    }
    assert drawn == pytest.approx(scores)
    assert [patch.get_width() for patch in axes.patches] == sorted(scores.values())
    axes.figure.savefig(tmp_path / "importance.png")
    assert (tmp_path / "importance.png").stat().st_size > 5000


def test_only_the_most_important(trained: kb.Booster) -> None:
    axes = kb.plot_importance(trained, importance_type="gain", max_num_features=2, show_values=False, title=None)
    assert len(axes.patches) == 2
    best = max(trained.get_score(importance_type="gain").items(), key=lambda item: item[1])[0]
    assert axes.get_yticklabels()[-1].get_text() == best


def test_nothing_to_draw() -> None:
    data = kb.DMatrix(np.zeros((4, 2)), label=[1, 1, 1, 1])
    booster = kb.train({}, data, 1, verbose_eval=False)
    with pytest.raises(ValueError, match="no tree"):
        kb.plot_importance(booster)
