"""Reads the pickled estimators of write_estimators.py, with the XGBoost of an environment or with Kauri in its place.

    read_estimators.py IN [kauri]

Prints the estimators that cannot be read, predict other values, lost parameters, or cannot be fitted or pickled again.
Runs on Python 3.9.
"""

from __future__ import annotations

import pickle
import sys
import warnings
from typing import Any

import numpy as np


def predictions(estimator: Any, X: np.ndarray) -> dict[str, np.ndarray]:
    """Return an estimator's predictions by method, and its importances; nothing unless it was fitted."""
    if not hasattr(estimator, "n_features_in_") or not estimator.__sklearn_is_fitted__():
        return {}
    methods = [name for name in ("predict", "predict_proba") if hasattr(estimator, name)]
    found = {name: np.asarray(getattr(estimator, name)(X)) for name in methods}
    return {**found, "importances": np.asarray(estimator.feature_importances_)}


def complaint(pickled: bytes, expected: dict[str, np.ndarray], params: dict[str, Any], X: np.ndarray) -> str | None:
    """Say what is wrong with an estimator, if anything is."""
    estimator = pickle.loads(pickled)
    for _ in range(2):  # first as read, then after our own pickle
        found = predictions(estimator, X)
        if list(found) != list(expected):
            return f"offers {list(found)}, not {list(expected)}"
        for method, values in found.items():
            if values.shape != expected[method].shape or np.abs(values - expected[method]).max() > 1e-5:
                return f"has other {method}"
        kept = estimator.get_params()
        lost = [name for name, value in params.items() if kept.get(name) is not value and kept.get(name) != value]
        lost = [name for name in lost if not (params[name] != params[name] and kept.get(name) != kept.get(name))]  # NaN
        if lost:
            return f"has other parameters {lost}"
        estimator = pickle.loads(pickle.dumps(estimator))
    return None


def main(path: str, *stand_in: str) -> None:
    """Read the file."""
    if stand_in == ("kauri",):
        import kauriboost

        kauriboost.install_as_xgboost()
    with open(path, "rb") as file:
        written = pickle.load(file)
    X, y = written["X"], written["y"]
    for name, (pickled, expected, params) in written["kinds"].items():
        try:
            found = complaint(pickled, expected, params, X)
            if found is not None:
                print(name, found)
            if name in ("regressor", "fresh"):
                again = pickle.loads(pickled).fit(X, y)
                if again.get_booster().num_boosted_rounds() != 4:
                    print(name, "is fitted otherwise")
        except Exception as error:  # the loop reports every failure
            print(name, type(error).__name__, error)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(*sys.argv[1:])
    print("read")
