"""Trees as tables."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from .._binding.errors import DataError


def _nodes(dump: list[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (tree number, node) for all nodes of the trees, given as JSON dumps."""
    for tree, text in enumerate(dump):
        nodes = [json.loads(text)]
        while nodes:
            node = nodes.pop()
            yield tree, node
            nodes += node.get("children", [])


def _node_row(tree: int, node: dict[str, Any]) -> dict[str, Any]:
    row = {"Tree": tree, "Node": node["nodeid"], "ID": f"{tree}-{node['nodeid']}", "Cover": node["cover"]}
    if "leaf" in node:
        return {**row, "Feature": "Leaf", "Gain": node["leaf"], "Category": np.nan}
    branches = {name: f"{tree}-{node[name.lower()]}" for name in ("Yes", "No", "Missing") if name.lower() in node}
    condition = node.get("split_condition")
    split = {"Category": list(map(str, condition))} if isinstance(condition, list) else {"Split": condition}
    return {"Category": None, **row, "Feature": node["split"], "Gain": node["gain"], **branches, **split}


def trees_to_dataframe(dump: list[str]) -> Any:
    """Return a frame with one row per node of the trees, given as JSON dumps with statistics."""
    import pandas as pd

    if any("nodeid" not in json.loads(text) for text in dump):
        raise DataError("a linear model has no trees to show; its weights are in `coef_` and `get_dump()`.")
    rows = [_node_row(tree, node) for tree, node in _nodes(dump)]
    columns = ["Tree", "Node", "ID", "Feature", "Split", "Yes", "No", "Missing", "Gain", "Cover", "Category"]
    frame = pd.DataFrame(rows, columns=columns)
    frame["Split"] = frame["Split"].astype(np.float64)
    return frame.sort_values(["Tree", "Node"]).reset_index(drop=True)


def _as_dumped(name: str) -> str:
    """Return a feature's name as dumps show it: dumps are UTF-8, and any other byte of the name is replaced."""
    return re.sub("[\udc80-\udcff]", "\ufffd", name)


def split_value_histogram(dump: list[str], feature: str, bins: int | None, as_pandas: bool) -> Any:
    """Return the upper ends of histogram bins of a feature's thresholds, and their counts, from JSON dumps."""
    name = _as_dumped(feature)
    conditions = [node.get("split_condition") for _, node in _nodes(dump) if node.get("split") == name]
    if any(isinstance(condition, list) for condition in conditions):
        raise DataError(f"{feature!r} is split by categories, which have no thresholds; see trees_to_dataframe().")
    values = [float(condition) for condition in conditions if condition is not None]  # a split on an indicator has none
    n_different = max(len(set(values)), 1)
    counts, ends = np.histogram(values, bins=n_different if bins is None else max(min(bins, n_different), 1))
    table = np.column_stack((ends[1:], counts))[counts > 0]
    if as_pandas:
        try:
            import pandas as pd
        except ImportError:
            return table
        return pd.DataFrame(table, columns=["SplitValue", "Count"])
    return table
