"""Trains with the XGBoost of this environment, and predicts with models of ours. Run by tests/conformance.

Argument: a folder with cases.json and, for case NAME, NAME.npz (features, label, weight) and NAME.ours.json, our model.
Writes for each case NAME.theirs.json, XGBoost's model, and NAME.theirs.npz, the predictions of both models.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import xgboost


def run(folder: Path, name: str, params: dict[str, Any], rounds: int) -> None:
    """Train and predict one case."""
    arrays = np.load(folder / f"{name}.npz")
    weight = arrays.get("weight")
    data = xgboost.DMatrix(arrays["features"], arrays["label"], weight=weight)
    own = xgboost.train(params, data, rounds)
    own.save_model(folder / f"{name}.theirs.json")
    ours = xgboost.Booster(model_file=str(folder / f"{name}.ours.json"))
    results = {
        f"{model}_{kind}": booster.predict(data, output_margin=kind == "margin")
        for model, booster in (("own", own), ("ours", ours))
        for kind in ("value", "margin")
    }
    np.savez(folder / f"{name}.theirs.npz", metric=float(own.eval(data).rsplit(":", 1)[1]), **results)


if __name__ == "__main__":
    for case in json.loads((Path(sys.argv[1]) / "cases.json").read_text()):
        run(Path(sys.argv[1]), **case)
