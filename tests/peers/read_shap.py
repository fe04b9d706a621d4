"""Reads model files with shap's own loader, and sums up its values to the margin of each row."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import shap
import xgboost
from cases import Case, run


class FileBooster(xgboost.Booster):
    """A booster that returns the bytes of its file, instead of XGBoost's own bytes."""

    def __init__(self, path: Path) -> None:
        super().__init__(model_file=str(path))
        self._bytes = path.read_bytes()

    def save_raw(self, raw_format: str = "ubj") -> bytearray:
        assert raw_format == "ubj"
        return bytearray(self._bytes)


def margins_of(folder: Path, case: Case) -> np.ndarray:
    """Load the model's trees and explain the rows against ten of them."""
    rows = np.load(folder / case["rows"])
    background = np.nan_to_num(rows[:10])
    explainer = shap.TreeExplainer(FileBooster(folder / case["file"]), background)
    values = explainer.shap_values(rows, check_additivity=False)
    return values.sum(axis=1) + explainer.expected_value


if __name__ == "__main__":
    run(sys.argv[1:], margins_of)
