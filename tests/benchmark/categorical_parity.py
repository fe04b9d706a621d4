"""Categorical columns of real sets: the metric on held-out rows and the time of training, Kauri beside XGBoost.

    python tests/benchmark/categorical_parity.py [set ...] [--splits 5] [--rounds 60] [--rows 40000] [--threads 2]

Needs the real data sets (`KAURI_DATA`, by default `../shared/data` beside the project). Values are means over random
splits that hold out a fifth of the rows. Differences are Kauri's value minus XGBoost's, in percent of XGBoost's, with
the standard error of their mean. "same bins": every number is replaced by the index of its quantile bin (200 bins), so
that both libraries choose from the same candidates. "raw": the values themselves, whose sketches differ. "exact": the
values themselves with Kauri's tree_method=exact, beside XGBoost's hist, since XGBoost's exact takes no categories. The
exit status is 1 if a difference of "same bins" is beyond 0.2 % and beyond two standard errors.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xgboost

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python-package"))
import kauriboost as kb

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("KAURI_DATA", ROOT.parent / "shared" / "data"))
sys.path.insert(0, str(DATA))
from load import load  # noqa: E402

SETS = ["adult", "ames", "titanic", "mushroom", "credit_default", "flights", "fremtpl2"]
OBJECTIVES = {"binary": ("binary:logistic", "logloss"), "regression": ("reg:squarederror", "rmse")}
N_BINS = 200
TOLERANCE = 0.2  # percent


@dataclass
class Task:
    features: np.ndarray
    labels: np.ndarray
    categorical: list[int]
    params: dict[str, Any]

    def types(self) -> list[str]:
        return ["c" if column in self.categorical else "q" for column in range(self.features.shape[1])]

    def binned(self) -> Task:
        features = self.features.copy()
        for column in set(range(features.shape[1])) - set(self.categorical):
            values = features[:, column]
            cuts = np.unique(np.nanquantile(values, np.linspace(0, 1, N_BINS + 1)[1:-1]))
            features[:, column] = np.where(np.isnan(values), np.nan, np.searchsorted(cuts, values, side="right"))
        return Task(features, self.labels, self.categorical, self.params)

    def matrix(self, library: Any, rows: np.ndarray) -> Any:
        more = {"enable_categorical": True} if library is xgboost else {}
        return library.DMatrix(self.features[rows], label=self.labels[rows], feature_types=self.types(), **more)


def read(name: str, n_rows: int) -> Task:
    features, labels, extras = load(name)
    kind = "binary" if extras["task"] == "binary" else "regression"
    labels = np.asarray(labels, np.float64)
    some = np.random.default_rng(1).permutation(len(labels))[:n_rows]
    some = some[np.isfinite(labels[some])]
    objective, metric = OBJECTIVES[kind]
    labels = np.log(labels[some]) if name == "ames" else labels[some]
    params = {"objective": objective, "eval_metric": metric}
    return Task(np.asarray(features, np.float32)[some], labels, extras["categorical"], params)


def learn(library: Any, task: Task, method: str, seed: int, arguments: argparse.Namespace) -> tuple[float, float]:
    """Return the metric on held-out rows, and the seconds of training without evaluation."""
    order = np.random.default_rng(seed).permutation(len(task.labels))
    held_out, used = order[: len(order) // 5], order[len(order) // 5 :]
    params = {**task.params, "tree_method": method, "nthread": arguments.threads}
    if library is kb:
        params.update(cat_smooth=0, max_cat_to_onehot=4)  # XGBoost has no cat_smooth; its max_cat_to_onehot is 4
    train, test = task.matrix(library, used), task.matrix(library, held_out)
    begin = time.perf_counter()
    booster = library.train(params, train, arguments.rounds)
    seconds = time.perf_counter() - begin
    return float(booster.eval(test).split(":")[-1]), seconds


def compare(task: Task, method: str, arguments: argparse.Namespace) -> tuple[float, float, float, float]:
    """Return XGBoost's mean metric, the difference in percent, its standard error, and XGBoost's time over Kauri's."""
    ours, theirs = [], []
    for seed in range(arguments.splits):
        ours.append(learn(kb, task, method, seed, arguments))
        theirs.append(learn(xgboost, task, "hist" if method == "exact" else method, seed, arguments))
    values, peers = np.array(ours), np.array(theirs)
    differences = 100 * (values[:, 0] / peers[:, 0] - 1)
    error = differences.std(ddof=1) / np.sqrt(len(differences)) if len(differences) > 1 else 0.0
    return peers[:, 0].mean(), differences.mean(), error, float(np.median(peers[:, 1]) / np.median(values[:, 1]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--rows", type=int, default=40_000)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    failed = False
    print("| set | rows | columns, categorical | most categories | data | XGBoost | difference, % | XGBoost / Kauri |")
    print("|---|---|---|---|---|---|---|---|")
    for name in arguments.sets:
        raw = read(name, arguments.rows)
        most = int(np.nanmax(raw.features[:, raw.categorical])) + 1
        for label, task, method in [("same bins", raw.binned(), "hist"), ("raw", raw, "hist"), ("exact", raw, "exact")]:
            peer, difference, error, ratio = compare(task, method, arguments)
            shape = f"{len(task.labels)} | {task.features.shape[1]}, {len(task.categorical)} | {most}"
            print(
                f"| {name} | {shape} | {label} | {peer:.5g} | {difference:+.3f} ± {error:.3f} | {ratio:.1f} |",
                flush=True,
            )
            failed |= label == "same bins" and abs(difference) > max(TOLERANCE, 2 * error)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
