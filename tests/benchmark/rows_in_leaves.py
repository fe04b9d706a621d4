"""Fewest rows in a leaf with and without min_data_in_leaf, on real sets by every method, and the cost of counting rows.

    python tests/benchmark/rows_in_leaves.py [--least 20] [--rounds 50] [--repeats 5] [--rows 100000]
    python tests/benchmark/rows_in_leaves.py --data FOLDER [--device cuda] [--rounds 50] set ...

By default the sets are scikit-learn's. Named sets come from FOLDER (or KAURI_DATA), which holds load.py, as for
gpu_exact_tables.py. The output is a line per set and method: the fewest rows in a leaf over all leaves of all trees,
without the parameter and with it, and the training error of both. Without named sets, processor times of trainings on
random rows follow: medians of several, with and without the parameter in turns, one thread. The exit status is 1 if a
leaf has fewer rows than required.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python-package"))
import kauriboost as kb
from paper_tables.real_sets import real_set

Audited = tuple[str, dict[str, Any], kb.DMatrix]  # name, objective, rows

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
    """Train; returns the fewest rows in a leaf, and the training error."""
    history: dict[str, Any] = {}
    model = kb.train(params, data, rounds, evals=[(data, "train")], evals_result=history, verbose_eval=False)
    (errors,) = history["train"].values()
    return fewest_rows(model, data), errors[-1]


def sets_of_folder(names: list[str], folder: Path | None) -> Iterator[Audited]:
    for name in names:
        found = real_set(name, folder)
        if found is not None:
            train, types = found.train, found.with_categories().types
            data = kb.DMatrix(train.features, label=train.labels, group=train.group, feature_types=types)
            yield name, train.params, data


def sets_of_scikit_learn() -> Iterator[Audited]:
    for name, (load, objective) in SETS.items():
        yield name, objective, kb.DMatrix(*load(return_X_y=True))


def for_method(method: str, device: str, data: kb.DMatrix) -> kb.DMatrix:
    """Return the rows, with categories as numbers if the method, or its limit on leaves, supports only numbers."""
    takes_numbers = method == "hist, symmetric" or (method == "exact" and device != "cpu")
    if not takes_numbers or "c" not in (data.feature_types or []):
        return data
    numbers = data.slice(np.arange(data.num_row()), allow_groups=True)
    numbers.feature_types = ["q"] * data.num_col()
    return numbers


def audit(args: argparse.Namespace) -> bool:
    """Print the lines of all sets; returns whether each leaf has the required rows."""
    kept = True
    sets = sets_of_folder(args.sets, args.data) if args.sets else sets_of_scikit_learn()
    for (name, objective, rows), (method, how) in ((one, m) for one in sets for m in METHODS.items()):
        if method == "hist, vector leaves" and "num_class" not in objective:
            continue
        if method == "hist, symmetric" and args.device != "cpu":
            continue  # symmetric trees grow on the CPU only
        data = for_method(method, args.device, rows)
        params = {**objective, "max_depth": 6, **how, "nthread": args.threads, "device": args.device}
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
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--data", type=Path, default=os.environ.get("KAURI_DATA"))
    parser.add_argument("sets", nargs="*", metavar="set", help="names of sets of --data; none: scikit-learn's")
    args = parser.parse_args()
    kept = audit(args)
    if not args.sets:
        times(args)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
