"""Coverage and width of intervals on six real sets: calibrated by folds, by calibration rows, and plain quantiles.

    python tests/benchmark/interval_coverage.py [set ...] [--coverage 0.9] [--splits 10] [--rows 8000] [--threads 2]

Needs the real data sets (`KAURI_DATA`, by default `../shared/data` beside the project). `--rows` rows of each set are
drawn, and each split holds out a random three tenths of them. "coverage" is the fraction of held-out labels inside
their interval, as mean and standard deviation over the splits. "width" is the mean width in standard deviations of the
labels. "score" is the mean interval score (Gneiting and Raftery 2007: width plus 2/(1 - coverage) times the distance of
a label beyond an end, in the same unit), where smaller is better. "calibration rows" trains on three quarters of the
training rows and calibrates on the rest. Every method has the same rounds and parameters. The exit status is 1 if a
calibrated mean is more than 2 points below the requested coverage, or more than 2 points plus 2/(n + 1) above it;
2/(n + 1) is the theoretical excess with n calibration rows (each end is rounded outwards to a row).
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python-package"))
import kauriboost as kb

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("KAURI_DATA", ROOT.parent / "shared" / "data"))
sys.path.insert(0, str(DATA))
from load import load  # noqa: E402

SETS = ("california", "protein", "flights", "ames", "enb", "boston")
FURTHEST = 0.02
Ends = Callable[[np.ndarray], np.ndarray]


def rows_of(name: str, n_rows: int) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Return features, the label (the first, if there are several) and the types of the features."""
    X, y, about = load(name)
    y = y[:, 0] if y.ndim == 2 else y
    chosen = np.random.default_rng(0).permutation(len(y))[:n_rows]
    types = ["c" if column in about["categorical"] else "q" for column in range(X.shape[1])]
    return X[chosen], y[chosen], types


def fitted(method: str, X: np.ndarray, y: np.ndarray, coverage: float, params: dict[str, Any]) -> Ends:
    """Fit a model; returns a function from rows to the ends of their intervals."""
    outside = (1 - coverage) / 2
    if method == "plain":
        quantiles = [outside, 0.5, 1 - outside]
        plain = kb.KauriRegressor(objective="reg:quantileerror", quantile_alpha=quantiles, **params).fit(X, y)
        return lambda rows: plain.predict(rows)[:, [0, 2]]
    model = kb.KauriRegressor(**params)
    if method == "folds":
        return model.fit_intervals(X, y, coverage=coverage).predict_interval
    n_learnt = len(y) * 3 // 4
    rest = (X[n_learnt:], y[n_learnt:])
    return model.fit_intervals(X[:n_learnt], y[:n_learnt], coverage=coverage, calibration_set=rest).predict_interval


def measured(ends: np.ndarray, y: np.ndarray, coverage: float) -> tuple[float, float, float]:
    """Return the fraction of labels inside, the mean width and the mean interval score."""
    low, high = ends.T
    width = (high - low).mean()
    beyond = np.maximum(low - y, 0) + np.maximum(y - high, 0)
    return float(((low <= y) & (y <= high)).mean()), float(width), float(width + 2 / (1 - coverage) * beyond.mean())


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--coverage", type=float, default=0.9)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--rows", type=int, default=8000)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    params: dict[str, Any] = {"n_estimators": 100, "max_depth": 5, "learning_rate": 0.1, "n_jobs": given.threads}
    print("| data | rows | method | coverage | width | score |\n|---|---|---|---|---|---|")
    is_good = True
    for name in given.sets:
        X, y, types = rows_of(name, given.rows)
        found: dict[str, list[tuple[float, float, float]]] = {"plain": [], "folds": [], "calibration rows": []}
        for split in range(given.splits):
            order = np.random.default_rng(split + 1).permutation(len(y))
            held, learnt = order[: len(y) * 3 // 10], order[len(y) * 3 // 10 :]
            for method, results in found.items():
                ends_of = fitted(method, X[learnt], y[learnt], given.coverage, {**params, "feature_types": types})
                results.append(measured(ends_of(X[held]), y[held], given.coverage))
        for method, results in found.items():
            (coverage, width, score), spread = np.mean(results, axis=0), np.std(results, axis=0)[0]
            unit = y.std()
            print(
                f"| {name} | {len(y):,} | {method} | {coverage:.3f} +- {spread:.3f} | {width / unit:.2f} "
                f"| {score / unit:.2f} |",
                flush=True,
            )
            excess = 2 / (len(y) * 7 // 10 // (4 if method == "calibration rows" else 1) + 1)
            is_good &= method == "plain" or -FURTHEST <= coverage - given.coverage <= FURTHEST + excess
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
