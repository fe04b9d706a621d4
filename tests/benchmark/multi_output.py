"""One tree a round for all outputs (multi_strategy=multi_output_tree): quality and time beside XGBoost.

    python tests/benchmark/multi_output.py parity|speed|predict [--splits 5] [--threads 1]

parity: the metric on held-out rows of real sets (`KAURI_DATA`, by default `../shared/data` beside the project), means
over random splits, with both strategies of both libraries. Every feature is replaced by the index of its quantile bin
(200 bins), so that both choose from the same candidates. The exit status is 1 if the libraries' metrics with vector
leaves differ by more than 0.2 % and two standard errors. min_child_weight is 0, because before 3.3 XGBoost counts it in
another way.

speed: processor time of a round, the fastest of several; the libraries take turns.

predict: processor time of predictions for all rows, and for 1,000 rows, by both libraries from the same model of 30
rounds, which Kauri trained; the fastest of several; the libraries take turns. The run fails if margins differ.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import xgboost

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python-package"), os.environ.get("KAURI_DATA", str(ROOT.parent / "shared" / "data"))]
import kauriboost as kb  # noqa: E402
from load import load  # noqa: E402

STRATEGIES = ("multi_output_tree", "one_output_per_tree")
LIBRARIES = {"Kauri": kb, "XGBoost": xgboost}
REAL = ("enb", "wq", "scpf", "covtype", "dermatology", "letter", "yeast")
Table = tuple[np.ndarray, np.ndarray, dict[str, Any]]


def real_set(name: str, n_rows: int) -> Table:
    """Return features, labels and parameters of at most n_rows random rows."""
    features, labels, _ = load(name)
    features, labels = np.asarray(features, dtype=np.float32), np.asarray(labels)
    rows = np.random.default_rng(0).permutation(len(features))[:n_rows]
    features, labels = features[rows], labels[rows]
    if labels.ndim == 2:
        are_labels = np.isin(labels, (0, 1)).all()
        return features, labels.astype(np.float32), {"objective": "binary:logistic"} if are_labels else {}
    classes, codes = np.unique(labels, return_inverse=True)
    return features, codes, {"objective": "multi:softprob", "num_class": len(classes)}


def in_bins(features: np.ndarray) -> np.ndarray:
    """Return the index of each value's quantile bin (200 bins); missing values stay missing."""
    bins = features.copy()
    for column in bins.T:
        known = ~np.isnan(column)
        cuts = np.unique(np.quantile(column[known], np.linspace(0, 1, 201)[1:-1]))
        column[known] = np.searchsorted(cuts, column[known], side="right")
    return bins


def loss(library: Any, params: dict[str, Any], parts: list[tuple[np.ndarray, np.ndarray]], rounds: int) -> float:
    """Train on the first part; returns the default metric on the second part."""
    train, held_out = (library.DMatrix(features, label=labels) for features, labels in parts)
    booster = library.train(params, train, rounds)
    return float(booster.eval(held_out).rsplit(":", 1)[1])


def parity(splits: int, threads: int) -> int:
    """Print the table; returns the number of lines beyond the tolerance."""
    beyond = 0
    print("| data | rows x features, outputs | Kauri | XGBoost | difference | Kauri, a tree per output | XGBoost |")
    print("|---|---|---|---|---|---|---|")
    for name in REAL:
        features, labels, params = real_set(name, 20000)
        params = {
            **params,
            "eta": 0.1,
            "max_depth": 5,
            "min_child_weight": 0,
            "nthread": threads,
            "tree_method": "hist",
        }
        features = in_bins(features)
        losses: dict[tuple[str, str], list[float]] = {}
        for seed in range(splits):
            order = np.random.default_rng(seed).permutation(len(features))
            cut = len(features) // 5
            parts = [(features[rows], labels[rows]) for rows in (order[cut:], order[:cut])]
            for strategy in STRATEGIES:
                for title, library in LIBRARIES.items():
                    value = loss(library, {**params, "multi_strategy": strategy}, parts, 60)
                    losses.setdefault((title, strategy), []).append(value)
        means = {key: float(np.mean(values)) for key, values in losses.items()}
        ours, theirs = (np.array(losses[title, STRATEGIES[0]]) for title in LIBRARIES)
        differences = 100 * (ours - theirs) / theirs.mean()
        error = differences.std(ddof=1) / np.sqrt(splits)
        beyond += abs(differences.mean()) > max(0.2, 2 * error)
        outputs = params.get("num_class") or labels.shape[1]
        print(
            f"| {name} | {len(features)} x {features.shape[1]}, {outputs} | {means['Kauri', STRATEGIES[0]]:.5f} "
            f"| {means['XGBoost', STRATEGIES[0]]:.5f} | {differences.mean():+.2f} +- {error:.2f} % "
            f"| {means['Kauri', STRATEGIES[1]]:.5f} | {means['XGBoost', STRATEGIES[1]]:.5f} |",
            flush=True,
        )
    return beyond


def synthetic(kind: str, n_outputs: int, n_rows: int) -> Table:
    """Return 28 features, `n_outputs` targets or binary labels, and parameters."""
    rng = np.random.default_rng(0)
    features = rng.normal(size=(n_rows, 28)).astype(np.float32)
    scores = features @ rng.normal(size=(28, n_outputs))
    if kind == "labels":
        return (
            features,
            (scores + rng.normal(size=scores.shape) > 0).astype(np.float32),
            {"objective": "binary:logistic"},
        )
    return features, (np.tanh(scores) + 0.3 * rng.normal(size=scores.shape)).astype(np.float32), {}


def milliseconds(library: Any, params: dict[str, Any], data: Any, rounds: int) -> float:
    """Return the milliseconds of the fastest round, without the first, which also makes the bins."""
    booster = library.Booster(params, [data])
    times = []
    for i in range(rounds + 1):
        start = time.process_time()
        booster.update(data, i)
        times.append(time.process_time() - start)
    return 1000 * min(times[1:])


def speed_cases() -> dict[str, Table]:
    """Return the data sets for training and prediction, by name."""
    return {
        "covertype, 7 classes": real_set("covtype", 200000),
        "8 targets": synthetic("targets", 8, 100000),
        "16 labels": synthetic("labels", 16, 100000),
        "64 targets": synthetic("targets", 64, 40000),
    }


def predict(threads: int) -> None:
    """Print the table."""
    print("| data | rows x features | Kauri | XGBoost / Kauri | 1,000 rows, Kauri | XGBoost / Kauri |")
    print("|---|---|---|---|---|---|")
    for name, (features, labels, params) in speed_cases().items():
        params = {**params, "tree_method": "hist", "max_depth": 6, "nthread": threads}
        model = kb.train({**params, "multi_strategy": STRATEGIES[0]}, kb.DMatrix(features, label=labels), 30)
        boosters = [
            library.Booster({"nthread": threads}, model_file=model.save_raw()) for library in LIBRARIES.values()
        ]
        cells = []
        for rows, repeats in ((features, 7), (features[:1000], 60)):
            times: list[list[float]] = [[], []]
            for _ in range(repeats + 1):
                margins = []
                for booster, taken in zip(boosters, times, strict=True):
                    start = time.process_time()
                    margins.append(booster.inplace_predict(rows, predict_type="margin"))
                    taken.append(time.process_time() - start)
                np.testing.assert_allclose(*margins, rtol=1e-4, atol=1e-4)
            ours, theirs = map(min, times)
            cells.append(f"{1000 * ours:.3g} ms | {theirs / ours:.1f}")
        print(f"| {name} | {len(features)} x {features.shape[1]} | {' | '.join(cells)} |", flush=True)


def speed(threads: int) -> None:
    """Print the table."""
    print("| data | rows x features | Kauri | XGBoost | XGBoost / Kauri | Kauri, a tree per output | XGBoost |")
    print("|---|---|---|---|---|---|---|")
    for name, (features, labels, params) in speed_cases().items():
        params = {**params, "tree_method": "hist", "max_depth": 6, "nthread": threads}
        times: dict[tuple[str, str], float] = {}
        for _ in range(2):
            for strategy in STRATEGIES:
                for title, library in LIBRARIES.items():
                    data = library.DMatrix(features, label=labels)
                    took = milliseconds(library, {**params, "multi_strategy": strategy}, data, 6)
                    times[title, strategy] = min(took, times.get((title, strategy), np.inf))
        ours, theirs = (times[title, STRATEGIES[0]] for title in LIBRARIES)
        others = " | ".join(f"{times[title, STRATEGIES[1]]:.0f} ms" for title in LIBRARIES)
        shape = f"{len(features)} x {features.shape[1]}"
        print(f"| {name} | {shape} | {ours:.0f} ms | {theirs:.0f} ms | {theirs / ours:.1f} | {others} |", flush=True)


def main() -> int:
    """Run the requested table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=["parity", "speed", "predict"])
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    print(f"XGBoost {xgboost.__version__}\n")
    if arguments.table == "parity":
        return min(1, parity(arguments.splits, arguments.threads))
    {"speed": speed, "predict": predict}[arguments.table](arguments.threads)
    return 0


if __name__ == "__main__":
    sys.exit(main())
