"""Folds and settings in one pass of `cv` beside one training after the other: wall-clock seconds, and bytes.

    python tests/benchmark/folds_in_one_pass.py [--repeats 3] [--threads N] [--folds 5] [ROWSxROUNDS ...]

The rows are random, 28 columns of float32, squared error, depth 6. "After" slices the folds once, calls `train` for
each setting and fold with all threads, evaluates both parts of the fold in each round as `cv` does, and predicts the
held-out rows. "Pass" is one call of `cv` that returns the models. Both run with bin edges of each fold's own, with the
bins of all rows, and with the latter for three settings; they take turns, and the numbers are medians. The exit status
is 1 if a model or a prediction differs by a byte.
"""

from __future__ import annotations

import argparse
import functools
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python-package"))
import kauriboost as kb

Settings = list[dict[str, Any]]
Outcome = list[tuple[bytes, bytes]]  # model and held-out predictions, by setting and fold


def drawn(rows: int) -> kb.DMatrix:
    random = np.random.default_rng(1)
    values = random.normal(size=(rows, 28)).astype(np.float32)
    return kb.DMatrix(values, label=values[:, 0] + values[:, 1] * values[:, 2] + random.normal(size=rows))


def in_one_pass(data: kb.DMatrix, settings: Settings, rounds: int, folds: Any, shared: bool) -> Outcome:
    found = kb.cv(settings, data, rounds, folds=folds, shared_bins=shared, return_models=True)
    return [
        (bytes(booster.save_raw("ubj")), one.predictions[test].tobytes())
        for one in found
        for booster, (_, test) in zip(one.boosters, one.folds)
    ]


def one_after_the_other(data: kb.DMatrix, settings: Settings, rounds: int, folds: Any, shared: bool) -> Outcome:
    whole = data.binned(256) if shared else data
    slices = [(whole.slice(train), whole.slice(test)) for train, test in folds]
    done = []
    for setting in settings:
        for train, test in slices:
            evals = [(train, "train"), (test, "test")]
            booster = kb.train(setting, train, rounds, evals=evals, verbose_eval=False)
            done.append((bytes(booster.save_raw("ubj")), booster.predict(test).tobytes()))
    return done


def seconds_of(work: Callable[..., Outcome], rows: int) -> tuple[float, Outcome]:
    """Return the time of the work alone, on a matrix without bins, and its outcome."""
    data = drawn(rows)
    begin = time.perf_counter()
    outcome = work(data)
    return time.perf_counter() - begin, outcome


def compare(what: str, rows: int, task: dict[str, Any], repeats: int) -> bool:
    """Print a line; returns whether all bytes are the same."""
    ways = [functools.partial(way, **task) for way in (one_after_the_other, in_one_pass)]
    taken: tuple[list[float], list[float]] = ([], [])
    same = True
    for turn in range(repeats + 1):
        done = [seconds_of(way, rows) for way in ways]
        same = same and done[0][1] == done[1][1]
        for kept, (seconds, _) in zip(taken, done if turn > 0 else []):
            kept.append(seconds)
    after, at_once = (statistics.median(kept) for kept in taken)
    told = "the same" if same else "OTHERS"
    print(
        f"| {rows:,}, {task['rounds']} | {what} | {after:.2f} | {at_once:.2f} | {after / at_once:.2f} | {told} |",
        flush=True,
    )
    return same


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("sizes", nargs="*", default=["2000x100", "20000x100", "200000x20"], metavar="ROWSxROUNDS")
    args = parser.parse_args()
    first = {"max_depth": 6, "eta": 0.1, "nthread": args.threads}
    several = [first, {**first, "max_depth": 4}, {**first, "max_depth": 8}]
    print(f"| rows, rounds ({args.folds} folds, {args.threads} threads) | what | after | pass | ratio | bytes |")
    print("|---|---|---|---|---|---|")
    same = True
    for rows, rounds in (map(int, size.split("x")) for size in args.sizes):
        folds = kb.cv(first, drawn(rows), 1, nfold=args.folds, seed=3, return_models=True).folds
        cases = [
            ("own cuts", [first], False),
            ("shared bins", [first], True),
            ("3 settings, shared bins", several, True),
        ]
        for what, settings, shared in cases:
            task = {"settings": settings, "rounds": rounds, "folds": folds, "shared": shared}
            same = compare(what, rows, task, args.repeats) and same
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
