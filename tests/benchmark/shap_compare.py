"""Contributions and interactions beside XGBoost and the shap package, on the paper's models, with equal threads.

    python tests/benchmark/shap_compare.py [model ...] [--threads 1] [--repeats 3] [--interactions]

A model is a data set and a size, adult-med: data sets adult, california, covtype, fashion_mnist (from KAURI_DATA, by
default ../shared/data beside the project); sizes small (10 rounds of depth 3), med (100 of depth 8), large (1000 of
depth 16), all with eta 0.01 and trained here by tree_method=hist. The libraries take turns. Times are medians per row,
since each library gets the number of rows that it explains in about half a second. A ratio above 1 means that Kauri is
faster. Wrong answers fail: contributions must add up to the margin and agree with XGBoost's.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import xgboost

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python-package"))
sys.path.insert(0, os.environ.get("KAURI_DATA", str(Path(__file__).resolve().parents[3] / "shared" / "data")))
import kauriboost as kb
from kauriboost._binding.library import LIB
from load import load

SIZES = {"small": (10, 3), "med": (100, 8), "large": (1000, 16)}
DATA_SETS = ("california", "adult", "covtype", "fashion_mnist")
SECONDS = 0.5
Explain = Callable[[np.ndarray], np.ndarray]


def rows_of(data: str, n_rows: int = 10_000) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return training rows and labels, and rows to explain, drawn with replacement as in the paper."""
    features, labels, _ = load(data)
    features = np.ascontiguousarray(features, dtype=np.float32)
    chosen = np.random.RandomState(432).randint(0, len(features), n_rows)
    return features, labels, features[chosen]


def train(data: str, size: str, features: np.ndarray, labels: np.ndarray) -> bytearray:
    """Train with the paper's parameters; returns the model's bytes."""
    rounds, depth = SIZES[size]
    params: dict[str, object] = {"tree_method": "hist", "eta": 0.01, "max_depth": depth}
    if data == "california":
        params["objective"] = "reg:squarederror"
    elif data == "adult":
        params["objective"] = "binary:logistic"
    else:
        labels = labels + (data == "covtype" and labels.min() == 0)  # labels 1 to 7, so that class 0 is empty
        params.update(objective="multi:softmax", num_class=int(labels.max()) + 1)
    return kb.train(params, kb.DMatrix(features, labels), rounds).save_raw("ubj")


def seconds_per_row(explainers: dict[str, Explain], rows: np.ndarray, repeats: int) -> dict[str, float]:
    """Return the median time per row of each explainer; they take turns."""
    count = {}
    for name, explain in explainers.items():
        n = 1
        while True:
            start = time.perf_counter()
            explain(rows[:n])
            taken = time.perf_counter() - start
            if taken > SECONDS / 4 or n == len(rows):
                count[name] = max(1, min(len(rows), int(n * SECONDS / taken)))
                break
            n = min(len(rows), n * 4)
    times: dict[str, list[float]] = {name: [] for name in explainers}
    for _ in range(repeats):
        for name, explain in explainers.items():
            start = time.perf_counter()
            explain(rows[: count[name]])
            times[name].append((time.perf_counter() - start) / count[name])
    return {name: statistics.median(values) for name, values in times.items()}


def one_row_microseconds(booster: kb.Booster, row: np.ndarray, repeats: int = 300) -> float:
    """Return the least time of the C call on a data set of one row."""
    data = kb.DMatrix(row)
    config = b'{"type": 2, "training": false, "iteration_begin": 0, "iteration_end": 0, "strict_shape": false}'
    shape, dimension, values = ctypes.POINTER(ctypes.c_uint64)(), ctypes.c_uint64(), ctypes.POINTER(ctypes.c_float)()
    least = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        LIB.XGBoosterPredictFromDMatrix(
            booster.handle, data.handle, config, ctypes.byref(shape), ctypes.byref(dimension), ctypes.byref(values)
        )
        least = min(least, time.perf_counter() - start)
    return least * 1e6


def check(ours: kb.Booster, theirs: xgboost.Booster, rows: np.ndarray) -> float:
    """Return the largest difference to XGBoost relative to the largest contribution; fails if sums are not margins."""
    phi = ours.predict(kb.DMatrix(rows), pred_contribs=True)
    margin = ours.predict(kb.DMatrix(rows), output_margin=True)
    scale = np.abs(phi).max()
    np.testing.assert_allclose(phi.sum(axis=-1, dtype=np.float64), margin, rtol=0, atol=1e-5 * scale)
    peer = theirs.predict(xgboost.DMatrix(rows), pred_contribs=True)
    np.testing.assert_allclose(phi, peer, rtol=0, atol=1e-3 * scale)
    return float(np.abs(phi - peer).max() / scale)


def run(name: str, args: argparse.Namespace) -> None:
    """Measure one model."""
    data, size = name.rsplit("-", 1)
    features, labels, rows = rows_of(data)
    cached = Path(args.models) / f"{name}.ubj" if args.models else None
    if cached and cached.is_file():
        raw = bytearray(cached.read_bytes())
    else:
        raw = train(data, size, features, labels)
        if cached:
            cached.write_bytes(raw)
    params = {"nthread": args.threads}
    ours = kb.Booster(params, model_file=raw)
    theirs = xgboost.Booster(params, model_file=raw)
    difference = check(ours, theirs, rows[:4])
    kind = {"pred_interactions": True} if args.interactions else {"pred_contribs": True}
    explainers: dict[str, Explain] = {
        "kauri": lambda part: ours.predict(kb.DMatrix(part, nthread=args.threads), **kind),
        "xgboost": lambda part: theirs.predict(xgboost.DMatrix(part, nthread=args.threads), **kind),
    }
    if args.shap:
        import shap

        explainer = shap.TreeExplainer(theirs, feature_perturbation="tree_path_dependent")
        explainers["shap"] = explainer.shap_interaction_values if args.interactions else explainer.shap_values
    seconds = seconds_per_row(explainers, rows[:200] if args.interactions else rows, args.repeats)
    leaves = sum(dump.count("leaf=") for dump in ours.get_dump())
    one = "" if args.interactions else f"  one row {one_row_microseconds(ours, rows[:1]):8.1f} us"
    ratios = "  ".join(f"{peer} / kauri {seconds[peer] / seconds['kauri']:7.1f}" for peer in seconds if peer != "kauri")
    print(
        f"{name:20} {leaves:8} leaves  {seconds['kauri'] * 1e6:10.2f} us/row  {ratios}{one}  "
        f"difference {difference:.1e}",
        flush=True,
    )


def main() -> None:
    """Run the named models, or all small and medium ones."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [f"{data}-{size}" for data in DATA_SETS for size in ("small", "med")]
    parser.add_argument("models_to_run", nargs="*", default=names, metavar="model")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--interactions", action="store_true", help="200 rows instead of contributions of 10,000")
    parser.add_argument("--shap", action="store_true", help="the shap package too; it has one thread")
    parser.add_argument("--models", help="a folder that keeps trained models")
    args = parser.parse_args()
    print(f"kauri {kb.__version__}, xgboost {xgboost.__version__}; {args.threads} threads")
    for name in args.models_to_run:
        run(name, args)


if __name__ == "__main__":
    main()
