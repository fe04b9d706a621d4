"""Waterfalls and interactions: texts do not overlap, and strong values do not hide weak ones."""

from __future__ import annotations

import itertools
from typing import Any

import kauriboost as kb
import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

mpl.use("Agg")
Table = tuple[np.ndarray, np.ndarray]


def overlapping(ax: Any) -> list[tuple[str, str]]:
    """Return the texts that overlap another text or a bar."""
    ax.figure.canvas.draw()
    texts = [(text.get_text(), text.get_window_extent()) for text in ax.texts]
    bars = [("a bar", bar.get_window_extent()) for bar in ax.patches]
    pairs = [*itertools.combinations(texts, 2), *itertools.product(texts, bars)]
    return [(one, other) for (one, box), (other, second) in pairs if box.overlaps(second)]


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("scale", [1e-3, 1e6])
def test_numbers_of_a_waterfall_stand_by_themselves(regression: Table, sign: float, scale: float) -> None:
    X, y = regression
    names = ["a name of a feature that is rather long", *"bcde"]
    data = kb.DMatrix(X, sign * scale * y, feature_names=names)
    explanation = kb.explain(kb.train({}, data, 10), data)
    for row in range(0, 60, 20):
        ax = kb.plot_waterfall(explanation[row])
        assert overlapping(ax) == []
        figure = ax.figure.bbox
        assert all(text.get_window_extent().x1 <= figure.x1 for text in ax.texts)
        plt.close(ax.figure)


def test_the_diagonal_of_interactions_has_a_scale_of_its_own(regression: Table) -> None:
    X, y = regression
    booster = kb.train({"max_depth": 3}, kb.DMatrix(X, y), 10)
    explanation = kb.explain(booster, X, interactions=True)
    strength = np.abs(explanation.values).mean(axis=0)
    pairs, diagonal = kb.plot_interactions(explanation).images
    assert pairs.norm.vmax == pytest.approx(2 * (strength - np.diag(np.diag(strength))).max())
    assert diagonal.norm.vmax > np.diag(strength).max() > pairs.norm.vmax
    assert np.isnan(np.diag(pairs.get_array().filled(np.nan))).all()
    one = kb.train({}, kb.DMatrix(X[:, :1], y), 2)
    assert len(kb.plot_interactions(kb.explain(one, X[:, :1], interactions=True)).images) == 1
    plt.close("all")
