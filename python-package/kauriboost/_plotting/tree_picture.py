"""Plots of single trees with Matplotlib."""

from __future__ import annotations

import json
import os
import textwrap
from typing import Any

from .._model.booster import Booster
from .parts import AS_WRITTEN, BLUE, GREY, RED, number_text, signed
from .tree_layout import Branch, Extent, PlacedNode, spread
from .trees import require_tree_number

_FONT_SIZE = 9.0
_LINE = _FONT_SIZE * 1.25 / 72  # inches
_PAD = 0.07
_WIDEST_NAME = 20  # maximum number of letters of a name per line
_LEGEND = 0.5  # height of the legend's three lines, in inches
_MOST_CATEGORIES = 4
_LARGEST = 150.0  # maximum size in inches; a larger picture is scaled down


def plot_tree(
    booster: Booster | Any,
    tree_idx: int = 0,
    *,
    fmap: str | os.PathLike[str] = "",
    rankdir: str = "TB",
    ax: Any = None,
    with_stats: bool = True,
    yes_color: str = BLUE,
    no_color: str = GREY,
) -> Any:
    """Draw a tree with Matplotlib. The "yes" branch is on the left, or above if the tree grows to the right.

    Numbers have four digits; `get_dump` has all digits, and `to_graphviz` makes a graph for other tools.

    Parameters
    ----------
    booster
        A Booster, or a fitted estimator of `kauriboost.sklearn`.
    tree_idx
        Number of the tree, from 0. A round has one or more trees, see ``num_parallel_tree`` and ``multi_strategy``.
    fmap
        A file of feature names; the booster's own by default.
    rankdir
        Direction of growth: ``"TB"``, down, or ``"LR"``, to the right, which suits long names.
    ax
        Matplotlib axes to draw on, with texts shrunk to fit; by default new ones in the size of the tree.
    with_stats
        Show the gain of each split, and the cover of each node: its sum of hessians, which is the number of its rows
        for the squared error.
    yes_color, no_color
        Colours of the branch for missing values, and of the other branch.

    Returns
    -------
    matplotlib.axes.Axes
    """
    require_tree_number(tree_idx)
    if rankdir not in ("TB", "LR"):
        raise ValueError(f"rankdir is {rankdir!r}; expected 'TB' (down) or 'LR' (to the right).")
    root = _nodes(_tree(booster, fmap, tree_idx), with_stats, rankdir == "TB")
    extent = spread(root)
    room = _LEGEND if root.branches else 0.0
    if rankdir == "TB":
        extent.depth_size += room
    else:
        extent.high += room
    size = (extent.high - extent.low + 2 * _PAD, extent.depth_size + 2 * _PAD)
    picture = _Picture(extent, rankdir == "TB", {True: yes_color, False: no_color})
    ax = picture.axes(ax, size)
    for node in root.walk():
        picture.draw(ax, node)
    picture.explain_colors(ax, root)
    return ax


def _tree(booster: Booster | Any, fmap: str | os.PathLike[str], tree_idx: int) -> dict[str, Any]:
    model = booster if isinstance(booster, Booster) else booster.get_booster()
    trees = model.get_dump(fmap, True, "json", category_names=True)
    if not 0 <= tree_idx < len(trees):
        raise IndexError(f"there is no tree {tree_idx}; the booster has {len(trees)}, from 0.")
    tree: dict[str, Any] = json.loads(trees[tree_idx])
    if "nodeid" not in tree:
        raise ValueError("a model of booster='gblinear' has no trees to draw; see plot_importance.")
    return tree


def _nodes(node: dict[str, Any], with_stats: bool, is_down: bool) -> PlacedNode:
    """Return a node of a dump with its descendants, and the sizes of their texts."""
    lines = _leaf_lines(node) if "leaf" in node else _split_lines(node)
    if with_stats:
        lines += [f"{name} {signed(number_text(node[name], 4))}" for name in ("gain", "cover") if name in node]
    width, height = max(map(_width, lines)) + 2 * _PAD, len(lines) * _LINE + 2 * _PAD
    across, along = (width, height) if is_down else (height, width)
    value = node.get("leaf")
    placed = PlacedNode("\n".join(lines), across, along, value if isinstance(value, (int, float)) else None)
    below = {child["nodeid"]: child for child in node.get("children", [])}
    for label in ("yes", "no") if below else ():
        takes_missing = node.get("missing") == node[label]
        child = _nodes(below[node[label]], with_stats, is_down)
        placed.branches.append(Branch(label, takes_missing, child))
    return placed


def _leaf_lines(node: dict[str, Any]) -> list[str]:
    leaf = node["leaf"]
    values = leaf if isinstance(leaf, list) else [leaf]
    return [signed(number_text(value, 4)) for value in values[:4]] + (["…"] if len(values) > 4 else [])


def _split_lines(node: dict[str, Any]) -> list[str]:
    """Return the feature's name, on several lines if it is long, and the condition."""
    name = textwrap.wrap(node["split"], _WIDEST_NAME) or [node["split"]]
    condition = node.get("split_condition")
    if isinstance(condition, list):
        shown = [textwrap.shorten(str(category), _WIDEST_NAME, placeholder="…") or "…" for category in condition]
        if len(shown) > _MOST_CATEGORIES:
            shown[_MOST_CATEGORIES - 1 :] = [f"+{len(shown) - _MOST_CATEGORIES + 1}"]
        return [*name, *textwrap.wrap("is " + ", ".join(shown), _WIDEST_NAME + 8)]
    return name if condition is None else [*name, f"< {signed(number_text(condition, 4))}"]


def _width(text: str) -> float:
    """Return the width of a line in inches."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    width: float = text_to_path.get_text_width_height_descent(text, FontProperties(size=_FONT_SIZE), False)[0]
    return width / 72


class _Picture:
    """Draws the nodes and branches of a tree with a computed layout."""

    def __init__(self, extent: Extent, is_down: bool, colors: dict[bool, str]) -> None:
        self._extent = extent
        self._is_down = is_down
        self._colors = colors
        self._scale = 1.0

    def axes(self, ax: Any, size: tuple[float, float]) -> Any:
        """Return axes in inches: the given ones, or new ones of the required size."""
        import matplotlib.pyplot as plt

        width, height = size if self._is_down else size[::-1]
        if ax is None:
            shrunk = min(1.0, _LARGEST / max(width, height))
            figure = plt.figure(figsize=(max(width * shrunk, 1.5), max(height * shrunk, 1.0)))
            ax = figure.add_axes((0, 0, 1, 1))
        box = ax.get_window_extent()
        dpi = ax.figure.dpi
        self._scale = min(1.0, box.width / dpi / width, box.height / dpi / height)
        low, high, deep = self._extent.low - _PAD, self._extent.high + _PAD, self._extent.depth_size + _PAD
        ax.set_xlim(*((low, high) if self._is_down else (-_PAD, deep)))
        ax.set_ylim(*((deep, -_PAD) if self._is_down else (high, low)))
        ax.axis("off")
        return ax

    def _point(self, place: float, level: float) -> tuple[float, float]:
        return (place, level) if self._is_down else (level, place)

    def draw(self, ax: Any, node: PlacedNode) -> None:
        """Draw a node and its branches."""
        level = self._extent.levels[node.depth]
        for branch in node.branches:
            self._draw_branch(ax, node, branch)
        frame = GREY if node.value is None else BLUE if node.value < 0 else RED
        box = {"boxstyle": f"round,pad={_PAD * 36 / _FONT_SIZE:.3f}", "linewidth": 0.8 * self._scale}
        fill = {"facecolor": "#eef2f7" if node.branches else "white", "edgecolor": frame}
        size = _FONT_SIZE * self._scale
        how = {"ha": "center", "va": "center", "linespacing": 1.15, "fontsize": size, "bbox": {**box, **fill}}
        ax.text(*self._point(node.place, level), node.text, **how, **AS_WRITTEN)

    def explain_colors(self, ax: Any, root: PlacedNode) -> None:
        """Write below the tree what the colours of its branches and leaves mean."""
        if not root.branches:
            return
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        values = [node.value for node in root.walk() if node.value is not None]
        shown: list[tuple[Any, str]] = [
            (Line2D([], [], color=self._colors[True], linewidth=1.2), "missing values go this way")
        ]
        shown += [(Patch(facecolor="white", edgecolor=BLUE), "leaf lowers the sum")] * any(x < 0 for x in values)
        shown += [(Patch(facecolor="white", edgecolor=RED), "leaf raises the sum")] * any(x >= 0 for x in values)
        how = {"frameon": False, "fontsize": (_FONT_SIZE - 2) * self._scale, "borderpad": 0, "borderaxespad": 0.2}
        ax.legend(*zip(*shown), loc="lower left", labelspacing=0.2, handlelength=1.4, **how)

    def _draw_branch(self, ax: Any, node: PlacedNode, branch: Branch) -> None:
        begin = self._extent.levels[node.depth] + node.along / 2
        end = self._extent.levels[branch.node.depth] - branch.node.along / 2
        color = self._colors[branch.takes_missing]
        points = [self._point(node.place, begin), self._point(branch.node.place, end)]
        # Extend the line into the boxes, which hide it. On axes larger than the tree, boxes are smaller than their
        # places.
        levels = [self._extent.levels[one.depth] for one in (node, branch.node)]
        corners = [self._point(node.place, levels[0]), *points, self._point(branch.node.place, levels[1])]
        ax.plot(*zip(*corners), color=color, linewidth=1.2 * self._scale, zorder=0, solid_capstyle="round")
        middle = [sum(parts) / 2 for parts in zip(*points)]
        text = f"{branch.label}, missing" if branch.takes_missing else branch.label
        size = (_FONT_SIZE - 2) * self._scale
        box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
        ax.text(*middle, text, ha="center", va="center", fontsize=size, color=color, bbox=box, zorder=1)
