"""Trains boosters of many kinds with the XGBoost of an environment and writes their snapshots: write_snapshots.py OUT.

Kinds that the version does not support are left out. Runs on Python 3.9.
"""

from __future__ import annotations

import pickle
import sys
import warnings
from typing import Any

import numpy as np
import xgboost as xgb


def problem() -> tuple[np.ndarray, np.ndarray]:
    """Return features with missing values, and a label from below 0 to above 1."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 5)).astype(np.float32)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) ** 2


def kinds(y: np.ndarray) -> dict[str, tuple[dict[str, Any], np.ndarray, dict[str, Any]]]:
    """Return parameters, labels and further arguments of the matrix, by name."""
    positive, yes = np.maximum(y, 0.1), (y > 0.5).astype(np.float32)
    queries = {"group": [50] * 4}
    limits = {"interaction_constraints": "[[0,1],[2,3]]", "monotone_constraints": "(1,0,0,0,0)"}
    return {
        "default": ({"max_depth": 3, "eval_metric": ["mae", "rmse"]}, y, {}),
        "limits": ({"objective": "binary:logistic", "eval_metric": "error@0.3", **limits}, yes, {}),
        "softprob": ({"objective": "multi:softprob", "num_class": 3}, np.digitize(y, [0.0, 1.0]), {}),
        "dart": ({"booster": "dart", "rate_drop": 0.3, "num_parallel_tree": 2}, y, {}),
        "linear": ({"booster": "gblinear", "updater": "coord_descent"}, y, {}),
        "poisson": ({"objective": "count:poisson"}, positive, {}),
        "tweedie": ({"objective": "reg:tweedie", "tweedie_variance_power": 1.3}, positive, {}),
        "aft": (
            {"objective": "survival:aft"},
            positive,
            {"label_lower_bound": positive, "label_upper_bound": positive},
        ),
        "cox": ({"objective": "survival:cox"}, positive, {}),
        "ndcg": ({"objective": "rank:ndcg"}, yes, queries),
        "unbiased": ({"objective": "rank:ndcg", "lambdarank_unbiased": True}, yes, queries),
        "quantile": ({"objective": "reg:quantileerror", "quantile_alpha": [0.1, 0.9]}, y, {}),
        "expectile": ({"objective": "reg:expectileerror", "expectile_alpha": [0.2, 0.8]}, y, {}),
        "absolute": ({"objective": "reg:absoluteerror", "tree_method": "approx"}, y, {}),
        "hinge": ({"objective": "binary:hinge", "tree_method": "exact"}, yes, {}),
        "lossguide": ({"tree_method": "hist", "grow_policy": "lossguide", "max_leaves": 5}, y, {}),
        "vectors": ({"multi_strategy": "multi_output_tree", "tree_method": "hist"}, np.c_[y, -y], {}),
        "updater": ({"updater": "grow_colmaker,prune"}, y, {}),
    }


def main(out: str) -> None:
    """Write {"X": features, "kinds": {name: (snapshot, margins, labels, matrix arguments, rounds)}}."""
    X, y = problem()
    written = {}
    for name, (params, labels, more) in kinds(y).items():
        data = xgb.DMatrix(X, labels, **more)
        for rounds in (0, 5) if name == "default" else (5,):
            try:
                booster = xgb.train(params, data, rounds)
            except xgb.core.XGBoostError:
                continue
            snapshot = bytes(booster.__getstate__()["handle"])
            margins = booster.predict(data, output_margin=True) if rounds else None
            written[name if rounds else "untrained"] = (snapshot, margins, labels, more, rounds)
    with open(out, "wb") as file:
        pickle.dump({"X": X, "kinds": written}, file)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    xgb.set_config(verbosity=0)
    main(sys.argv[1])
