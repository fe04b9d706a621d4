"""Absolute and quantile errors on ten real sets: held-out losses of Kauri beside a peer, at their defaults.

    python tests/benchmark/line_losses.py xgboost|lightgbm|kauri [set ...] [--splits 5] [--rounds 100] [--threads 2]

Needs the real data sets (`KAURI_DATA`, by default `../shared/data` beside the project) and the peer in the interpreter
that runs it. Our figures of XGBoost are from version 3.4, whose rules Kauri follows and which needs Python 3.12 or
later. Sets of more than 40,000 rows are reduced to 40,000 random rows. The first of several label columns counts.
Categories are numbers for all libraries. Values are means over random splits that hold out a fifth of the rows: the
mean absolute error, or the mean pinball loss of the quantile. The last columns are Kauri's value minus the peer's in
percent of the peer's, and the standard error of the mean over the splits. `--set key=value` gives Kauri a parameter;
with `--method exact` Kauri and XGBoost choose from the same thresholds. The peer kauri is Kauri without `--set`, which
shows the effect of a parameter, as in `kauri --set split_criterion=absolute_error`. LightGBM's defaults are 31 leaves
and a learning rate of 0.1, which is not the same work.
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

SETS = ["boston", "machine_cpu", "enb", "wq", "scpf", "ames", "california", "protein", "flights", "severity"]
MOST_ROWS = 40_000
ALPHAS: list[float | None] = [None, 0.1, 0.5, 0.9]  # None: absolute error
Rows = tuple[np.ndarray, np.ndarray]
Predictor = Callable[[Rows, np.ndarray, float | None, argparse.Namespace], np.ndarray]


def rows_of(name: str) -> Rows:
    """Return the features and one column of labels of at most MOST_ROWS rows."""
    features, labels, extras = load("fremtpl2" if name == "severity" else name)
    if name == "severity":
        labels = np.asarray(extras["claim_amount"])
        features, labels = features[labels > 0], labels[labels > 0]
    labels = np.asarray(labels, dtype=np.float32)
    labels = labels[:, 0] if labels.ndim == 2 else labels
    kept = np.random.default_rng(0).permutation(len(labels))[:MOST_ROWS]
    return np.ascontiguousarray(features[kept], dtype=np.float32), labels[kept]


def objective(alpha: float | None) -> dict[str, Any]:
    if alpha is None:
        return {"objective": "reg:absoluteerror"}
    return {"objective": "reg:quantileerror", "quantile_alpha": alpha}


def by_kauri(train: Rows, features: np.ndarray, alpha: float | None, options: argparse.Namespace) -> np.ndarray:
    params = {**objective(alpha), "nthread": options.threads, "tree_method": options.method}
    params |= dict(pair.split("=", 1) for pair in options.set)
    model = kb.train(params, kb.DMatrix(train[0], label=train[1]), options.rounds, verbose_eval=False)
    return model.predict(kb.DMatrix(features))


def by_xgboost(train: Rows, features: np.ndarray, alpha: float | None, options: argparse.Namespace) -> np.ndarray:
    import xgboost

    params = {**objective(alpha), "nthread": options.threads, "tree_method": options.method}
    model = xgboost.train(params, xgboost.DMatrix(train[0], label=train[1]), options.rounds)
    return model.predict(xgboost.DMatrix(features))


def by_lightgbm(train: Rows, features: np.ndarray, alpha: float | None, options: argparse.Namespace) -> np.ndarray:
    import lightgbm

    params = {"objective": "l1"} if alpha is None else {"objective": "quantile", "alpha": alpha}
    params |= {"num_threads": options.threads, "verbose": -1}
    return lightgbm.train(params, lightgbm.Dataset(*train), options.rounds).predict(features)


def by_plain_kauri(train: Rows, features: np.ndarray, alpha: float | None, options: argparse.Namespace) -> np.ndarray:
    return by_kauri(train, features, alpha, argparse.Namespace(**{**vars(options), "set": []}))


PEERS: dict[str, Predictor] = {"xgboost": by_xgboost, "lightgbm": by_lightgbm, "kauri": by_plain_kauri}


def loss(predictions: np.ndarray, labels: np.ndarray, alpha: float | None) -> float:
    residuals = labels.astype(np.float64) - predictions
    if alpha is None:
        return float(np.abs(residuals).mean())
    return float(np.maximum(alpha * residuals, (alpha - 1) * residuals).mean())


def losses(rows: Rows, alpha: float | None, options: argparse.Namespace) -> np.ndarray:
    """Return the losses of Kauri and of the peer, [splits, 2]."""
    features, labels = rows
    found = []
    for seed in range(options.splits):
        order = np.random.default_rng(seed).permutation(len(labels))
        test, train = np.split(order, [len(order) // 5])
        values = [
            loss(predict((features[train], labels[train]), features[test], alpha, options), labels[test], alpha)
            for predict in (by_kauri, PEERS[options.peer])
        ]
        found.append(values)
    return np.array(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer", choices=PEERS)
    parser.add_argument("sets", nargs="*", metavar="set", default=SETS)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--method", default="hist", help="tree_method of Kauri and XGBoost")
    parser.add_argument("--set", action="append", default=[], metavar="key=value")
    options = parser.parse_args()
    print(f"| set | loss | Kauri | {options.peer} | difference (%) | error of it |\n|---|---|---|---|---|---|")
    for name in options.sets:
        rows = rows_of(name)
        for alpha in ALPHAS:
            found = losses(rows, alpha, options)
            ours, theirs = found.mean(axis=0)
            percent = 100 * (found[:, 0] / found[:, 1] - 1)
            error = percent.std(ddof=1) / np.sqrt(len(percent)) if len(percent) > 1 else float("nan")
            label = "absolute" if alpha is None else f"quantile {alpha}"
            print(f"| {name} | {label} | {ours:.5g} | {theirs:.5g} | {percent.mean():+.2f} | {error:.2f} |", flush=True)


if __name__ == "__main__":
    main()
