"""Training on bins in memory and in a file: peak memory, seconds and test AUC, each way in its own process.

The rows are generated batch by batch from seeds, so that only a library that stores them holds them all. Peak memory is
counted from after the imports and the first batch: the memory of the library's data and of training on them.

Run with the package on the path and KAURI_LIBRARY set; xgboost is compared if it is installed::

    python tests/benchmark/external_memory.py --rows 1000000 --cols 200 --budget 160 --threads 2
"""

from __future__ import annotations

import argparse
import importlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python-package"))

BATCH_ROWS = 50_000
WAYS = ["kauri values", "kauri bins", "kauri file", "kauri file, budget", "xgboost bins", "xgboost file"]


def peak_megabytes() -> float:
    """Return the largest resident size so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def batch_of(seed: int, n_rows: int, n_cols: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and labels that depend on five columns."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n_rows, n_cols), dtype=np.float32)
    signal = rows[:, 0] + rows[:, 1] * rows[:, 2] + np.abs(rows[:, 3]) * rows[:, 4]
    labels = (signal + rng.standard_normal(n_rows, dtype=np.float32) > 0).astype(np.float32)
    return rows, labels


def iterator_of(base: type, args: argparse.Namespace, prefix: str | None) -> Any:
    """Return an iterator over the batches, derived from a library's class `base`."""
    sizes = [min(BATCH_ROWS, args.rows - first) for first in range(0, args.rows, BATCH_ROWS)]

    class Seeds(base):  # type: ignore[misc]
        def __init__(self) -> None:
            self.at = 0
            if base.__module__.startswith("xgboost"):
                super().__init__(cache_prefix=prefix)

        def next(self, input_data: Callable[..., None]) -> bool:
            if self.at == len(sizes):
                return False
            rows, labels = batch_of(self.at, sizes[self.at], args.cols)
            input_data(data=rows, label=labels)
            self.at += 1
            return True

        def reset(self) -> None:
            self.at = 0

    iterator = Seeds()
    iterator.cache_prefix = prefix
    return iterator


def make_data(way: str, module: Any, args: argparse.Namespace, prefix: str) -> Any:
    """Return the training data in the form that `way` names."""
    if way.endswith("values"):
        return module.DMatrix(iterator_of(module.DataIter, args, None), nthread=args.threads)
    if way.endswith("bins"):
        return module.QuantileDMatrix(iterator_of(module.DataIter, args, None), nthread=args.threads)
    settings = {"memory_budget": args.budget} if way.endswith("budget") else {}
    iterator = iterator_of(module.DataIter, args, prefix)
    return module.ExtMemQuantileDMatrix(iterator, nthread=args.threads, **settings)


def run_way(way: str, args: argparse.Namespace) -> dict[str, float]:
    """Make the data, train, and evaluate on other rows."""
    module = importlib.import_module({"kauri": "kauriboost", "xgboost": "xgboost"}[way.split()[0]])
    test, labels = batch_of(10**6, BATCH_ROWS, args.cols)
    batch_of(0, BATCH_ROWS, args.cols)  # the most that an iterator holds, besides the test rows
    before = peak_megabytes()
    params = {"objective": "binary:logistic", "tree_method": "hist", "max_depth": args.depth, "nthread": args.threads}
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        start = time.perf_counter()
        data = make_data(way, module, args, f"{folder}/cache")
        made = time.perf_counter()
        booster = module.train(params, data, args.rounds)
        trained = time.perf_counter()
        peak = peak_megabytes() - before
        scores = booster.predict(module.DMatrix(test))
        del data, booster
    order = np.argsort(scores, kind="stable")
    ranks = np.empty(len(order))
    ranks[order] = np.arange(1, len(order) + 1)
    n_positive = labels.sum()
    auc = (ranks[labels > 0].sum() - n_positive * (n_positive + 1) / 2) / (n_positive * (len(labels) - n_positive))
    return {"make": made - start, "train": trained - made, "peak": peak, "auc": float(auc)}


def main() -> None:
    """Run all ways, or in a child process its one way."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--cols", type=int, default=200)
    parser.add_argument("--depth", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--budget", type=int, default=160, help="MiB, for the way that has one")
    parser.add_argument("--folder", default=None, help="where files go; the folder for temporary files if not given")
    parser.add_argument("--ways", nargs="*", default=WAYS)
    parser.add_argument("--way", default=None, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.way is not None:
        print(json.dumps(run_way(args.way, args)))
        return
    raw = args.rows * args.cols * 4 / 2**20
    print(f"{args.rows:,} rows x {args.cols}: {raw:.0f} MiB of values; depth {args.depth}, {args.rounds} rounds")
    print(f"{'':20}{'make s':>9}{'train s':>9}{'peak MiB':>10}{'of values':>11}{'test AUC':>10}")
    for way in args.ways:
        command = [sys.executable, __file__, *sys.argv[1:], "--way", way]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(f"{way:20}{(done.stderr.strip().splitlines() or ['failed'])[-1]}")
            continue
        result = json.loads(done.stdout.splitlines()[-1])
        share = result["peak"] / raw
        print(
            f"{way:20}{result['make']:9.2f}{result['train']:9.2f}{result['peak']:10.0f}{share:11.2f}"
            f"{result['auc']:10.4f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
