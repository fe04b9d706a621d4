"""Pickles of version 0.1.0, when every module lay in one folder, still load; those made now name public modules."""

from __future__ import annotations

import gzip
import pickle
import pickletools
from pathlib import Path
from typing import Any

import kauri
import numpy as np
import pytest
from kauri import callback
from kauri.sklearn import KauriClassifier, KauriRanker, KauriRegressor, KauriRFClassifier, KauriRFRegressor

FILE = Path(__file__).parent / "pickles" / "version_0_1_0.pkl.gz"
CLASSES = {
    "booster": kauri.Booster,
    "regressor": KauriRegressor,
    "classifier": KauriClassifier,
    "ranker": KauriRanker,
    "forest": KauriRFRegressor,
    "forest_classifier": KauriRFClassifier,
    "explanation": kauri.Explanation,
    "stopping": callback.EarlyStopping,
}
CALLBACKS = [callback.EvaluationMonitor, callback.LearningRateScheduler, callback.TrainingCheckPoint]


@pytest.fixture(scope="module")
def saved() -> dict[str, Any]:
    return pickle.loads(gzip.decompress(FILE.read_bytes()))


def test_old_pickles_load(saved: dict[str, Any]) -> None:
    assert {name: type(value) for name, value in saved["objects"].items()} == CLASSES
    assert [type(each) for each in saved["objects"]["regressor"].callbacks] == CALLBACKS
    assert saved["objects"]["explanation"].values.shape == (2, 2)


@pytest.mark.parametrize("name", ["booster", "classifier", "ranker", "forest"])
def test_old_models_predict_what_they_did(saved: dict[str, Any], name: str) -> None:
    rows = saved["rows"] if name != "booster" else kauri.DMatrix(saved["rows"], feature_names=["a", "b"])
    np.testing.assert_array_equal(saved["objects"][name].predict(rows), saved["predictions"][name])


@pytest.mark.parametrize("name", CLASSES)
def test_new_pickles_name_public_modules(saved: dict[str, Any], name: str) -> None:
    written = pickle.dumps(saved["objects"][name])
    texts = [argument for _, argument, _ in pickletools.genops(written) if isinstance(argument, str)]
    modules = {text for text in texts if text.split(".")[0] == "kauri"}
    assert modules
    assert not any(part.startswith("_") for text in modules for part in text.split(".")), modules
    assert type(pickle.loads(written)) is CLASSES[name]
