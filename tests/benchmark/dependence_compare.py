"""Partial dependences beside woodelf and scikit-learn, one thread each, in one process.

    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python tests/benchmark/dependence_compare.py [--rows 20000]
        [--features 20] [--trees 100] [--depth 6] [--repeats 3]

The jobs: the curves of all features at every threshold; the joint dependences of all pairs; H of all pairs; the
functional analysis of variance; scikit-learn's curves of one feature at 40 values. Times are medians of the processor
time. A curve and a pair are compared with predictions of changed rows, and a wrong answer fails.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python-package"))
import kauriboost as kb

MOST_SECONDS = 20.0  # of a job that is run again


def problem(args: argparse.Namespace) -> tuple[np.ndarray, kb.Booster]:
    """Return the rows and a model of them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(args.rows, args.features)).astype(np.float32)
    y = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + X[:, 3] * (X[:, 4] > 0) + X @ rng.normal(size=args.features) / 4
    params = {"max_depth": args.depth, "nthread": 1, "tree_method": "hist", "objective": "reg:squarederror"}
    return X, kb.train(params, kb.DMatrix(X, label=y), args.trees, verbose_eval=False)


def check(X: np.ndarray, model: kb.Booster) -> None:
    """Compare some values with predictions of changed rows."""
    found = kb.dependence_curves(model, X, features=[0, 1], pairs=[(0, 1)])
    curve, joint = found.curve(0), found.joint(0, 1)
    for place in np.linspace(0, len(curve.grid) - 1, 5).astype(int):
        rows = X.copy()
        rows[:, 0] = curve.grid[place]
        expected = model.predict(kb.DMatrix(rows)).mean(dtype=np.float64)
        np.testing.assert_allclose(curve.mean[place], expected, rtol=0, atol=1e-5)
        rows[:, 1] = joint.grid[1][place % len(joint.grid[1])]
        expected = model.predict(kb.DMatrix(rows)).mean(dtype=np.float64)
        np.testing.assert_allclose(joint.mean[place, place % len(joint.grid[1])], expected, rtol=0, atol=1e-5)


def peers(X: np.ndarray, model: kb.Booster) -> dict[str, Callable[[], Any]]:
    """Return the jobs of other packages, as far as they are installed."""
    jobs: dict[str, Callable[[], Any]] = {}
    try:
        import pandas as pd
        import xgboost
        from woodelf import pdp
    except ImportError:
        print("woodelf-explainer, pandas or xgboost is missing", flush=True)
    else:
        frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(X.shape[1])])
        theirs = xgboost.XGBRegressor(n_jobs=1)
        theirs.load_model(model.save_raw("json"))
        more = {"percentiles": (0.0, 1.0), "verbose": False}
        jobs["woodelf, all curves, every threshold"] = lambda: pdp.woodelf_pdp(theirs, frame, full_pdp=True, **more)
        jobs["woodelf, all curves, 40 values"] = lambda: pdp.woodelf_pdp(theirs, frame, k=40, **more)
        jobs["woodelf, all pairs, 5 x 5 values"] = lambda: pdp.woodelf_pdp_joint(theirs, frame, k=5, **more)
    try:
        from sklearn.ensemble import HistGradientBoostingRegressor
        from sklearn.inspection import partial_dependence
    except ImportError:
        print("scikit-learn is missing", flush=True)
    else:
        own = HistGradientBoostingRegressor(max_iter=100, max_leaf_nodes=64, early_stopping=False)
        own.fit(X, model.predict(kb.DMatrix(X)))
        how = {"grid_resolution": 40, "method": "brute"}
        jobs["scikit-learn, one curve, 40 values"] = lambda: partial_dependence(own, X, [0], **how)
    return jobs


def main() -> None:
    """Run all jobs in turns."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("rows", 20000), ("features", 20), ("trees", 100), ("depth", 6), ("repeats", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    args = parser.parse_args()
    X, model = problem(args)
    check(X, model)
    rows = kb.DMatrix(X)
    pairs = list(itertools.combinations(range(args.features), 2))
    jobs: dict[str, Callable[[], Any]] = {
        "all curves": lambda: kb.dependence_curves(model, rows),
        f"all {len(pairs)} pairs": lambda: kb.dependence_curves(model, rows, pairs=pairs),
        "H of all pairs": lambda: kb.h_statistic(model, rows),
        "functional ANOVA": lambda: kb.functional_anova(model, rows),
        "partial_dependence, all features": lambda: [
            kb.partial_dependence(model, rows, feature) for feature in range(args.features)
        ],
        **peers(X, model),
    }
    seconds: dict[str, list[float]] = {name: [] for name in jobs}
    for turn in range(args.repeats):
        for name, job in jobs.items():
            if turn > 0 and seconds[name][0] > MOST_SECONDS:
                continue
            start = time.process_time()
            job()
            seconds[name].append(time.process_time() - start)
    for name, times in seconds.items():
        print(f"{name:40} {statistics.median(times):8.3f} s", flush=True)


if __name__ == "__main__":
    main()
