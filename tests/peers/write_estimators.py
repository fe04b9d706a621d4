"""Fits estimators with the XGBoost of an environment and writes their pickles: write_estimators.py OUT.

Runs on Python 3.9.
"""

from __future__ import annotations

import pickle
import sys
import warnings
from typing import Any

import numpy as np
import xgboost as xgb
from read_estimators import predictions


def problem() -> tuple[np.ndarray, np.ndarray]:
    """Return features with missing values, and a number to predict."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(200, 4)).astype(np.float32)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) ** 2


def fitted(X: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """Return estimators by name."""
    few: dict[str, Any] = {"n_estimators": 4, "max_depth": 3, "n_jobs": 1}
    yes, classes = (y > 0.5).astype(int), np.digitize(y, [0.0, 1.0])
    stopping = {"early_stopping_rounds": 2, "eval_metric": "logloss"}
    return {
        "regressor": xgb.XGBRegressor(**few, subsample=0.8, monotone_constraints="(1,0,0,0)").fit(X, y),
        "classifier": xgb.XGBClassifier(**few).fit(X, yes),
        "classes": xgb.XGBClassifier(**few).fit(X, classes),
        "stopped": xgb.XGBClassifier(**few, **stopping).fit(X, yes, eval_set=[(X, yes)], verbose=False),
        "ranker": xgb.XGBRanker(**few).fit(X, yes, group=[50] * 4),
        "forest": xgb.XGBRFRegressor(**few).fit(X, y),
        "forest of classes": xgb.XGBRFClassifier(**few).fit(X, classes),
        "dart": xgb.XGBRegressor(**few, booster="dart", rate_drop=0.2).fit(X, y),
        "fresh": xgb.XGBRegressor(**few),
    }


def main(out: str) -> None:
    """Write {"X": features, "y": labels, "kinds": {name: (pickle, predictions, parameters)}}."""
    X, y = problem()
    kinds = {
        name: (pickle.dumps(estimator), predictions(estimator, X), estimator.get_params())
        for name, estimator in fitted(X, y).items()
    }
    with open(out, "wb") as file:
        pickle.dump({"X": X, "y": y, "kinds": kinds}, file, protocol=4)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    xgb.set_config(verbosity=0)
    main(*sys.argv[1:])
    print("written")
