"""The fewest rows in a leaf with and without min_data_in_leaf, on real sets by every method, and what counting costs.

    python tests/benchmark/rows_in_leaves.py [--least 20] [--rounds 50] [--repeats 5] [--rows 100000]

The sets are scikit-learn's. A line per set and method: the fewest rows that a leaf has, without the parameter and with
it, over all leaves of all trees, and the training error of both. Then processor times of trainings on drawn rows, each
the median of several, both in turns, one thread. The exit status is 1 where a leaf has fewer rows than were asked for.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python-package"))
import kauriboost as kb

SETS: dict[str, tuple[Any, dict[str, Any]]] = {
    "diabetes": (load_diabetes, {"objective": "reg:squarederror"}),
    "breast cancer": (load_breast_cancer, {"objective": "binary:logistic"}),
    "wine": (load_wine, {"objective": "multi:softprob", "num_class": 3}),
    "digits": (load_digits, {"objective": "multi:softprob", "num_class": 10}),
}
METHODS: dict[str, dict[str, Any]] = {
    "exact": {"tree_method": "exact"},
    "hist": {"tree_method": "hist"},
    "hist, lossguide": {"tree_method": "hist", "grow_policy": "lossguide", "max_leaves": 31, "max_depth": 0},
    "hist, symmetric": {"tree_method": "hist", "grow_policy": "symmetric"},
    "hist, vector leaves": {"tree_method": "hist", "multi_strategy": "multi_output_tree"},
    "approx": {"tree_method": "approx"},
}


def fewest_rows(model: kb.Booster, data: kb.DMatrix) -> int:
    leaves = np.asarray(model.predict(data, pred_leaf=True)).astype(np.int64).reshape(data.num_row(), -1)
    return min(int(np.unique(tree, return_counts=True)[1].min()) for tree in leaves.T)


def audited(params: dict[str, Any], data: kb.DMatrix, rounds: int) -> tuple[int, float]:
    """The fewest rows, and the training error."""
    history: dict[str, Any] = {}
    model = kb.train(params, data, rounds, evals=[(data, "train")], evals_result=history, verbose_eval=False)
    (errors,) = history["train"].values()
    return fewest_rows(model, data), errors[-1]


def audit(args: argparse.Namespace) -> bool:
    """Print the lines of all sets; whether each leaf has the rows that were asked for."""
    kept = True
    for (name, (load, objective)), (method, how) in ((s, m) for s in SETS.items() for m in METHODS.items()):
        if method == "hist, vector leaves" and "num_class" not in objective:
            continue
        data = kb.DMatrix(*load(return_X_y=True))
        params = {**objective, "max_depth": 6, **how, "nthread": 1}
        free = audited(params, data, args.rounds)
        limited = audited({**params, "min_data_in_leaf": args.least}, data, args.rounds)
        kept = kept and limited[0] >= args.least
        print(f"| {name} | {method} | {free[0]} | {limited[0]} | {free[1]:.4g} | {limited[1]:.4g} |", flush=True)
    return kept


def times(args: argparse.Namespace) -> None:
    random = np.random.default_rng(1)
    values = random.normal(size=(args.rows, 28)).astype(np.float32)
    labels = values[:, 0] + values[:, 1] * values[:, 2] + random.normal(size=args.rows)
    for method in ("exact", "hist", "approx"):
        data = kb.DMatrix(values, label=labels)
        seconds: dict[int, list[float]] = {0: [], args.least: []}
        for turn in range(args.repeats + 1):
            for least, taken in seconds.items():
                begin = time.process_time()
                kb.train({"tree_method": method, "min_data_in_leaf": least, "nthread": 1}, data, 10, verbose_eval=False)
                if turn > 0:
                    taken.append(time.process_time() - begin)
        free, limited = (statistics.median(taken) for taken in seconds.values())
        print(f"| {method} | {free / 10:.4f} s | {limited / 10:.4f} s | {limited / free:.2f} |", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--least", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--rows", type=int, default=100_000)
    args = parser.parse_args()
    kept = audit(args)
    times(args)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
