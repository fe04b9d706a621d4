"""Interactions of sets of features beside the package shapiq: 100 trees of depth 6 on 20 features, one thread.

    python tests/peers/environments.py shapiq
    build-peers/shapiq/bin/python tests/benchmark/set_interactions.py [--order 3] [--rows 1000] [--repeats 3]

shapiq 1.8 computes trees in C++, from Python 3.12 on; the releases for Python 3.11 compute them in Python.
The libraries take turns; times are medians of the processor time for all rows, with the first call, which compiles
the trees, apart. Wrong answers fail: each of the sets must agree.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python-package"))
os.environ.setdefault("KAURI_LIBRARY", str(ROOT / "build" / "lib" / "libkauri.so"))

import kauriboost as kb  # noqa: E402
import numpy as np  # noqa: E402
import shapiq  # noqa: E402
import xgboost  # noqa: E402

N_FEATURES = 20
THEIRS = ("SII", "k-SII", "BII")  # shapiq computes the others for a background only


def train(n_trees: int, depth: int) -> tuple[bytearray, np.ndarray]:
    """Return a model with interactions of two and three features, and its rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20000, N_FEATURES)).astype(np.float32)
    y = X[:, 0] * X[:, 1] * X[:, 2] + np.sin(X[:, 3] * X[:, 4]) + 0.3 * X[:, 5:12].sum(axis=1) + X[:, 12] * X[:, 13]
    data = xgboost.DMatrix(X, y + rng.normal(size=len(y)) * 0.3)
    params = {"max_depth": depth, "eta": 0.1, "nthread": 1, "base_score": 0.0}
    return xgboost.train(params, data, n_trees).save_raw("json"), X


def timed(calls: dict[str, Callable[[], Any]], repeats: int) -> tuple[dict[str, Any], dict[str, list[float]]]:
    """Return the results of the calls, and the seconds of each round, the first one included."""
    results: dict[str, Any] = {}
    seconds: dict[str, list[float]] = {library: [] for library in calls}
    for _ in range(repeats + 1):
        for library, call in calls.items():
            start = time.process_time()
            results[library] = call()
            seconds[library].append(time.process_time() - start)
    return results, seconds


def check(ours: kb.SetInteractions, theirs: Any) -> float:
    """Compare all sets of some rows; return the largest difference, relative to the largest interaction."""
    scale = float(np.abs(ours.values).max())
    worst = 0.0
    for row in range(0, len(ours), 97):
        values = theirs[row]
        for names, value in ours.row(row).items():
            worst = max(worst, abs(value - values[tuple(int(name[1:]) for name in names)]))
    if worst > 1e-5 * scale:
        raise AssertionError(f"the interactions differ by {worst}, of up to {scale}")
    return worst / scale


def run(index: str, raw: bytearray, rows: np.ndarray, args: argparse.Namespace) -> None:
    """Measure one index."""
    booster = kb.Booster({"nthread": 1}, model_file=raw)
    calls: dict[str, Callable[[], Any]] = {
        "kauri": lambda: kb.explain_interactions(booster, rows, index=index, max_order=args.order)
    }
    if index in THEIRS:
        of_peer = xgboost.Booster({"nthread": 1}, model_file=raw)
        explainer = shapiq.TreeExplainer(of_peer, index=index, max_order=args.order)
        calls["shapiq"] = lambda: explainer.explain_X(rows)
    results, seconds = timed(calls, args.repeats)
    median = {library: statistics.median(times[1:]) for library, times in seconds.items()}
    n_sets = len(results["kauri"].set_begin) - 1
    line = f"{index:6} order {args.order}, {len(rows)} rows, {n_sets} sets: kauri {median['kauri'] * 1e3:8.1f} ms"
    line += f" (first call {seconds['kauri'][0] * 1e3:.1f})"
    if "shapiq" in median:
        difference = check(results["kauri"], results["shapiq"])
        line += f", shapiq {shapiq.__version__} {median['shapiq'] * 1e3:8.1f} ms"
        line += f", {median['shapiq'] / median['kauri']:6.1f} times; difference {difference:.1e}"
    print(line, flush=True)


def main() -> None:
    """Measure all indices."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--order", type=int, default=3)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--depth", type=int, default=6)
    args = parser.parse_args()
    raw, X = train(args.trees, args.depth)
    for index in ("SII", "k-SII", "BII", "STII", "FSII"):
        run(index, raw, X[: args.rows], args)


if __name__ == "__main__":
    main()
