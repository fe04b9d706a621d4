"""Training and prediction times of grow_policy=symmetric beside depthwise, and beside CatBoost if it is installed.

    build-peers/quality/bin/python tests/benchmark/symmetric_trees.py [--threads 1] [--rounds 100] [--repeats 3]

Times are processor times, the fastest of several; the entrants take turns. They cover a training (including data) and a
prediction of all its rows from an array. Depth 6, a learning rate of 0.1, at most 256 bins. The rows are random, from a
fixed seed, and the labels are a function of six of the features, with noise.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python-package"))
import kauriboost as kb

SHAPES = ((2_000, 10), (20_000, 28), (200_000, 28))
Predictor = Callable[[np.ndarray], np.ndarray]


def table(n_rows: int, n_cols: int) -> tuple[np.ndarray, np.ndarray]:
    """Return features and labels."""
    random = np.random.default_rng(1)
    values = random.normal(size=(n_rows, n_cols)).astype(np.float32)
    score = (
        values[:, 0] + values[:, 1] * values[:, 2] + np.abs(values[:, 3]) + np.where(values[:, 4] > 0, values[:, 5], 0)
    )
    return values, (score + random.normal(size=n_rows)).astype(np.float32)


def kauri(policy: str, args: argparse.Namespace) -> Callable[[np.ndarray, np.ndarray], Predictor]:
    """Return a learner of Kauri, which returns a prediction function."""
    params = {"grow_policy": policy, "max_depth": 6, "eta": 0.1, "nthread": args.threads}

    def learn(features: np.ndarray, labels: np.ndarray) -> Predictor:
        return kb.train(params, kb.DMatrix(features, label=labels), args.rounds, verbose_eval=False).inplace_predict

    return learn


def catboost(args: argparse.Namespace) -> Callable[[np.ndarray, np.ndarray], Predictor]:
    """Return a learner of CatBoost, without its sampling of rows and its noise."""
    import catboost as library

    def learn(features: np.ndarray, labels: np.ndarray) -> Predictor:
        model = library.CatBoostRegressor(
            iterations=args.rounds,
            depth=6,
            learning_rate=0.1,
            border_count=254,
            bootstrap_type="No",
            random_strength=0,
            thread_count=args.threads,
            verbose=False,
            allow_writing_files=False,
        ).fit(features, labels)
        return lambda rows: model.predict(rows, thread_count=args.threads)

    return learn


def seconds(call: Callable, *given: np.ndarray) -> tuple[float, Any]:
    """Return the processor time of a call, and its result."""
    begin = time.process_time()
    result = call(*given)
    return time.process_time() - begin, result


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    entrants = {policy: kauri(policy, args) for policy in ("depthwise", "symmetric")}
    if importlib.util.find_spec("catboost") is not None:
        entrants["CatBoost"] = catboost(args)
    print("| rows x features | entrant | training, s | prediction, ms |\n|---|---|---|---|", flush=True)
    for shape in SHAPES:
        features, labels = table(*shape)
        best = {name: [np.inf, np.inf] for name in entrants}
        for _ in range(args.repeats):
            for name, learn in entrants.items():
                training, predict = seconds(learn, features, labels)
                predicting = min(seconds(predict, features)[0] for _ in range(5))
                best[name] = [min(best[name][0], training), min(best[name][1], predicting)]
        for name, (training, predicting) in best.items():
            print(f"| {shape[0]:,} x {shape[1]} | {name} | {training:.3f} | {1e3 * predicting:.2f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
