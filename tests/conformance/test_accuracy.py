"""Training on real data with XGBoost's parameters: equally good models, and the same splits except for rounding.

Needs the real data sets (`KAURI_DATA`, by default `../shared/data` beside the project) and is skipped without them.
"""

from __future__ import annotations

import functools
import json
import os
import sys
from pathlib import Path

import kauriboost as kb
import numpy as np
import pytest

xgboost = pytest.importorskip("xgboost")

DATA = Path(os.environ.get("KAURI_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
if not (DATA / "load.py").is_file():
    pytest.skip(f"no real data sets at {DATA}", allow_module_level=True)
sys.path.insert(0, str(DATA))
from load import load  # noqa: E402

SETS = {
    "adult": ({"objective": "binary:logistic", "eval_metric": "logloss"}, 100, None),
    "california": ({"objective": "reg:squarederror", "eval_metric": "rmse"}, 100, None),
    "covtype": ({"objective": "multi:softprob", "num_class": 7, "eval_metric": "mlogloss"}, 5, 60_000),
}
# XGBoost's quantile sketch depends on the order of the rows: on adult its logloss varies by 0.3 % between orders. So
# hist is compared over a few orders.
ORDERS = {"exact": 1, "hist": 4}
TOLERANCE = {"exact": 0.001, "hist": 0.002}


@functools.cache
def split(name: str, limit: int | None) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return train and test features and labels; a fixed fifth is held out if the set has no test part."""
    features, labels, extras = load(name)
    if "X_test" in extras:
        return features, labels, extras["X_test"], extras["y_test"]
    order = np.random.default_rng(0).permutation(len(labels))[:limit]
    held = len(order) // 5
    return features[order[held:]], labels[order[held:]], features[order[:held]], labels[order[:held]]


def splits_of(booster: object) -> list[set[tuple]]:
    """Return for every tree the set of (path, feature, threshold, default side)."""
    trees = []
    for text in booster.get_dump(dump_format="json"):
        found: set[tuple] = set()
        stack = [("", json.loads(text))]
        while stack:
            path, node = stack.pop()
            if "leaf" in node:
                continue
            found.add((path, node["split"], node["split_condition"], node["missing"] == node["yes"]))
            stack += [(path + side, child) for side, child in zip("LR", node["children"], strict=True)]
        trees.append(found)
    return trees


@pytest.mark.parametrize("method", ["exact", "hist"])
@pytest.mark.parametrize("name", list(SETS))
def test_as_good_as_xgboost(name: str, method: str, record_property: pytest.RecordProperty) -> None:
    params, rounds, limit = SETS[name]
    params = {**params, "tree_method": method, "max_depth": 6, "eta": 0.1, "nthread": 2}
    features, labels, test, test_labels = split(name, limit)
    metrics: dict[str, list[float]] = {"kauri": [], "xgboost": []}
    boosters = {}
    for order in range(ORDERS[method]):
        rows = np.random.default_rng(order).permutation(len(labels)) if order > 0 else np.arange(len(labels))
        for name_of_library, library in (("kauri", kb), ("xgboost", xgboost)):
            train, held = library.DMatrix(features[rows], labels[rows]), library.DMatrix(test, test_labels)
            result: dict = {}
            boosters[name_of_library] = library.train(
                params, train, rounds, evals=[(held, "test")], evals_result=result, verbose_eval=False
            )
            metrics[name_of_library].append(result["test"][params["eval_metric"]][-1])
    metric = {library: float(np.mean(values)) for library, values in metrics.items()}
    ours, theirs = (splits_of(boosters[library]) for library in ("kauri", "xgboost"))
    shares = [len(a & b) / max(len(b), 1) for a, b in zip(ours, theirs, strict=True)]
    whole = sum(a == b for a, b in zip(ours, theirs, strict=True))
    line = (
        f"{name} {method}: {params['eval_metric']} kauri {metric['kauri']:.6f} xgboost {metric['xgboost']:.6f}; "
        f"identical splits: first tree {shares[0]:.1%}, mean over trees {np.mean(shares):.1%}; "
        f"{whole} of {len(ours)} trees identical"
    )
    record_property("comparison", line)
    print(line)
    # A lower loss than XGBoost's is not a defect.
    assert metric["kauri"] <= metric["xgboost"] * (1 + TOLERANCE[method]), line


@pytest.mark.parametrize("method", ["exact", "hist"])
def test_model_bytes_do_not_depend_on_threads_or_runs(method: str) -> None:
    features, labels, _, _ = split("adult", None)
    params = {
        "objective": "binary:logistic",
        "tree_method": method,
        "subsample": 0.7,
        "colsample_bytree": 0.8,
        "colsample_bylevel": 0.8,
        "colsample_bynode": 0.8,
        "seed": 3,
    }
    models = set()
    for threads in (1, 2, 3, 8, 1):
        data = kb.DMatrix(features, labels, nthread=threads)
        models.add(bytes(kb.train({**params, "nthread": threads}, data, 10).save_raw("ubj")))
    assert len(models) == 1
