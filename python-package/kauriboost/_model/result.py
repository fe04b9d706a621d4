"""Parts of the results of searches and of distilling: such a result holds a booster, and stands in for it."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from .booster import Booster
from .classes import codes_of


class ModelResult:
    """A result with a `booster` and the names of its classes, which reports, plots and explanations take as a model."""

    booster: Booster
    classes_: np.ndarray | None

    def get_booster(self) -> Booster:
        """Return `booster`, as estimators do, so that explanations, plots and reports take this result."""
        return self.booster

    def _encode(self, y: Any) -> Any:
        """Return labels as numbers: the indices of classes."""
        return y if self.classes_ is None else codes_of(y, self.classes_)

    def _rounds(self, iteration_range: tuple[int, int] | None) -> tuple[int, int]:
        return iteration_range or (0, 0)

    def export(
        self, fname: str | os.PathLike[str], target: str | None = None, test: bool = False, contributions: bool = False
    ) -> str | None:
        """Write the model as C, SQL, ONNX, WebAssembly or Treelite; see `Booster.export`."""
        return self.booster.export(fname, target, test, contributions)

    def save_model(self, fname: str | os.PathLike[str], dialect: str | None = None) -> None:
        """Write the model to a file; see `Booster.save_model`."""
        self.booster.save_model(fname, dialect)
