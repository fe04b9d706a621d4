"""Reads model files with the XGBoost of this environment. Run by tests/conformance/test_model_readers.py.

Arguments: a folder with cases.json, the model files that it lists and the rows of each; the name of the file to write
there, with the margins or the error of each case.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import xgboost
from cases import Case, run


def margins_of(folder: Path, case: Case) -> np.ndarray:
    """Load the model and predict."""
    booster = xgboost.Booster(model_file=str(folder / case["file"]))
    types = case["feature_types"]
    rows = xgboost.DMatrix(
        np.load(folder / case["rows"]),
        feature_names=case["feature_names"],
        feature_types=types,
        enable_categorical=types is not None,
    )
    return booster.predict(rows, output_margin=True)


if __name__ == "__main__":
    run(sys.argv[1:], margins_of)
