"""What the text says of a table or figure, and whether it holds here."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Sheet:
    """What a command prints: lines, and claims at the end."""

    args: argparse.Namespace
    wrong: list[str] = field(default_factory=list)
    claims: list[tuple[str, bool]] = field(default_factory=list)

    def line(self, *cells: Any) -> None:
        """Print a line."""
        print("  ".join(str(cell) for cell in cells), flush=True)

    def require(self, what: str, holds: bool) -> None:
        """A bound of the specification, or a theorem: the command fails where it does not hold."""
        if not holds:
            self.wrong.append(what)
        self.line(f"bound: {what}: {'holds' if holds else 'DOES NOT HOLD'}")

    def claim(self, what: str, holds: bool) -> None:
        """What the paper saw on its data: told, not asked for."""
        self.claims.append((what, bool(holds)))
        self.line(f"claim: {what}: {'yes' if holds else 'not here'}")

    def end(self) -> int:
        """Print what came of the claims; the exit status."""
        if self.claims:
            self.line(f"{sum(holds for _, holds in self.claims)} of {len(self.claims)} claims hold here")
        for what in self.wrong:
            self.line(f"WRONG: {what}")
        return 1 if self.wrong else 0


def printed_and_ours(printed: float, ours: float) -> str:
    """Three numbers as the tables show them."""
    return f"printed {printed:<9.6g} ours {ours:<9.6g} ratio {ours / printed:.4f}"
