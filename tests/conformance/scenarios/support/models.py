"""Operations on boosters used by many scenarios."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import xgboost as xgb

Params = dict[str, Any]
SMALL: Params = {"max_depth": 3, "eta": 0.3}


def learn(params: Params, features: Any, labels: Any, rounds: int = 6) -> xgb.Booster:
    """Train a few rounds on two arrays."""
    return xgb.train({**SMALL, **params}, xgb.DMatrix(features, labels), rounds)


def intercept(booster: xgb.Booster) -> np.ndarray:
    """Return the model's intercept, from its configuration."""
    model = json.loads(booster.save_config())["learner"]["learner_model_param"]
    return np.array(json.loads(model["base_score"]), np.float64).reshape(-1)


def fitted(params: Params, features: Any, labels: Any, rounds: int = 6) -> dict[str, Any]:
    """Train; return the intercept and the predictions of the training rows."""
    booster = learn(params, features, labels, rounds)
    return {"intercept": intercept(booster), "predictions": booster.predict(xgb.DMatrix(features))}


def curve(params: Params, data: xgb.DMatrix, rounds: int = 6, **options: Any) -> dict[str, Any]:
    """Train; return the metrics of each round on the training data."""
    history: dict[str, Any] = {}
    evals = [(data, "train")]
    xgb.train({**SMALL, **params}, data, rounds, evals=evals, evals_result=history, verbose_eval=False, **options)
    return {name: np.array(values) for name, values in history["train"].items()}


def trees(booster: xgb.Booster) -> list[list[Any]]:
    """Return the splits of each tree: columns, thresholds and defaults, without the leaves' values."""
    kept = []
    for text in booster.get_dump(dump_format="json"):
        kept.append(_splits(json.loads(text)))
    return kept


def _splits(node: dict[str, Any]) -> list[Any]:
    if "leaf" in node:
        return []
    own = [node["split"], node["split_condition"], node["missing"] == node["yes"]]
    return [own, *(_splits(child) for child in node["children"])]
