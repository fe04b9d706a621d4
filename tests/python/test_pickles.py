"""Pickles name public modules, so that they survive a move of the code; objects work after reading."""

from __future__ import annotations

import pickle
import pickletools
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from kauriboost import callback

ROWS = np.random.default_rng(3).normal(size=(60, 2)).astype(np.float32)
MODELS = ["booster", "regressor", "classifier", "ranker", "forest", "forest_classifier"]
LABELS = (ROWS[:, 0] > 0).astype(int)


def make() -> dict[str, Any]:
    few: dict[str, Any] = {"n_estimators": 2, "max_depth": 2}
    booster = kb.train({"max_depth": 2}, kb.DMatrix(ROWS, LABELS), 2)
    schedule = callback.LearningRateScheduler([0.3, 0.2])
    return {
        "booster": booster,
        "regressor": kb.KauriRegressor(**few, callbacks=[schedule]).fit(ROWS, LABELS),
        "classifier": kb.KauriClassifier(**few).fit(ROWS, LABELS),
        "ranker": kb.KauriRanker(**few).fit(ROWS, LABELS, group=[30, 30]),
        "forest": kb.KauriRFRegressor(**few).fit(ROWS, LABELS),
        "forest_classifier": kb.KauriRFClassifier(**few).fit(ROWS, LABELS),
        "explanation": kb.explain(booster, ROWS[:2]),
        "stopping": callback.EarlyStopping(rounds=3),
        "monitor": callback.EvaluationMonitor(),
        "checkpoints": callback.TrainingCheckPoint("models"),
    }


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    return make()


@pytest.mark.parametrize(
    "name",
    [
        "booster",
        "regressor",
        "classifier",
        "ranker",
        "forest",
        "forest_classifier",
        "explanation",
        "stopping",
        "monitor",
        "checkpoints",
    ],
)
def test_pickles_name_public_modules(made: dict[str, Any], name: str) -> None:
    written = pickle.dumps(made[name])
    texts = [argument for _, argument, _ in pickletools.genops(written) if isinstance(argument, str)]
    modules = {text for text in texts if text.split(".")[0] == "kauriboost"}
    assert modules
    assert not any(part.startswith("_") for text in modules for part in text.split(".")), modules
    assert type(pickle.loads(written)) is type(made[name])


@pytest.mark.parametrize("name", MODELS)
def test_models_predict_what_they_did(made: dict[str, Any], name: str) -> None:
    rows = kb.DMatrix(ROWS) if name == "booster" else ROWS
    again = pickle.loads(pickle.dumps(made[name]))
    np.testing.assert_array_equal(again.predict(rows), made[name].predict(rows))
