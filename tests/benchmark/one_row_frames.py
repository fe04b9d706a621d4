"""Predictions of one row, as in a service: from a pandas frame of one row, beside LightGBM and arrays.

    python tests/benchmark/one_row_frames.py [--columns 28] [--rounds 100] [--repeats 300]

Prints medians of the thread's processor time; libraries and forms take turns. Wrong answers fail: each form must give
the same prediction as the whole data set for that row.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python-package"))
import kauriboost as kb

ROW = 3


def frame_of(n_columns: int, n_names: int) -> pd.DataFrame:
    """Return a frame of numbers, and with `n_names` > 0 also a column of that many categories."""
    rng = np.random.default_rng(1)
    n_rows = max(5000, 2 * n_names)
    frame = pd.DataFrame(rng.normal(size=(n_rows, n_columns)), columns=[f"column {i}" for i in range(n_columns)])
    if n_names:
        names = [f"name number {i}" for i in range(n_names)]
        frame["town"] = pd.Categorical.from_codes(rng.integers(0, n_names, n_rows), categories=names)
    return frame


def medians(forms: dict[str, Callable[[], Any]], repeats: int) -> dict[str, float]:
    """Return the median milliseconds of each form."""
    seconds: dict[str, list[float]] = {name: [] for name in forms}
    for _ in range(repeats):
        for name, call in forms.items():
            start = time.thread_time()
            call()
            seconds[name].append(time.thread_time() - start)
    return {name: statistics.median(times) * 1e3 for name, times in seconds.items()}


def run(n_names: int, args: argparse.Namespace) -> None:
    """Print one line."""
    frame = frame_of(args.columns, n_names)
    label = frame["column 0"] + frame["column 1"] * frame["column 2"]
    data = kb.DMatrix(frame, label)
    booster = kb.train({"max_depth": 6, "nthread": 1}, data, args.rounds)
    settings = {"verbose": -1, "num_threads": 1, "num_leaves": 64}
    peer = lightgbm.train(settings, lightgbm.Dataset(frame, label), args.rounds)
    estimator = kb.KauriRegressor(n_jobs=1, n_estimators=args.rounds).fit(frame, label)
    one = frame.iloc[[ROW]]
    forms = {
        "inplace_predict": lambda: booster.inplace_predict(one),
        "estimator": lambda: estimator.predict(one),
        "DMatrix": lambda: booster.predict(kb.DMatrix(one)),
        "LightGBM": lambda: peer.predict(one),
    }
    expected = booster.predict(data)[ROW]
    if not n_names:
        array = np.ascontiguousarray(one, dtype=np.float32)
        forms["array"] = lambda: booster.inplace_predict(array)
    for name, call in forms.items():
        if name != "LightGBM":
            np.testing.assert_allclose(call(), expected, rtol=0 if name != "estimator" else 1e-6)
    times = medians(forms, args.repeats)
    shown = "  ".join(f"{name} {milliseconds:7.3f}" for name, milliseconds in times.items())
    print(f"{args.columns} numbers, {n_names:6} names: {shown}  (ms)", flush=True)


def main() -> None:
    """Run without names, with a few, and with very many."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--columns", type=int, default=28)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=300)
    args = parser.parse_args()
    for n_names in (0, 50, 50_000):
        run(n_names, args)


if __name__ == "__main__":
    main()
