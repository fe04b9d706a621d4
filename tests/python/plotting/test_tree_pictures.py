"""Trees drawn by Matplotlib: nothing overlaps, "yes" is on one side, texts are short."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import kauriboost as kb
import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

mpl.use("Agg")
pd = pytest.importorskip("pandas")

RNG = np.random.default_rng(3)
N = 600
LONG = "a name that is much too long for one line of a node"
TOWNS = ["Berlin", "Oslo", "Paris", "Roma", "Vaduz", "Wien", "a town whose name has no end and nobody can read"]


def make_frame() -> Any:
    return pd.DataFrame(
        {
            LONG: RNG.normal(size=N) * 1e-3,
            "town": pd.Categorical(RNG.choice(TOWNS, N)),
            "count $n$": RNG.integers(0, 2_000_000, N),
            "flag": RNG.random(N) < 0.5,
        }
    )


FRAME = make_frame()
LABEL = (
    np.sin(np.arange(N)) + FRAME["town"].cat.codes % 3 + FRAME["count $n$"] / 1e6 * (FRAME[LONG] > 0) * FRAME["flag"]
)


@pytest.fixture(scope="module")
def booster() -> kb.Booster:
    return kb.train({"max_depth": 4, "max_cat_to_onehot": 1}, kb.DMatrix(FRAME, LABEL), 3)


@pytest.fixture(autouse=True)
def _no_pictures_left() -> Iterator[None]:
    yield
    plt.close("all")


def boxes_of(ax: Any) -> list[Any]:
    """Return the frames of the nodes on the canvas."""
    ax.figure.canvas.draw()
    nodes = [text for text in ax.texts if text.get_bbox_patch() and text.get_bbox_patch().get_linewidth() < 1.0]
    return [text.get_bbox_patch().get_window_extent() for text in nodes]


@pytest.mark.parametrize("how", [{}, {"rankdir": "LR"}, {"with_stats": True}, {"with_stats": True, "rankdir": "LR"}])
@pytest.mark.parametrize("tree", [0, 2])
def test_nothing_overlaps_and_all_is_inside(booster: kb.Booster, tree: int, how: dict[str, Any]) -> None:
    ax = kb.plot_tree(booster, tree_idx=tree, **how)
    boxes = boxes_of(ax)
    assert len(boxes) == booster.get_dump()[tree].count("\n")
    for first, second in itertools.combinations(boxes, 2):
        assert not first.overlaps(second)
    figure = ax.figure.bbox
    assert all(figure.x0 <= box.x0 and box.x1 <= figure.x1 for box in boxes)
    assert all(figure.y0 <= box.y0 and box.y1 <= figure.y1 for box in boxes)


def test_default_size_is_that_of_the_tree(booster: kb.Booster) -> None:
    small = kb.plot_tree(kb.train({"max_depth": 1}, kb.DMatrix(FRAME, LABEL), 1)).figure.get_size_inches()
    large = kb.plot_tree(booster)
    assert large.figure.get_size_inches()[0] > 2 * small[0]
    assert {text.get_fontsize() for text in large.texts} == {7.0, 9.0}  # no text is shrunk


def test_given_axes_shrink_the_texts(booster: kb.Booster) -> None:
    ax = kb.plot_tree(booster, ax=plt.subplots(figsize=(5, 3))[1])
    assert max(text.get_fontsize() for text in ax.texts) < 9
    for first, second in itertools.combinations(boxes_of(ax), 2):
        assert not first.overlaps(second)


@pytest.mark.parametrize("rankdir", ["TB", "LR"])
def test_branches_reach_their_boxes_on_axes_that_are_too_large(booster: kb.Booster, rankdir: str) -> None:
    ax = kb.plot_tree(booster, rankdir=rankdir, ax=plt.subplots(figsize=(60, 40))[1])
    ax.figure.canvas.draw()
    boxes = [box.frozen().padded(1) for box in boxes_of(ax)]
    assert len(ax.lines) == len(boxes) - 1
    for line in ax.lines:
        for x, y in ax.transData.transform(line.get_xydata())[[0, -1]]:
            assert any(box.contains(x, y) for box in boxes)


@pytest.mark.parametrize("rankdir", ["TB", "LR"])
def test_yes_is_on_one_side(booster: kb.Booster, rankdir: str) -> None:
    ax = kb.plot_tree(booster, rankdir=rankdir)
    ax.figure.canvas.draw()
    ways = [(line, text) for line, text in zip(ax.lines, branch_texts(ax), strict=True)]
    for line, text in ways:
        (x0, y0), *_, (x1, y1) = ax.transData.transform(line.get_xydata())
        towards = (x1 - x0) if rankdir == "TB" else (y0 - y1)
        assert (towards < 0) == text.startswith("yes")
    assert sum("missing" in text for _, text in ways) >= len(ways) / 2 - 8  # not for flags


def branch_texts(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.texts if text.get_text().partition(",")[0] in ("yes", "no")]


def test_texts(booster: kb.Booster) -> None:
    shown = [text.get_text() for tree in range(3) for text in kb.plot_tree(booster, tree_idx=tree).texts]
    lines = [line for text in shown for line in text.split("\n")]
    assert max(map(len, lines)) <= 30
    assert "count $n$" in lines
    assert any(line.startswith("is ") and any(town in line for town in TOWNS) for line in lines)
    assert not any(text.get_parse_math() for text in kb.plot_tree(booster).texts if "$" in text.get_text())
    stats = " ".join(text.get_text() for text in kb.plot_tree(booster, with_stats=True).texts)
    assert "gain " in stats
    assert "cover " in stats


def test_vector_leaves_and_stumps() -> None:
    both = np.column_stack([LABEL, -LABEL])
    vectors = kb.train({"multi_strategy": "multi_output_tree", "max_depth": 1}, kb.DMatrix(FRAME, both), 1)
    leaves = [text.get_text() for text in kb.plot_tree(vectors).texts if "\n\N{MINUS SIGN}" in text.get_text()]
    assert leaves
    stump = kb.plot_tree(kb.train({"gamma": 1e9}, kb.DMatrix(FRAME, LABEL), 1))
    assert len(stump.texts) == 1


def test_a_legend_explains_the_colours(booster: kb.Booster) -> None:
    ax = kb.plot_tree(booster, 2)  # the number may stand without its name
    assert texts_of(ax) == texts_of(kb.plot_tree(booster, tree_idx=2))
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend == ["missing values go this way", "leaf lowers the sum", "leaf raises the sum"]
    ax.figure.canvas.draw()
    frame = ax.get_legend().get_window_extent()
    assert not any(frame.overlaps(box) for box in boxes_of(ax))
    assert "gain " in " ".join(texts_of(ax))
    assert "gain " not in " ".join(texts_of(kb.plot_tree(booster, 2, with_stats=False)))
    with pytest.raises(TypeError, match=r"tree_idx is 'names\.txt'; expected the number of a tree"):
        kb.plot_tree(booster, "names.txt")


def texts_of(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.texts]


def test_what_cannot_be_drawn(booster: kb.Booster) -> None:
    with pytest.raises(IndexError, match="there is no tree 3; the booster has 3"):
        kb.plot_tree(booster, tree_idx=3)
    with pytest.raises(ValueError, match="rankdir is 'RL'"):
        kb.plot_tree(booster, rankdir="RL")
    numbers = FRAME[[LONG, "flag"]]
    with pytest.raises(ValueError, match="gblinear' has no trees"):
        kb.plot_tree(kb.train({"booster": "gblinear"}, kb.DMatrix(numbers, LABEL), 1))
