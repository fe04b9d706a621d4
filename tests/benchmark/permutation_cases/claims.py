"""Claims of the text about a table or figure, and whether they hold here."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Sheet:
    """Output of a command: lines, and a summary of claims at the end."""

    args: argparse.Namespace
    wrong: list[str] = field(default_factory=list)
    claims: list[tuple[str, bool]] = field(default_factory=list)

    def line(self, *cells: Any) -> None:
        """Print a line."""
        print("  ".join(str(cell) for cell in cells), flush=True)

    def require(self, what: str, holds: bool) -> None:
        """Require a bound of the specification, or a theorem: the command fails if it does not hold."""
        if not holds:
            self.wrong.append(what)
        self.line(f"bound: {what}: {'holds' if holds else 'DOES NOT HOLD'}")

    def claim(self, what: str, holds: bool) -> None:
        """Report whether an observation of the paper on its data holds here; the command does not fail if not."""
        self.claims.append((what, bool(holds)))
        self.line(f"claim: {what}: {'yes' if holds else 'not here'}")

    def end(self) -> int:
        """Print the outcome of the claims; returns the exit status."""
        if self.claims:
            self.line(f"{sum(holds for _, holds in self.claims)} of {len(self.claims)} claims hold here")
        for what in self.wrong:
            self.line(f"WRONG: {what}")
        return 1 if self.wrong else 0


def printed_and_ours(printed: float, ours: float) -> str:
    """Return the printed number, ours and their ratio, as the tables show them."""
    return f"printed {printed:<9.6g} ours {ours:<9.6g} ratio {ours / printed:.4f}"
