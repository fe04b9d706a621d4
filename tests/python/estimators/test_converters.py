"""The attributes of estimators that converters such as onnxmltools read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pytest

X = np.random.default_rng(0).normal(size=(120, 3)).astype(np.float32)
CODES = np.digitize(X[:, 0], [-0.5, 0.5])


@pytest.mark.parametrize(
    ("estimator", "y", "objective"),
    [
        (kb.KauriRegressor, X[:, 0], "reg:squarederror"),
        (kb.KauriClassifier, CODES > 0, "binary:logistic"),
        (kb.KauriClassifier, CODES, "multi:softprob"),
        (kb.KauriRFClassifier, CODES > 0, "binary:logistic"),
    ],
)
def test_the_objective_and_a_missing_value_are_there(estimator: Any, y: Any, objective: str) -> None:
    model = estimator(n_estimators=3)
    assert "objective" not in model.get_xgb_params()
    model.fit(X, y)
    assert model.get_xgb_params() == {**model.get_booster_params(), "objective": objective}
    assert model.kwargs == {}
    assert "kwargs" not in vars(model)
    assert np.isnan(model.missing)
    assert model.get_params()["objective"] is None
    assert not hasattr(model, "best_iteration")


def test_what_is_given_stays() -> None:
    model = kb.KauriRegressor(n_estimators=3, objective="reg:quantileerror", quantile_alpha=0.3).fit(X, X[:, 0])
    assert model.kwargs == {"quantile_alpha": 0.3}
    expected = {"objective": "reg:quantileerror", "quantile_alpha": 0.3}
    assert model.get_xgb_params().items() >= expected.items()


def test_onnxmltools_converts_estimators() -> None:
    """Convert in a process in which Kauri stands in for XGBoost; tests/peers/use_tools.py does it for more models."""
    pytest.importorskip("onnxmltools")
    pytest.importorskip("onnxruntime")
    peers = Path(__file__).resolve().parents[2] / "peers"
    subprocess.run([sys.executable, "use_tools.py", "onnxmltools"], check=True, cwd=peers)
