"""Layout of the nodes of a tree, as close together as their texts allow, in inches.

The width of a subtree at each depth is given by its outermost nodes there. The second subtree of a node moves away from
the first until they do not overlap, and the parent is centred above them. `across` is measured along a level, `along`
from level to level; a tree that grows down has its levels below each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

GAP = 0.12  # between neighbours
LEVEL_GAP = 0.5  # between levels, for the lines and their labels
_LEAST_DISTANCE = 0.92  # between the children of a node, for the labels of both lines

# by depth below a node: start and end of its subtree, relative to the node's middle
Contour = list[tuple[float, float]]


@dataclass
class Branch:
    """The edge from a node to a child."""

    label: str
    takes_missing: bool
    node: PlacedNode


@dataclass
class PlacedNode:
    """A node, its text and its size; `spread` sets its position."""

    text: str
    across: float
    along: float
    value: float | None = None  # for a leaf with one number
    branches: list[Branch] = field(default_factory=list)
    place: float = 0.0  # position of its middle, along its level
    depth: int = 0

    def walk(self) -> Iterator[PlacedNode]:
        """Yield the node and all its descendants."""
        yield self
        for branch in self.branches:
            yield from branch.node.walk()


@dataclass
class Extent:
    """The size of a tree: start and end of its nodes along a level, and the middle of each level."""

    low: float
    high: float
    levels: list[float]
    depth_size: float


def _contour(node: PlacedNode) -> Contour:
    """Place the children relative to the middle of their parent; return the contour of the subtree."""
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
    """Set the position of every node below `root`; return the size of the tree."""
    contour = _contour(root)
    _move(root, 0.0, 0)
    sizes = [max(node.along for node in root.walk() if node.depth == depth) for depth in range(len(contour))]
    levels, at = [], 0.0
    for size in sizes:
        levels.append(at + size / 2)
        at += size + LEVEL_GAP
    return Extent(min(low for low, _ in contour), max(high for _, high in contour), levels, at - LEVEL_GAP)
