"""Reads model files with treelite, which rejects unknown members; nvForest and FIL read models through it."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import treelite
from cases import Case, run


def margins_of(folder: Path, case: Case) -> np.ndarray:
    """Load the model as strictly as possible, and predict."""
    choice = "json" if case["file"].endswith(".json") else "ubjson"
    model = treelite.frontend.load_xgboost_model(folder / case["file"], format_choice=choice, allow_unknown_field=False)
    return treelite.gtil.predict(model, np.load(folder / case["rows"]), pred_margin=True)


if __name__ == "__main__":
    run(sys.argv[1:], margins_of)
