"""Names appear unchanged in plots: two dollar signs are not a formula."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import kauriboost as kb
import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

mpl.use("Agg")

NAMES = ["price $a_b$", "$_x^{$", "_tax in \\$ or US$"]
CATEGORIES = ["$10$ and $20$", "_$$", "plain"]


def make_frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    columns = [pd.Categorical(rng.choice(CATEGORIES, 120), CATEGORIES), rng.normal(size=120), rng.normal(size=120)]
    return pd.DataFrame(dict(zip(NAMES, columns, strict=True)))


@pytest.fixture(scope="module")
def trained() -> tuple[kb.Booster, pd.DataFrame]:
    frame = make_frame()
    y = (frame[NAMES[0]] == "plain") + frame[NAMES[1]] * frame[NAMES[2]]
    return kb.train({"max_depth": 3}, kb.DMatrix(frame, y), 6, verbose_eval=False), frame


def interactions(booster: kb.Booster, frame: pd.DataFrame) -> Any:
    return kb.plot_interactions(kb.explain(booster, frame, interactions=True))


PICTURES: dict[str, Callable[[kb.Booster, pd.DataFrame], Any]] = {
    "importance": lambda booster, frame: kb.plot_importance(booster),
    "scores": lambda booster, frame: kb.plot_importance(dict.fromkeys(NAMES, 1.5)),
    "beeswarm": lambda booster, frame: kb.plot_beeswarm(kb.explain(booster, frame)),
    "contributions": lambda booster, frame: kb.plot_contributions(kb.explain(booster, frame)),
    "waterfall": lambda booster, frame: kb.plot_waterfall(kb.explain(booster, frame)[0]),
    "interactions": interactions,
    **{
        f"dependence of {x} by {color}": lambda booster, frame, x=x, color=color: kb.plot_dependence(
            kb.explain(booster, frame), x, color=color
        )
        for x, color in ((0, 1), (1, 0), (2, 2))
    },
}


@pytest.mark.parametrize("draw", PICTURES.values(), ids=PICTURES.keys())
def test_names_are_as_written(trained: Any, draw: Callable[..., Any], tmp_path: Path) -> None:
    axes = draw(*trained)
    axes.figure.savefig(tmp_path / "picture.png")  # the names are invalid formulas and would raise
    texts = [text for text in axes.figure.findobj(Text) if "$" in text.get_text()]
    shown = " ".join(text.get_text() for text in texts)
    assert [text.get_text() for text in texts if text.get_parse_math()] == []
    assert any(name in shown for name in NAMES)


def test_titles_of_the_user_may_be_formulas(trained: Any) -> None:
    axes = kb.plot_importance(trained[0], title="$x^2$", xlabel="$y$")
    assert axes.title.get_parse_math()
    assert axes.xaxis.label.get_parse_math()
