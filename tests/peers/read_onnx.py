"""Reads model files with XGBoost, converts them with onnxmltools, and predicts with onnxruntime."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import onnxruntime
import xgboost
from cases import Case, run
from onnxmltools import convert_xgboost
from onnxmltools.convert.common.data_types import FloatTensorType


def margins_of(folder: Path, case: Case) -> np.ndarray:
    """Convert, predict, and turn the objective's predictions back into margins."""
    rows = np.load(folder / case["rows"])
    booster = xgboost.Booster(model_file=str(folder / case["file"]))
    booster.feature_names = None  # the converter accepts only f0, f1, ...
    onnx = convert_xgboost(booster, initial_types=[("rows", FloatTensorType([None, rows.shape[1]]))])
    session = onnxruntime.InferenceSession(onnx.SerializeToString(), providers=["CPUExecutionProvider"])
    values = session.run(None, {"rows": rows})[-1].astype(np.float64)
    objective = json.loads(booster.save_config())["learner"]["objective"]["name"]
    if objective in ("count:poisson", "reg:gamma", "reg:tweedie"):
        return np.log(values)
    return np.log(values[:, 1] / values[:, 0]) if objective.startswith("binary:") else values


if __name__ == "__main__":
    run(sys.argv[1:], margins_of)
