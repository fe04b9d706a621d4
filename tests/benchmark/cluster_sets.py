"""Five real data sets for the engines of clusters, and the models that one process learns from them.

Each kind of input occurs once: dense numbers, sparse numbers, categories as texts, queries, and several targets. The
scripts cluster_*.py of the engines learn from the same rows and compare the bytes of the models.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("KAURI_DATA", ROOT.parent / "shared" / "data"))
LABEL, QUERY = "label", "query"  # names of columns for engines with data frames
SHORT = {"n_estimators": 20, "max_depth": 6, "learning_rate": 0.3}


class ClusterSet(NamedTuple):
    """A data set, and the estimator that learns from it."""

    name: str
    kind: str
    estimator: str  # a class of kauriboost
    params: dict[str, Any]
    features: Any  # a frame of float32 and texts, or a SciPy matrix in which values that are not there are missing
    label: np.ndarray  # [n_rows] or [n_rows, n_targets]
    query: np.ndarray | None = None  # of each row, ascending


# Name of the set, kind of input, estimator, parameters besides SHORT.
_SETS: list[tuple[str, str, str, dict[str, Any]]] = [
    ("protein", "dense", "KauriRegressor", {"subsample": 0.8, "random_state": 3}),
    ("a9a", "sparse", "KauriClassifier", {"colsample_bytree": 0.7, "random_state": 4}),
    ("adult", "categories", "KauriClassifier", {"subsample": 0.7, "random_state": 5}),
    ("lambdarank", "ranking", "KauriRanker", {}),
    ("wq", "several targets", "KauriRegressor", {"subsample": 0.9, "random_state": 6}),
]


def cluster_sets(names: list[str] | None = None) -> list[ClusterSet]:
    """Return the sets, or those with these names. Raises FileNotFoundError without the data."""
    if not (DATA / "load.py").is_file():
        raise FileNotFoundError(f"there are no real data sets at {DATA}; say where they are in KAURI_DATA.")
    sys.path.insert(0, str(DATA))
    from load import load

    found = []
    for name, kind, estimator, params in _SETS:
        if names and name not in names:
            continue
        X, y, extras = load(name)
        group = extras.get("group")
        query = None if group is None else np.repeat(np.arange(len(group)), np.asarray(group, dtype=np.int64))
        features = X if hasattr(X, "tocsr") else _frame(X, extras)
        found.append(ClusterSet(name, kind, estimator, {**SHORT, **params}, features, np.asarray(y, float), query))
    return found


def _frame(X: np.ndarray, extras: dict[str, Any]) -> pd.DataFrame:
    """Return a frame in which categories are texts."""
    frame = pd.DataFrame(X, columns=extras["feature_names"]).astype(np.float32)
    for column, names in (extras.get("categories") or {}).items():
        codes = X[:, column]
        texts = np.asarray(names, dtype=object)[np.nan_to_num(codes).astype(int)]
        frame[frame.columns[column]] = np.where(np.isnan(codes), None, texts)
    return frame


def model_of_one_process(each: ClusterSet) -> bytes:
    """Return the bytes of the model that one process learns."""
    import kauriboost as kb

    queries = {} if each.query is None else {"qid": each.query}
    estimator = getattr(kb, each.estimator)(**each.params).fit(each.features, each.label, **queries)
    return bytes(estimator.get_booster().save_raw())
