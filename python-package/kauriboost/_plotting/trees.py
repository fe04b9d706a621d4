"""Single trees as graphs for Graphviz."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from .._model.booster import Booster


def _graphviz() -> Any:
    try:
        import graphviz
    except ImportError as error:
        raise ImportError("drawing trees needs the Python package graphviz: pip install graphviz.") from error
    return graphviz


def require_tree_number(tree_idx: Any) -> None:
    """Raise TypeError unless the number of a tree is a whole number."""
    if isinstance(tree_idx, bool) or not isinstance(tree_idx, (int, np.integer)):
        raise TypeError(f"tree_idx is {tree_idx!r}; expected the number of a tree. A file of names is passed as fmap=.")


def _dot_format(options: dict[str, dict[str, Any]]) -> str:
    given = {group: {name: str(value) for name, value in values.items()} for group, values in options.items() if values}
    return f"dot:{json.dumps(given)}" if given else "dot"


def to_graphviz(
    booster: Booster | Any,
    tree_idx: int = 0,
    *,
    fmap: str | os.PathLike[str] = "",
    rankdir: str | None = None,
    yes_color: str | None = None,
    no_color: str | None = None,
    condition_node_params: dict[str, Any] | None = None,
    leaf_node_params: dict[str, Any] | None = None,
    with_stats: bool = False,
    **graph: Any,
) -> Any:
    """Return a tree as a Graphviz graph; needs the Python package ``graphviz``, which `plot_tree` does not.

    Parameters
    ----------
    booster
        A Booster, or a fitted estimator of `kauriboost.sklearn`.
    tree_idx
        Number of the tree, from 0. A round has one or more trees, see ``num_parallel_tree`` and ``multi_strategy``.
    fmap
        A file of feature names; the booster's own by default.
    rankdir
        Direction of growth, for example ``"TB"`` (down) or ``"LR"`` (to the right).
    yes_color, no_color
        Colours of the edge for missing values, and of the other edge.
    condition_node_params, leaf_node_params
        Graphviz attributes of nodes: ``{"shape": "box", "style": "filled", "fillcolor": "#dde8f0"}``.
    with_stats
        Show gain and cover.
    **graph
        Graphviz attributes of the graph.

    Returns
    -------
    graphviz.Source
        The graph: ``render("tree", format="png")`` writes a file, and notebooks show it.
    """
    graphviz = _graphviz()
    require_tree_number(tree_idx)
    model = booster if isinstance(booster, Booster) else booster.get_booster()
    colors = {"yes_color": yes_color, "no_color": no_color}
    options = {
        "labels": {"categories": "names"},
        "graph_attrs": {**({} if rankdir is None else {"rankdir": rankdir}), **graph},
        "edge": {name: color for name, color in colors.items() if color is not None},
        "condition_node_params": condition_node_params or {},
        "leaf_node_params": leaf_node_params or {},
    }
    trees = model.get_dump(fmap, with_stats, _dot_format(options))
    if not 0 <= tree_idx < len(trees):
        raise IndexError(f"there is no tree {tree_idx}; the booster has {len(trees)}, from 0.")
    return graphviz.Source(trees[tree_idx])
