"""Predictions after each round, without evaluating earlier rounds again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .._data.matrix import DMatrix

# A function of held rows, the margins before some rounds (None: the model's start), and those rounds.
Stage = Callable[["HeldRows", Any, tuple[int, int]], np.ndarray]


class HeldRows:
    """Rows in the library's form, for several predictions with different base margins."""

    def __init__(self, data: DMatrix) -> None:
        self._data = data

    def starting_at(self, margins: Any) -> DMatrix:
        """Return the rows with these base margins; None leaves the rows unchanged."""
        if margins is not None:
            self._data.set_base_margin(margins)
        return self._data


def stages(rows: HeldRows, start: Any, rounds: range, margins_of: Stage, predict: Stage) -> Iterator[np.ndarray]:
    """Yield the result of `predict` after each round, starting from the margins before it."""
    margins = start
    for index in rounds:
        one = (index, index + 1)
        yield predict(rows, margins, one)
        margins = margins_of(rows, margins, one)
