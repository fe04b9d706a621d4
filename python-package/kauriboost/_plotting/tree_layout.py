"""Where the nodes of a tree stand: as close together as their texts allow, in inches.

A subtree is as wide at each depth as its outermost nodes there. Of two subtrees the second one moves away from the
first until they overlap nowhere, and their parent stands in the middle. `across` is measured along a level, `along`
from level to level; a tree that grows down has its levels below each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

GAP = 0.12  # between neighbours
LEVEL_GAP = 0.5  # between levels, for the lines and what they are called
_LEAST_DISTANCE = 0.92  # between the children of a node, for the texts of both lines

Contour = list[tuple[float, float]]  # by depth below a node: where its subtree begins and ends, from the node's middle


@dataclass
class Branch:
    """The way from a node to a child."""

    label: str
    takes_missing: bool
    node: PlacedNode


@dataclass
class PlacedNode:
    """A node, its text and its size; `spread` gives it its place."""

    text: str
    across: float
    along: float
    value: float | None = None  # of a leaf of one number
    branches: list[Branch] = field(default_factory=list)
    place: float = 0.0  # of its middle, along its level
    depth: int = 0

    def walk(self) -> Iterator[PlacedNode]:
        """Yield the node and all below it."""
        yield self
        for branch in self.branches:
            yield from branch.node.walk()


@dataclass
class Extent:
    """What a tree takes: where its nodes begin and end along a level, and the middle of each level."""

    low: float
    high: float
    levels: list[float]
    depth_size: float


def _contour(node: PlacedNode) -> Contour:
    """Place the children from the middle of their parent; return what the subtree takes."""
    own = (-node.across / 2, node.across / 2)
    if not node.branches:
        return [own]
    first, second = (branch.node for branch in node.branches)
    left, right = _contour(first), _contour(second)
    overlap = max(of_left[1] - of_right[0] for of_left, of_right in zip(left, right))
    half = max(overlap + GAP, _LEAST_DISTANCE) / 2
    first.place, second.place = -half, half
    below: Contour = []
    for depth in range(max(len(left), len(right))):
        low = left[depth][0] - half if depth < len(left) else right[depth][0] + half
        high = right[depth][1] + half if depth < len(right) else left[depth][1] - half
        below.append((low, high))
    return [own, *below]


def _move(node: PlacedNode, middle: float, depth: int) -> None:
    node.place += middle
    node.depth = depth
    for branch in node.branches:
        _move(branch.node, node.place, depth + 1)


def spread(root: PlacedNode) -> Extent:
    """Give every node below `root` its place; return what the tree takes."""
    contour = _contour(root)
    _move(root, 0.0, 0)
    sizes = [max(node.along for node in root.walk() if node.depth == depth) for depth in range(len(contour))]
    levels, at = [], 0.0
    for size in sizes:
        levels.append(at + size / 2)
        at += size + LEVEL_GAP
    return Extent(min(low for low, _ in contour), max(high for _, high in contour), levels, at - LEVEL_GAP)
