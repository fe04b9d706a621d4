"""Conversion of a forest to a document in XGBoost's format, which the library reads and validates like any model.

The document is written as UBJSON, whose arrays equal those in memory except for the byte order, because a forest may
have 10^7 nodes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._binding.errors import ModelError
from .._data.categories import CategoryNames
from .trees import ForestTree, columns_with_categories

_MARKERS = {
    np.dtype(np.int8): b"i",
    np.dtype(np.uint8): b"U",
    np.dtype(np.int32): b"l",
    np.dtype(np.int64): b"L",
    np.dtype(np.float32): b"d",
}


@dataclass(frozen=True)
class Forest:
    """Trees, and the meaning of their sums."""

    trees: Sequence[ForestTree]
    n_features: int
    objective: str
    base_score: Sequence[float]  # one for each output, on the scale of predictions
    n_classes: int = 0  # for an objective with classes; otherwise 0
    trees_in_round: int = 1
    feature_names: Sequence[str] = ()
    category_names: Mapping[int, CategoryNames] = field(default_factory=dict)  # by column; category c has the c-th name


def model_bytes(forest: Forest) -> bytes:
    """Return a model file."""
    n_outputs = len(forest.base_score)
    with_categories = {*columns_with_categories(forest.trees), *forest.category_names}
    types = ["c" if column in with_categories else "q" for column in range(forest.n_features)]
    ends = np.arange(0, len(forest.trees) + forest.trees_in_round, forest.trees_in_round, dtype=np.int32)
    numbers = {
        "base_score": "[" + ",".join(f"{np.float32(score):.9g}" for score in forest.base_score) + "]",
        "boost_from_average": "0",
        "num_class": str(forest.n_classes),
        "num_feature": str(forest.n_features),
        "num_target": str(1 if forest.n_classes else n_outputs),
    }
    model = {
        "gbtree_model_param": {"num_parallel_tree": "1", "num_trees": str(len(forest.trees))},
        "iteration_indptr": ends,
        "tree_info": np.array([tree.output for tree in forest.trees], dtype=np.int32),
        "trees": [_tree(number, tree, forest.n_features) for number, tree in enumerate(forest.trees)],
        "cats": _names(forest),
    }
    objective: dict[str, Any] = {"name": forest.objective}
    if forest.n_classes:
        objective["softmax_multiclass_param"] = {"num_class": str(forest.n_classes)}
    learner = {
        "attributes": {},
        "feature_names": list(forest.feature_names),
        "feature_types": types if with_categories else [],
        "gradient_booster": {"model": model, "name": "gbtree"},
        "learner_model_param": numbers,
        "objective": objective,
    }
    return b"".join(_ubjson({"learner": learner, "version": [3, 2, 0]}))


_INT64 = 15  # type number in this format


def _names(forest: Forest) -> dict[str, Any]:
    """Return the format's object for the names of categories."""
    if not forest.category_names:
        return {"enc": [], "feature_segments": [], "sorted_idx": []}
    encoded, orders, sizes = [], [np.empty(0, np.int32)], [0]
    for column in range(forest.n_features):
        names = list(forest.category_names.get(column, []))
        sizes.append(len(names))
        if names and isinstance(names[0], int):
            encoded.append({"type": _INT64, "values": np.array(names, dtype=np.int64)})
            orders.append(np.argsort(np.array(names), kind="stable").astype(np.int32))
            continue
        texts = [str(name).encode() for name in names]
        lengths = np.cumsum([0, *map(len, texts)], dtype=np.int32) if texts else np.empty(0, np.int32)
        encoded.append({"offsets": lengths, "values": np.frombuffer(b"".join(texts), dtype=np.int8)})
        signed = [np.frombuffer(text, dtype=np.int8).tolist() for text in texts]  # bytes are compared as signed numbers
        orders.append(np.array(sorted(range(len(texts)), key=signed.__getitem__), dtype=np.int32))
    return {
        "enc": encoded,
        "feature_segments": np.cumsum(sizes, dtype=np.int32),
        "sorted_idx": np.concatenate(orders),
    }


def category_names(levels: Sequence[Any], what: str) -> CategoryNames:
    """Return the levels of a column in Kauri's form of category names: whole numbers or texts.

    Raises
    ------
    ModelError
        A level is a number with a fraction. `what` begins the message.
    """
    if any(isinstance(level, (float, np.floating)) and not float(level).is_integer() for level in levels):
        raise ModelError(
            f"{what} has categories such as {levels[0]!r}, which are no whole numbers. Fit on codes, or on texts."
        )
    are_numbers = all(isinstance(each, (int, float, np.number)) and not isinstance(each, bool) for each in levels)
    return [int(level) for level in levels] if are_numbers else [str(level) for level in levels]


def _tree(number: int, tree: ForestTree, n_features: int) -> dict[str, Any]:
    """Return the format's object for a tree."""
    is_leaf = np.asarray(tree.left) < 0
    values = np.asarray(tree.values, dtype=np.float32).reshape(len(is_leaf), -1)
    right, parents = np.array(tree.right, dtype=np.int32), np.full(len(is_leaf), np.iinfo(np.int32).max, dtype=np.int32)
    for children in (np.asarray(tree.left), np.asarray(tree.right)):
        inner = np.flatnonzero(~is_leaf & (children >= 0) & (children < len(is_leaf)))  # the reader rejects others
        parents[children[inner]] = inner
    with_leaves: dict[str, Any] = {}
    threshold = np.array(tree.threshold, dtype=np.float32)
    if tree.leaf_size > 1:
        right[is_leaf] = np.arange(np.count_nonzero(is_leaf))
        with_leaves["leaf_weights"] = values[is_leaf].ravel()
    else:
        threshold[is_leaf] = values[is_leaf, 0]
    split_type = np.zeros(len(is_leaf), dtype=np.uint8)
    nodes = sorted(tree.categories)
    split_type[nodes] = 1
    threshold[nodes] = 0
    sets = [np.unique(np.asarray(tree.categories[node], dtype=np.int32)) for node in nodes]
    sizes = np.array([len(each) for each in sets], dtype=np.int64)
    return {
        "base_weights": np.where(is_leaf[:, None], values, np.float32(0)).ravel(),
        "categories": np.concatenate([np.empty(0, np.int32), *sets]),
        "categories_nodes": np.array(nodes, dtype=np.int32),
        "categories_segments": (np.cumsum(sizes) - sizes).astype(np.int64),
        "categories_sizes": sizes,
        "default_left": np.where(is_leaf, 0, tree.default_left).astype(np.uint8),
        "id": number,
        "left_children": np.asarray(tree.left, dtype=np.int32),
        "loss_changes": np.zeros(len(is_leaf), dtype=np.float32),
        "parents": parents,
        "right_children": right,
        "split_conditions": threshold,
        "split_indices": np.where(is_leaf, 0, tree.feature).astype(np.int32),
        "split_type": split_type,
        "sum_hessian": np.asarray(tree.cover, dtype=np.float32),
        "tree_param": {
            "num_deleted": "0",
            "num_feature": str(n_features),
            "num_nodes": str(len(is_leaf)),
            "size_leaf_vector": str(tree.leaf_size),
        },
        **with_leaves,
    }


def _ubjson(value: Any) -> list[bytes]:
    """Return the encoded pieces of a value."""
    if isinstance(value, np.ndarray):
        big_endian = value.astype(value.dtype.newbyteorder(">"))
        return [b"[$", _MARKERS[value.dtype], b"#", _length(len(value)), big_endian.tobytes()]
    if isinstance(value, Mapping):
        items = [piece for key, each in value.items() for piece in (_text(key), *_ubjson(each))]
        return [b"{", *items, b"}"]
    if isinstance(value, (list, tuple)):
        return [b"[", *(piece for each in value for piece in _ubjson(each)), b"]"]
    if isinstance(value, str):
        return [b"S", _text(value)]
    return [_length(value)]


def _length(number: int) -> bytes:
    return b"L" + int(number).to_bytes(8, "big", signed=True)


def _text(text: str) -> bytes:
    content = text.encode()
    return _length(len(content)) + content
