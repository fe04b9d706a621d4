"""Contributions whose results take longer to copy than to compute, on a CUDA device beside XGBoost on the same device.

    python tests/benchmark/wide_explanations.py [case ...] [--device cuda] [--repeats 5] [--phases gpu_shap_bench]

Cases: columns (294 columns, 100,000 rows), classes (23 classes, 41 columns, 50,000 rows) and images (784 columns, 10
classes, 10,000 rows: 0.3 GB, as with Fashion-MNIST). Kauri trains the models on the device; both libraries load them.
The libraries take turns. The output is milliseconds of predict on an existing DMatrix, and including the making of it,
medians after a warm-up; GB/s of results; and ratios, where above 1 Kauri is faster. Results are freed at once, so that
Kauri reuses their memory, except in "results kept". Wrong answers fail: contributions must add up to the margin and
agree with XGBoost's. With --phases, the path of gpu_shap_bench, each case is followed by the times of its kernels, bus
and host copies alone.
"""

from __future__ import annotations

import argparse
import importlib.util
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python-package"))
import kauriboost as kb
from speed_cases.datasets import many_classes

Table = tuple[np.ndarray, np.ndarray]


def columns(n_rows: int) -> Table:
    """Return 294 columns, of which 24 matter, and labels. Most contributions are zero or small."""
    rng = np.random.default_rng(1)
    features = rng.standard_normal((n_rows, 294), dtype=np.float32)
    features[rng.random(features.shape, dtype=np.float32) < 0.5] = 0
    signal = features[:, :24] @ np.linspace(1, 0.1, 24) + features[:, 0] * features[:, 1]
    return features, signal + rng.standard_normal(n_rows) > 0


def classes(n_rows: int) -> Table:
    """Return rows of 23 classes, and labels."""
    part = many_classes(n_rows)
    return part.features, part.labels


def images(n_rows: int) -> Table:
    """Return 28 x 28 images of 0 to 255, many values 0: a blurred pattern for each of 10 classes, moved, with noise."""
    rng = np.random.default_rng(2)
    patterns = rng.random((10, 28, 28))
    for axis in (1, 2):
        patterns = sum(np.roll(patterns, shift, axis) for shift in range(-3, 4)) / 7
    labels = rng.integers(0, 10, n_rows)
    moved = np.stack([np.roll(patterns[label], rng.integers(-2, 3, 2), (0, 1)) for label in labels])
    values = (moved - moved.mean()) * 2500 + rng.normal(0, 60, moved.shape)
    return np.clip(np.round(values), 0, 255).reshape(n_rows, 784).astype(np.float32), labels


CASES: dict[str, tuple[Callable[[int], Table], int, int, dict[str, Any]]] = {
    "columns": (columns, 100_000, 50, {"objective": "binary:logistic", "max_depth": 6}),
    "classes": (classes, 50_000, 20, {"objective": "multi:softprob", "num_class": 23, "max_depth": 6}),
    "images": (images, 10_000, 100, {"objective": "multi:softprob", "num_class": 10, "max_depth": 8, "eta": 0.05}),
}


def milliseconds(calls: dict[str, Callable[[], Any]], repeats: int) -> dict[str, float]:
    """Return the median of each call. The calls take turns, and results are freed before the next turn."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for repeat in range(repeats + 1):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            if repeat > 0:
                times[name].append((time.perf_counter() - start) * 1e3)
    return {name: statistics.median(values) for name, values in times.items()}


def check(phi: np.ndarray, margin: np.ndarray, peer: np.ndarray | None) -> None:
    """Fail if sums are not margins, or if XGBoost's values differ."""
    scale = float(np.abs(phi).max())
    np.testing.assert_allclose(phi.sum(axis=-1, dtype=np.float64), margin, rtol=0, atol=1e-5 * scale)
    if peer is not None:
        np.testing.assert_allclose(phi, peer, rtol=0, atol=1e-3 * scale)


def explainers(raw: bytearray, features: np.ndarray, device: str) -> tuple[dict[str, Callable[[], Any]], Any]:
    """Return calls by library, without and with the making of a DMatrix, and Kauri's booster."""
    ours = kb.Booster({"device": device}, model_file=raw)
    our_rows = kb.DMatrix(features)
    kept = []
    calls: dict[str, Callable[[], Any]] = {
        "kauri": lambda: ours.predict(our_rows, pred_contribs=True),
        "kauri, results kept": lambda: kept.append(ours.predict(our_rows, pred_contribs=True)),
        "kauri with DMatrix": lambda: ours.predict(kb.DMatrix(features), pred_contribs=True),
    }
    if importlib.util.find_spec("xgboost") is None:
        return calls, ours
    import xgboost

    theirs = xgboost.Booster({"device": device}, model_file=raw)
    their_rows = xgboost.DMatrix(features)
    calls["xgboost"] = lambda: theirs.predict(their_rows, pred_contribs=True)
    calls["xgboost with DMatrix"] = lambda: theirs.predict(xgboost.DMatrix(features), pred_contribs=True)
    return calls, ours


def run(name: str, args: argparse.Namespace) -> None:
    """Run one case."""
    make, n_rows, rounds, params = CASES[name]
    n_rows = max(1000, int(n_rows * args.scale))
    features, labels = make(n_rows)
    trained = kb.train({**params, "tree_method": "hist", "device": args.device}, kb.DMatrix(features, labels), rounds)
    raw = trained.save_raw("ubj")
    calls, ours = explainers(raw, features, args.device)
    phi = calls["kauri"]()
    margin = ours.predict(kb.DMatrix(features), output_margin=True)
    check(phi, margin, calls["xgboost"]() if "xgboost" in calls else None)
    gigabytes, shape = phi.nbytes / 1e9, phi.shape
    del phi
    leaves = sum(dump.count("leaf=") for dump in ours.get_dump())
    print(f"{name}: {leaves} leaves, results {list(shape)}, {gigabytes:.3f} GB")
    times = milliseconds(calls, args.repeats)
    for call, taken in times.items():
        peer = times.get(call.replace("kauri", "xgboost").removesuffix(", results kept"))
        ratio = f"  xgboost / kauri {peer / taken:6.2f}" if peer is not None and call.startswith("kauri") else ""
        print(f"  {call:21} {taken:9.2f} ms  {gigabytes / taken * 1e3:6.2f} GB/s{ratio}", flush=True)
    if args.phases:
        with tempfile.NamedTemporaryFile(suffix=".ubj") as file:
            file.write(raw)
            file.flush()
            command = [args.phases, file.name, str(n_rows), "0", str(args.repeats), "quadrature"]
            print(subprocess.run(command, check=True, capture_output=True, text=True).stdout, end="", flush=True)


def main() -> None:
    """Run the named cases, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", default=list(CASES), metavar="case", help=", ".join(CASES))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1.0, help="of the numbers of rows")
    parser.add_argument("--phases", help="the program gpu_shap_bench")
    args = parser.parse_args()
    print(f"kauri {kb.__version__}, device {args.device}")
    for name in args.cases:
        run(name, args)


if __name__ == "__main__":
    main()
