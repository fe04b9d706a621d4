"""One style for all plots: colours that colour-blind readers tell apart, no titles, a light grid, real minus signs."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import kauriboost as kb
import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from kauriboost._plotting.parts import BLUE, GREY, GRID, LINES, RED, percent_text
from matplotlib.colors import to_rgb

mpl.use("Agg")

# Full dichromacy after Machado, Oliveira, Fernandes (2009), in linear RGB.
SIMULATED = {
    "normal": np.eye(3),
    "protan": np.array([[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.0520]]),
    "deutan": np.array([[0.3673, 0.8606, -0.2280], [0.2801, 0.6725, 0.0474], [-0.0118, 0.0429, 0.9689]]),
    "tritan": np.array([[1.2555, -0.0767, -0.1788], [-0.0784, 0.9308, 0.1476], [0.0047, 0.6914, 0.3039]]),
}  # fmt: skip


def lab(color: str, seen: str) -> np.ndarray:
    """Return a colour in CIELAB as it is seen."""
    rgb = np.array(to_rgb(color))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    linear = np.clip(SIMULATED[seen] @ linear, 0, 1)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    t = to_xyz @ linear / np.array([0.9505, 1.0, 1.089])
    f = np.where(t > 0.008856, np.cbrt(t), 7.787 * t + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("seen", SIMULATED)
@pytest.mark.parametrize("palette", [[BLUE, RED, GREY], LINES])
def test_colours_are_told_apart(palette: list[str], seen: str) -> None:
    distances = [np.linalg.norm(lab(a, seen) - lab(b, seen)) for a, b in itertools.combinations(palette, 2)]
    assert min(distances) > 10  # a difference of 2.3 is just noticeable


@pytest.fixture(scope="module")
def trained() -> tuple[Any, pd.DataFrame]:
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.normal(size=(200, 4)), columns=list("abcd"))
    frame["kind"] = pd.Categorical(rng.choice(["x", "y"], 200))
    y = np.where(frame.a + (frame.kind == "x") + rng.normal(size=200) > 0, "sick", "healthy")
    return kb.KauriClassifier(n_estimators=10, max_depth=2).fit(frame, y, eval_set=[(frame, y)], verbose=False), frame


PICTURES: dict[str, Callable[[Any, pd.DataFrame], Any]] = {
    "importance": lambda model, frame: kb.plot_importance(model),
    "beeswarm": lambda model, frame: kb.plot_beeswarm(kb.explain(model, frame)),
    "contributions": lambda model, frame: kb.plot_contributions(kb.explain(model, frame)),
    "waterfall": lambda model, frame: kb.plot_waterfall(kb.explain(model, frame)[0]),
    "dependence": lambda model, frame: kb.plot_dependence(kb.explain(model, frame), "a"),
    "partial": lambda model, frame: kb.plot_partial_dependence(kb.partial_dependence(model, frame, "a")),
    "metric": lambda model, frame: kb.plot_metric(model),
}


@pytest.mark.parametrize("draw", PICTURES.values(), ids=PICTURES.keys())
def test_one_style(trained: tuple[Any, pd.DataFrame], draw: Callable[..., Any]) -> None:
    ax = draw(*trained)
    assert ax.get_title() == ""
    lines = [line for line in ax.get_xgridlines() + ax.get_ygridlines() if line.get_visible()]
    assert {line.get_color() for line in lines} == {GRID}
    assert not ax.spines["top"].get_visible()
    assert not any("-" in text.get_text() for text in ax.texts)
    plt.close("all")


def test_a_swarm_explains_its_grey(trained: tuple[Any, pd.DataFrame]) -> None:
    model, frame = trained
    explanation = kb.explain(model, frame)
    ax = kb.plot_beeswarm(explanation, max_display=2)
    assert ax.get_xlabel() == "SHAP value (effect on the log-odds of sick)\ngrey: categories"
    assert ax.get_yticklabels()[0].get_text() == "sum of 3 others"
    others = np.argsort(-np.abs(explanation.values).mean(axis=0), kind="stable")[2:]
    drawn = ax.collections[0].get_offsets()[:, 0]
    np.testing.assert_allclose(drawn, explanation.values[:, others].sum(axis=1), atol=1e-6)
    missing = frame.assign(a=np.where(np.arange(200) % 9 == 0, np.nan, frame.a))
    numbers = kb.train({}, kb.DMatrix(missing[["a", "b"]], label=frame.a), 3, verbose_eval=False)
    assert kb.plot_beeswarm(kb.explain(numbers, missing[["a", "b"]])).get_xlabel().endswith("\ngrey: missing values")
    plt.close("all")


def test_a_waterfall_tells_the_probability(trained: tuple[Any, pd.DataFrame]) -> None:
    model, frame = trained
    ax = kb.plot_waterfall(kb.explain(model, frame)[5])
    assert ax.get_xlabel() == "log-odds of sick (in brackets: probability)"
    probability = percent_text(float(model.predict_proba(frame)[5, 1]))
    assert any(text.get_text().startswith("this row") and f"({probability})" in text.get_text() for text in ax.texts)
    counts = kb.train({"objective": "count:poisson"}, kb.DMatrix(frame[["a", "b"]], label=np.arange(200) % 5), 3)
    ax = kb.plot_waterfall(kb.explain(counts, frame[["a", "b"]])[0])
    assert ax.get_xlabel() == "log of the prediction (in brackets: prediction)"
    plt.close("all")


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0 %"), (0.00085, "0.085 %"), (0.451, "45 %"), (0.9996, "99.96 %"), (0.999999, "99.99 %"), (1.0, "100 %")],
)
def test_shares(share: float, text: str) -> None:
    assert percent_text(share) == text
