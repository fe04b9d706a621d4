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


def test_gain_and_shap_are_the_defaults(trained: kb.Booster, binary: tuple[np.ndarray, np.ndarray]) -> None:
    axes = kb.plot_importance(trained)
    assert axes.get_xlabel() == "mean gain of the splits"
    assert [patch.get_width() for patch in axes.patches] == sorted(trained.get_score(importance_type="gain").values())
    data = kb.DMatrix(binary[0], feature_names=trained.feature_names)
    axes = kb.plot_importance(trained, data=data)
    strength = np.abs(kb.explain(trained, data).values).mean(axis=0)
    assert axes.get_xlabel() == "mean |SHAP value|"
    np.testing.assert_allclose([patch.get_width() for patch in axes.patches], np.sort(strength), rtol=1e-5)
    with pytest.raises(kb.ParameterError, match="leave one of them out"):
        kb.plot_importance(trained, data=data, importance_type="gain")
    with pytest.raises(kb.ParameterError, match="scores and data"):
        kb.plot_importance({"a": 1.0}, data=data)
    linear = kb.train({"booster": "gblinear"}, kb.DMatrix(np.eye(4), label=range(4)), 2, verbose_eval=False)
    assert kb.plot_importance(linear).get_xlabel() == "coefficient"


def test_nothing_to_draw() -> None:
    data = kb.DMatrix(np.zeros((4, 2)), label=[1, 1, 1, 1])
    booster = kb.train({}, data, 1, verbose_eval=False)
    with pytest.raises(ValueError, match="no tree"):
        kb.plot_importance(booster)
