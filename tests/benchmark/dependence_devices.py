"""Curves, joint dependences and effects on a device beside the CPU, in one process; the bits must be equal.

    python tests/benchmark/dependence_devices.py [--rows 3000000] [--features 127] [--trees 100] [--depth 6]
        [--pairs 190] [--repeats 3] [--threads 16]

The jobs: the curves of all features at every threshold; the curves with joint dependences of some pairs; the effects of
the functional analysis of variance; the cells of all rows. Times are medians of the wall time, of the library's calls
alone; the first call on the device is left out. The model is trained on a part of the rows.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python-package"))
import kauriboost as kb
from kauriboost._explaining.exact_dependence import Steps, steps_of
from kauriboost._explaining.subject import subject_of

MOST_TRAINING_ROWS = 200_000
MOST_SECONDS = 8.0  # of a job that is run again


def problem(args: argparse.Namespace) -> tuple[kb.DMatrix, kb.Booster]:
    """Return the rows and a model of them."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((args.rows, args.features), dtype=np.float32)
    part = X[:MOST_TRAINING_ROWS]
    y = part[:, 0] * part[:, 1] + np.sin(2 * part[:, 2]) + part @ rng.normal(size=args.features) / 4
    params = {"max_depth": args.depth, "nthread": args.threads, "tree_method": "hist", "max_bin": 64}
    return kb.DMatrix(X), kb.train(params, kb.DMatrix(part, label=y), args.trees, verbose_eval=False)


def same(one: Steps, other: Steps) -> bool:
    """Return whether two results have equal numbers."""
    parts = ((one.curves, other.curves), (one.surfaces, other.surfaces), ([one.cells], [other.cells]))
    return all(np.array_equal(a, b) for left, right in parts for a, b in zip(left, right))


def main() -> None:
    """Run each job on both devices."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sizes = {"rows": 3_000_000, "features": 127, "trees": 100, "depth": 6, "pairs": 190, "repeats": 3, "threads": 16}
    for name, default in sizes.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    args = parser.parse_args()
    rows, model = problem(args)
    features = list(range(args.features))
    pairs = list(itertools.combinations(features, 2))[: args.pairs]

    def job(*more: object, **named: object) -> Callable[[], Steps]:
        return lambda: steps_of(subject_of(model, None), rows, features, *more, **named)  # type: ignore[arg-type]

    jobs = {
        "all curves": job(),
        f"all curves, {len(pairs)} pairs": job(pairs),
        "effects (product)": job(pairs, "product"),
        "all curves, cells of all rows": job(points=rows),
    }
    print(f"{'job':32} {'cpu s':>8} {'cuda s':>8}   ({args.rows} rows, {args.threads} threads)", flush=True)
    for name, run in jobs.items():
        medians, results = [], []
        for device in ("cpu", "cuda"):
            model.set_param({"device": device})
            seconds: list[float] = []
            for turn in range(args.repeats + (device == "cuda")):
                if seconds and seconds[0] > MOST_SECONDS:
                    break
                start = time.perf_counter()
                found = run()
                if device == "cpu" or turn > 0:
                    seconds.append(time.perf_counter() - start)
            medians.append(statistics.median(seconds))
            results.append(found)
        if not same(*results):
            raise SystemExit(f"{name}: the device has other bits")
        print(f"{name:32} {medians[0]:8.3f} {medians[1]:8.3f}", flush=True)


if __name__ == "__main__":
    main()
