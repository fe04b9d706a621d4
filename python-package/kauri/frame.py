"""Trees as a pandas frame."""

from __future__ import annotations

import json
from typing import Any

import numpy as np


def _node_row(tree: int, node: dict[str, Any]) -> dict[str, Any]:
    row = {"Tree": tree, "Node": node["nodeid"], "ID": f"{tree}-{node['nodeid']}", "Cover": node["cover"]}
    if "leaf" in node:
        return {**row, "Feature": "Leaf", "Gain": node["leaf"], "Category": np.nan}
    branches = {name: f"{tree}-{node[name.lower()]}" for name in ("Yes", "No", "Missing") if name.lower() in node}
    condition = node.get("split_condition")
    split = {"Category": list(map(str, condition))} if isinstance(condition, list) else {"Split": condition}
    return {"Category": None, **row, "Feature": node["split"], "Gain": node["gain"], **branches, **split}


def trees_to_dataframe(dump: list[str]) -> Any:
    """Return a frame with a row per node of the trees, which are JSON dumps with statistics."""
    import pandas as pd

    rows = []
    for tree, text in enumerate(dump):
        nodes = [json.loads(text)]
        while nodes:
            node = nodes.pop()
            rows.append(_node_row(tree, node))
            nodes += node.get("children", [])
    columns = ["Tree", "Node", "ID", "Feature", "Split", "Yes", "No", "Missing", "Gain", "Cover", "Category"]
    frame = pd.DataFrame(rows, columns=columns)
    frame["Split"] = frame["Split"].astype(np.float64)
    return frame.sort_values(["Tree", "Node"]).reset_index(drop=True)
