"""Trees of a UBJSON model file as NumPy arrays, and the counts of the SHAP paper.

The reader is independent, so that counts do not come from the measured library. Format: one character per type, then
the value, big-endian; arrays of one type are written as ``[$ type # count`` and their bytes.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

import numpy as np

_NUMBERS = {"i": "b", "U": "B", "I": "h", "l": "i", "L": "q", "d": "f", "D": "d"}
_ARRAYS = {name: np.dtype(f">{code}") for name, code in _NUMBERS.items()}
_WORDS = {"T": True, "F": False, "Z": None}


class _Reader:
    """A UBJSON document with a read position."""

    def __init__(self, document: bytes | bytearray) -> None:
        self.bytes = memoryview(document)
        self.at = 0

    def take(self, count: int) -> memoryview:
        part = self.bytes[self.at : self.at + count]
        self.at += count
        return part

    def type(self) -> str:
        return chr(self.take(1)[0])

    def number(self, kind: str) -> Any:
        code = ">" + _NUMBERS[kind]
        return struct.unpack(code, self.take(struct.calcsize(code)))[0]

    def text(self) -> str:
        return str(self.take(self.number(self.type())), "utf-8")

    def value(self, kind: str) -> Any:
        if kind in _WORDS:
            return _WORDS[kind]
        if kind == "S":
            return self.text()
        if kind == "{":
            return self.object()
        return self.array() if kind == "[" else self.number(kind)

    def array(self) -> Any:
        kind = self.type()
        if kind == "$":
            kind, mark = self.type(), self.type()
            count = self.number(self.type())
            assert mark == "#"
            dtype = _ARRAYS[kind]
            return np.frombuffer(self.take(count * dtype.itemsize), dtype=dtype)
        if kind == "#":
            return [self.value(self.type()) for _ in range(self.number(self.type()))]
        values = []
        while kind != "]":
            values.append(self.value(kind))
            kind = self.type()
        return values

    def object(self) -> dict[str, Any]:
        members: dict[str, Any] = {}
        while chr(self.bytes[self.at]) != "}":
            name = self.text()
            members[name] = self.value(self.type())
        self.at += 1
        return members


def read_ubjson(document: bytes | bytearray) -> dict[str, Any]:
    """Return the document as dictionaries, lists and, if all elements have one type, arrays."""
    reader = _Reader(document)
    return reader.value(reader.type())


@dataclass
class Shape:
    """Counts of table 3 and table 5 of the paper."""

    trees: int
    leaves: int
    depth: int
    tree_leaves: np.ndarray  # [trees]
    path_sizes: np.ndarray  # [leaves] of uint8: distinct features between root and leaf, plus one for the path itself


def shape_of(document: bytes | bytearray) -> Shape:
    """Count trees, leaves, depth and path sizes. Leaves are in the order of trees and nodes."""
    booster = read_ubjson(document)["learner"]["gradient_booster"]
    trees = booster.get("gbtree", booster)["model"]["trees"]
    depth, sizes = 0, []
    for tree in trees:
        tree_depth, tree_sizes = _paths_of_tree(tree)
        depth = max(depth, tree_depth)
        sizes.append(tree_sizes)
    path_sizes = np.concatenate(sizes) if sizes else np.zeros(0, dtype=np.uint8)
    return Shape(len(trees), len(path_sizes), depth, np.array([len(part) for part in sizes]), path_sizes)


def _paths_of_tree(tree: dict[str, Any]) -> tuple[int, np.ndarray]:
    """Return depth and path sizes of one tree. Works level by level; each node carries its path's features."""
    left, right, feature = (
        np.asarray(tree[name], dtype=np.int64) for name in ("left_children", "right_children", "split_indices")
    )
    nodes = np.zeros(1, dtype=np.int64)
    path = np.zeros((1, 0), dtype=np.int64)  # [nodes, levels]: the features split above, -1 for a repeated one
    found: list[tuple[np.ndarray, np.ndarray]] = []
    while len(nodes) > 0:
        is_leaf = left[nodes] == -1
        found.append((nodes[is_leaf], (path[is_leaf] >= 0).sum(axis=1) + 1))
        inner, above = nodes[~is_leaf], path[~is_leaf]
        own = feature[inner][:, None]
        own = np.where((above == own).any(axis=1, keepdims=True), -1, own)
        nodes = np.concatenate([left[inner], right[inner]])
        path = np.tile(np.concatenate([above, own], axis=1), (2, 1))
    leaves = np.concatenate([part for part, _ in found])
    sizes = np.concatenate([part for _, part in found]).astype(np.uint8)
    return len(found) - 1, sizes[np.argsort(leaves)]
