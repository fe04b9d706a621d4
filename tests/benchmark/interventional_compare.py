"""Interventional contributions beside the shap package, on the models of shap_compare.py, one thread each.

    python tests/benchmark/interventional_compare.py [model ...] [--background 100] [--rows 1000] [--repeats 3]
    python tests/benchmark/interventional_compare.py [model ...] --device cuda [--threads 16]

The libraries take turns; times are medians of the processor time for all rows, including work on the background. Wrong
answers fail: contributions must add up to the margin and agree with shap's. With --device shap is not run: times are of
calls on existing data sets, with the first call shown separately, and values must agree with the CPU's.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np
import xgboost
from shap_compare import kb, rows_of, train  # the import finds the package in the checkout


def check(ours: kb.Booster, rows: np.ndarray, phi: np.ndarray, base: np.ndarray, peer: np.ndarray) -> float:
    """Check the values; returns the largest difference to shap relative to the largest contribution."""
    scale = np.abs(phi).max()
    margin = ours.predict(kb.DMatrix(rows), output_margin=True)
    np.testing.assert_allclose(phi.sum(axis=1, dtype=np.float64) + base, margin, rtol=0, atol=1e-5 * scale)
    np.testing.assert_allclose(phi, peer, rtol=0, atol=1e-5 * scale)
    return float(np.abs(phi - peer).max() / scale)


def rows_against(name: str, args: argparse.Namespace) -> tuple[bytearray, np.ndarray, np.ndarray]:
    """Return a model, rows to explain and a background."""
    data, size = name.rsplit("-", 1)
    features, labels, rows = rows_of(data, args.rows)
    reference = features[np.random.RandomState(7).randint(0, len(features), args.background)]
    return train(data, size, features, labels), rows, reference


def run_on_device(name: str, args: argparse.Namespace) -> None:
    """Measure one model on a device."""
    raw, rows, reference = rows_against(name, args)
    own, against = kb.DMatrix(rows), kb.DMatrix(reference)
    booster = kb.Booster({"device": args.device, "nthread": args.threads}, model_file=raw)
    seconds = []
    for _ in range(args.repeats + 1):
        start = time.perf_counter()
        values = kb.explain(booster, own, background=against).values
        seconds.append(time.perf_counter() - start)
    expected = kb.explain(kb.Booster({"nthread": args.threads}, model_file=raw), own, background=against).values
    np.testing.assert_allclose(values, expected, rtol=0, atol=2e-6 * np.abs(expected).max())
    print(
        f"{name:16} {args.rows} rows, background of {args.background}, {args.device}: "
        f"{statistics.median(seconds[1:]) * 1e3:8.2f} ms, the first call {seconds[0] * 1e3:8.2f} ms",
        flush=True,
    )


def run(name: str, args: argparse.Namespace) -> None:
    """Measure one model beside shap."""
    import shap  # imported here, because machines with a device may lack it

    raw, rows, reference = rows_against(name, args)
    ours = kb.Booster({"nthread": 1}, model_file=raw)
    theirs = xgboost.Booster({"nthread": 1}, model_file=raw)
    masker = shap.maskers.Independent(reference, max_samples=args.background)  # by default 100 of the rows
    explainer = shap.TreeExplainer(theirs, data=masker, feature_perturbation="interventional", model_output="raw")
    explain = {
        "kauri": lambda: kb.explain(ours, rows, background=reference),
        "shap": lambda: explainer.shap_values(rows, check_additivity=False),
    }
    seconds: dict[str, list[float]] = {library: [] for library in explain}
    result = {}
    for _ in range(args.repeats):
        for library, call in explain.items():
            start = time.process_time()
            result[library] = call()
            seconds[library].append(time.process_time() - start)
    difference = check(ours, rows, result["kauri"].values, result["kauri"].base_values, result["shap"])
    median = {library: statistics.median(times) for library, times in seconds.items()}
    print(
        f"{name:16} {args.rows} rows, background of {args.background}: {median['kauri'] * 1e3:8.1f} ms  "
        f"shap / kauri {median['shap'] / median['kauri']:7.1f}  difference {difference:.1e}",
        flush=True,
    )


def main() -> None:
    """Run the named models, of one output each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=["california-med", "adult-med"], metavar="model")
    parser.add_argument("--background", type=int, default=100)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--device", help="of the library's parameter, to time that alone")
    parser.add_argument("--threads", type=int, default=1, help="of the host beside the device")
    args = parser.parse_args()
    for name in args.models:
        run_on_device(name, args) if args.device else run(name, args)


if __name__ == "__main__":
    main()
