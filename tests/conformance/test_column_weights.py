"""Column sampling by feature_weights, with the same frequencies as in XGBoost."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import numpy as np
import pytest

xgboost = pytest.importorskip("xgboost")


@pytest.mark.parametrize("by", ["colsample_bytree", "colsample_bynode"])
def test_shares_of_the_roots_features(by: str) -> None:
    X = np.random.default_rng(6).normal(size=(200, 6)).astype(np.float32)
    params = {"max_depth": 1, "eta": 0.01, by: 0.34, "tree_method": "hist", "nthread": 1, "seed": 3}

    def shares(library: Any) -> np.ndarray:
        data = library.DMatrix(X, X.sum(axis=1), feature_weights=[0, 1, 2, 0.5, 8, 1])
        trees = library.train(params, data, 2000, verbose_eval=False).trees_to_dataframe()
        counts = trees[trees["Node"] == 0]["Feature"].value_counts(normalize=True)
        return np.array([counts.get(f"f{feature}", 0.0) for feature in range(6)])

    ours, theirs = shares(kb), shares(xgboost)
    assert ours[0] == theirs[0] == 0.0
    assert np.abs(ours - theirs).max() < 0.05, (ours, theirs)
