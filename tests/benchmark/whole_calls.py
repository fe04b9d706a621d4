"""Time from arrays to a model, and of predictions from host memory: what a caller waits for.

    python tests/benchmark/whole_calls.py              # on a device: 10 M x 28 and 1 M x 28, 100 rounds
    python tests/benchmark/whole_calls.py --xgboost    # with XGBoost in the same process
    python tests/benchmark/whole_calls.py --device cpu --rows 20000 --rounds 5

Rows are a mixture of 24 Gaussians with two classes. Each line has the milliseconds of making the matrix, of training,
and of both, medians of --repeats calls; every call makes its matrix anew. CuPy's lines need CuPy and a device.
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import kauriboost as kb
import numpy as np
from kauriboost.sklearn import KauriClassifier

N_COLUMNS = 28
N_GROUPS = 24
Steps = Sequence[Callable[..., Any]]  # each gets what the one before has made


def mixture(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows, [n_rows, 28] of float32, and labels, 0 or 1 of float32."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, N_GROUPS, n_rows)
    rows = rng.standard_normal((n_rows, N_COLUMNS), dtype=np.float32)
    rows += rng.normal(scale=1.5, size=(N_GROUPS, N_COLUMNS)).astype(np.float32)[group]
    return rows, ((group % 2) ^ (rng.random(n_rows) < 0.1)).astype(np.float32)


def milliseconds(steps: Steps) -> list[float]:
    """Return the time of each step, which gets the result of the step before, and of all."""
    times = [time.perf_counter()]
    made: tuple[Any, ...] = ()
    for step in steps:
        made = (step(*made),)
        times.append(time.perf_counter())
    return [1e3 * (end - begin) for begin, end in zip(times, times[1:])] + [1e3 * (times[-1] - times[0])]


def ways(rows: np.ndarray, labels: np.ndarray, options: argparse.Namespace) -> dict[str, Steps]:
    """Return the steps of each way from arrays to a model."""
    device = options.device
    params = {"objective": "binary:logistic", "tree_method": "hist", "device": device, "max_depth": 6, "eta": 0.1}
    where = {} if device == "cpu" else {"device": device}

    def fit(given: np.ndarray) -> KauriClassifier:
        model = KauriClassifier(
            n_estimators=options.rounds, max_depth=6, learning_rate=0.1, tree_method="hist", device=device
        )
        return model.fit(rows, given)

    def train(matrix: kb.DMatrix) -> kb.Booster:
        return kb.train(params, matrix, options.rounds)

    integers = labels.astype(np.int64)
    found: dict[str, Steps] = {
        "DMatrix": (lambda: kb.DMatrix(rows, labels), train),
        "QuantileDMatrix": (lambda: kb.QuantileDMatrix(rows, labels, **where), train),
        "fit, labels of float32": (lambda: fit(labels),),
        "fit, labels of int64": (lambda: fit(integers),),
    }
    if device != "cpu":
        cupy = importlib.import_module("cupy")
        there, labels_there = cupy.asarray(rows), cupy.asarray(labels)
        found["DMatrix of CuPy"] = (lambda: kb.DMatrix(there, labels_there), train)
        found["QuantileDMatrix of CuPy"] = (lambda: kb.QuantileDMatrix(there, labels_there), train)
    if options.xgboost:
        peer = importlib.import_module("xgboost")
        found["XGBoost, DMatrix"] = (
            lambda: peer.DMatrix(rows, labels),
            lambda matrix: peer.train(params, matrix, options.rounds),
        )
        found["XGBoost, QuantileDMatrix"] = (
            lambda: peer.QuantileDMatrix(rows, labels),
            lambda matrix: peer.train(params, matrix, options.rounds),
        )
    model = train(kb.DMatrix(rows, labels))
    found["inplace_predict"] = (lambda: model.inplace_predict(rows),)
    return found


def main(words: list[str] | None = None) -> None:
    """Measure and print a line for each way."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--xgboost", action="store_true", help="measure XGBoost, too")
    options = parser.parse_args(words)
    for n_rows in options.rows:
        for name, steps in ways(*mixture(n_rows), options).items():
            times = [milliseconds(steps) for _ in range(options.repeats)]
            middle = [statistics.median(each) for each in zip(*times)]
            shown = middle if len(steps) > 1 else middle[-1:]
            print(f"{n_rows:,} rows, {name}: {', '.join(f'{each:.0f}' for each in shown)} ms", flush=True)


if __name__ == "__main__":
    main()
