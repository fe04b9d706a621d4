"""Writes small models of CatBoost in its JSON format, with rows and what CatBoost answers for them.

    build-peers/quality/bin/python tests/peers/write_catboost.py tests/python/forests/catboost_cases.json

The file in the repository was written by CatBoost 1.2.10. Of `model_info` only what a reader may use is kept.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import catboost
import numpy as np

N_KEPT = 8  # rows in the file
RANDOM = np.random.default_rng(7)
ROWS = RANDOM.normal(size=(300, 4)).astype(np.float32)
WHOLE = np.column_stack([ROWS[:, :2], RANDOM.integers(0, 5, 300)])
HOLES = np.where(RANDOM.random(ROWS.shape) < 0.15, np.nan, ROWS).astype(np.float32)
TARGET = ROWS[:, 0] * 2 + ROWS[:, 1] * ROWS[:, 2]
COLOURS = np.array(["red", "green", "blue", "a colour of many words"])[RANDOM.integers(0, 4, 300)]
SETTINGS = {"iterations": 3, "depth": 2, "verbose": 0, "allow_writing_files": False, "thread_count": 1}


def case_of(model: Any, rows: np.ndarray, **more: Any) -> dict[str, Any]:
    """Return a model, rows, and CatBoost's raw predictions and SHAP values for them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save_model(str(path), format="json")
        document = json.loads(path.read_text())
    info = document["model_info"]
    kept = {key: info[key] for key in ("class_params", "loss_function") if key in info}
    kept["catboost_version_info"] = f"Branch: tags/v{catboost.__version__}"
    if "params" in info:
        kept["params"] = {"loss_function": info["params"]["loss_function"]}
    document["model_info"] = kept
    shown = rows[:N_KEPT]
    pool = catboost.Pool(shown, cat_features=model.get_cat_feature_indices())
    contributions = model.get_feature_importance(pool, type="ShapValues")
    return {
        "model": document,
        "rows": [[None if cell != cell else cell for cell in row] for row in shown.tolist()],
        "raw": np.asarray(model.predict(shown, prediction_type="RawFormulaVal")).tolist(),
        "contributions": np.asarray(contributions).tolist(),
        **more,
    }


def main(path: str) -> None:
    """Train the models and write the file."""
    three, two = np.digitize(TARGET, [-1, 1]), (TARGET > -1).astype(int)
    numbers = np.empty((300, 2), dtype=object)
    numbers[:, 0], numbers[:, 1] = ROWS[:, 0].tolist(), WHOLE[:, 2].astype(int).tolist()
    texts = np.empty((300, 2), dtype=object)
    texts[:, 0], texts[:, 1] = ROWS[:, 0].tolist(), COLOURS.tolist()
    with_codes, with_texts = TARGET + WHOLE[:, 2], TARGET + 3 * (COLOURS == "red") - (COLOURS == "blue")
    one_hot = {"one_hot_max_size": 10, "cat_features": [1]}
    statistics = {"one_hot_max_size": 2, "cat_features": [1]}
    regressor, classifier = catboost.CatBoostRegressor, catboost.CatBoostClassifier
    marked = np.column_stack([np.where(RANDOM.random(300) < 0.3, np.nan, ROWS[:, 0] > 0), ROWS[:, 1]])
    marked[:2, 0] = np.finfo(np.float32).max, -np.finfo(np.float32).max
    is_missing = np.isnan(marked[:, 0]) + TARGET / 9
    mean, count = (
        regressor(loss_function=loss, **SETTINGS).fit(ROWS, np.exp(TARGET / 3)) for loss in ("RMSE", "Poisson")
    )
    names = ["red", "green", "blue", "a colour of many words"]
    cases = {
        "regression": case_of(regressor(**SETTINGS).fit(HOLES, TARGET), HOLES),
        "missing is greatest": case_of(regressor(nan_mode="Max", **SETTINGS).fit(HOLES, TARGET), HOLES),
        "missing or not": case_of(regressor(nan_mode="Max", **SETTINGS).fit(marked, is_missing), marked),
        "sum": case_of(catboost.sum_models([mean, count]), ROWS),
        "sum of counts": case_of(catboost.sum_models([count, count]), ROWS),
        "nested": case_of(regressor(grow_policy="Depthwise", **SETTINGS).fit(ROWS, TARGET), ROWS),
        "three classes": case_of(classifier(**SETTINGS).fit(ROWS, three), ROWS),
        "one against all": case_of(classifier(loss_function="MultiClassOneVsAll", **SETTINGS).fit(ROWS, three), ROWS),
        "two classes": case_of(classifier(boost_from_average=True, **SETTINGS).fit(ROWS, two), ROWS),
        "counts": case_of(regressor(loss_function="Poisson", **SETTINGS).fit(ROWS, np.exp(TARGET / 3)), ROWS),
        "whole numbers": case_of(regressor(**one_hot, **SETTINGS).fit(numbers, with_codes), numbers),
        "texts": case_of(regressor(**one_hot, **SETTINGS).fit(texts, with_texts), texts, categories={"1": names}),
        "statistics": case_of(regressor(**statistics, **SETTINGS).fit(texts, with_texts), texts),
    }
    Path(path).write_text(json.dumps(cases, ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
