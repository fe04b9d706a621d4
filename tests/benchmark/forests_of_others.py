"""Forests of scikit-learn: predictions and Shapley values by scikit-learn and shap, and by Kauri's models of them.

    .venv/bin/python tests/benchmark/forests_of_others.py [--trees 500] [--depth 16] [--rows 10000] [--explained 200]

A random forest of regression trees on rows from Friedman's first function. Everything runs on the CPU: predictions for
`--rows` rows, path-dependent Shapley values for `--explained` rows, since shap takes minutes for more.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import kauriboost as kb
import numpy as np
import shap
from kauriboost.forests import from_sklearn
from sklearn.datasets import make_friedman1
from sklearn.ensemble import RandomForestRegressor


def timed(run: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """Return the median seconds and the result."""
    seconds = []
    for _ in range(repeats):
        begin = time.perf_counter()
        result = run()
        seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds), result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in (("trees", 500), ("depth", 16), ("rows", 10_000), ("explained", 200), ("repeats", 3)):
        parser.add_argument(f"--{name}", type=int, default=value)
    arguments = parser.parse_args()
    X, y = make_friedman1(arguments.rows, 20, noise=1.0, random_state=0)
    X = X.astype(np.float32)
    forest = RandomForestRegressor(arguments.trees, max_depth=arguments.depth, n_jobs=-1, random_state=0).fit(X, y)
    reading, booster = timed(lambda: from_sklearn(forest), arguments.repeats)
    rows, few = kb.DMatrix(X), kb.DMatrix(X[: arguments.explained])
    theirs, expected = timed(lambda: forest.predict(X), arguments.repeats)
    ours, got = timed(lambda: booster.predict(rows), arguments.repeats)
    np.testing.assert_allclose(got, expected, rtol=1e-5)
    explainer = shap.TreeExplainer(forest)
    by_shap, values = timed(lambda: explainer.shap_values(X[: arguments.explained], check_additivity=False), 1)
    by_us, contributions = timed(lambda: booster.predict(few, pred_contribs=True), arguments.repeats)
    np.testing.assert_allclose(contributions[:, :-1], values, atol=1e-5 * np.abs(values).max())
    all_rows, _ = timed(lambda: booster.predict(rows, pred_contribs=True), 1)
    n_nodes = sum(each.tree_.node_count for each in forest.estimators_)
    print(f"{arguments.trees} trees of depth {arguments.depth}, {n_nodes} nodes; read in {reading:.2f} s")
    print(f"{'':32} {'theirs':>9} {'ours':>9} {'ratio':>7}")
    for what, them, us in (
        (f"predict {arguments.rows} rows, s", theirs, ours),
        (f"shap, {arguments.explained} rows, s", by_shap, by_us),
    ):
        print(f"{what:32} {them:9.3f} {us:9.3f} {them / us:7.1f}")
    print(f"{f'shap, {arguments.rows} rows, s':32} {'':9} {all_rows:9.3f}")


if __name__ == "__main__":
    main()
