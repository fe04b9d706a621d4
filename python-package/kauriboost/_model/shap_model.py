"""Conversion of a booster to the plain dictionary of trees that ``shap.TreeExplainer`` takes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._binding.errors import ModelError

_Tree = dict[str, Any]  # of arrays, one element per node; values [n_nodes, n_outputs]

# SHAP's names. For other objectives SHAP explains margins.
_OBJECTIVES = {"reg:squarederror": "squared_error", "binary:logistic": "binary_crossentropy"}
_OUTPUTS = {"binary:logistic": "log_odds", "reg:logistic": "log_odds"}


def shap_model(document: dict[str, Any], margins: np.ndarray) -> dict[str, Any]:
    """Return the trees of a model file as ``shap.TreeExplainer`` takes them.

    Parameters
    ----------
    document
        The file in the dialect 3.2, parsed.
    margins
        The model's margins for a row without any value: ``[n_outputs]``.

    Raises
    ------
    ModelError
        There are no trees, or some split on categories, which the dictionary cannot represent.
    """
    learner = document["learner"]
    gradient_booster = learner["gradient_booster"]
    model = gradient_booster.get("gbtree", gradient_booster)["model"]
    if not model.get("trees"):
        raise ModelError("the booster has no trees, which shap.TreeExplainer explains; train it with booster=gbtree.")
    weights = gradient_booster.get("weight_drop", np.ones(len(model["trees"])))
    trees = [_tree_of(*parts, len(margins)) for parts in zip(model["trees"], model["tree_info"], weights)]
    start = margins - np.sum([_value_of_missing(tree) for tree in trees], axis=0)
    objective = learner["objective"]["name"]
    return {
        "trees": trees,
        "base_offset": start if len(start) > 1 else float(start[0]),
        "input_dtype": np.float32,
        "internal_dtype": np.float32,
        "objective": _OBJECTIVES.get(objective),
        "tree_output": _OUTPUTS.get(objective, "raw_value"),
    }


def _tree_of(tree: dict[str, Any], output: int, weight: float, n_outputs: int) -> _Tree:
    """Return a tree of a model file in SHAP's form, which goes left if a value is at most the threshold."""
    if any(tree["split_type"]):
        raise ModelError(
            "a tree splits on categories, which SHAP's dictionaries cannot express; use kauriboost.explain."
        )
    left = np.asarray(tree["left_children"], np.int32)
    right = np.asarray(tree["right_children"], np.int32)
    numbers = np.asarray(tree["split_conditions"], np.float32)
    leaves = np.flatnonzero(left < 0)
    values = np.zeros((len(left), n_outputs))
    if "leaf_weights" in tree:  # vector leaves; `right_children` holds the row of the vector
        values[leaves] = np.reshape(tree["leaf_weights"], (-1, n_outputs))[right[leaves]] * weight
        right[leaves] = -1
    else:
        values[leaves, output] = numbers[leaves] * weight
    return {
        "children_left": left,
        "children_right": right,
        "children_default": np.where(np.asarray(tree["default_left"], bool), left, right),
        "features": np.where(left < 0, -2, np.asarray(tree["split_indices"], np.int32)),
        "thresholds": np.nextafter(numbers, np.float32(-np.inf)),  # our trees go left if a value is below the threshold
        "values": values,
        "node_sample_weight": np.asarray(tree["sum_hessian"], np.float64),
    }


def _value_of_missing(tree: _Tree) -> np.ndarray:
    """Return the leaf value of a row without values."""
    node = 0
    while tree["children_left"][node] >= 0:
        node = tree["children_default"][node]
    leaf: np.ndarray = tree["values"][node]
    return leaf
