"""Training on several devices of one host beside one device: milliseconds of a tree, and equality of the models.

    python tests/benchmark/gpu_shares.py                                 # 100 M x 28, depth 8, on cuda:0, and on all
    python tests/benchmark/gpu_shares.py --rows 10000000 --depth 6 12 --devices cuda:0 cuda:0,1
    python tests/benchmark/gpu_shares.py --rows 10000000 --devices cuda:0 --ratios 0.5 1   # rows in the host's memory
    python tests/benchmark/gpu_shares.py --rows 10000000 --method approx
    python tests/benchmark/gpu_shares.py --rows 10000000 --targets 5                       # vector leaves

CuPy makes the rows on the first device, where a QuantileDMatrix reads them (for approx a DMatrix). A tree's time is the
time difference of two trainings on one matrix, divided by the difference in rounds; medians of --repeats. The exit
status is 1 if the models of two placements differ by a byte.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, os.environ.get("KAURI_PYTHON_PACKAGE", str(Path(__file__).resolve().parents[2] / "python-package")))

import kauriboost as kb

BLOCK_ROWS = 4_000_000


def make_rows(n_rows: int, n_cols: int, n_targets: int) -> tuple[Any, Any]:
    """Return normal deviates and noisy binary labels, in the memory of the first device."""
    cupy = importlib.import_module("cupy")
    random = cupy.random.default_rng(0)
    rows = cupy.empty((n_rows, n_cols), cupy.float32)
    labels = cupy.empty((n_rows, n_targets), cupy.float32)
    for first in range(0, n_rows, BLOCK_ROWS):
        block = rows[first : first + BLOCK_ROWS]
        block[:] = random.standard_normal(block.shape, dtype=cupy.float32)
        signal = block[:, 0] * block[:, 1] + cupy.abs(block[:, 2]) + 0.5 * block[:, 3] - 0.8
        for target in range(n_targets):
            noise = random.standard_normal(len(block), dtype=cupy.float32)
            labels[first : first + BLOCK_ROWS, target] = signal + target * block[:, 1] + noise > 0
    return rows, labels


def make_matrix(args: argparse.Namespace) -> kb.DMatrix:
    """Return the matrix. The rows are freed once they are binned or copied."""
    rows, labels = make_rows(args.rows, args.columns, args.targets)
    matrix = (kb.DMatrix if args.method == "approx" else kb.QuantileDMatrix)(rows, labels)
    del rows, labels
    importlib.import_module("cupy").get_default_memory_pool().free_all_blocks()
    return matrix


def digest_without_device(booster: kb.Booster) -> str:
    """Return the digest of the model's file, which does not mention devices."""
    return hashlib.sha256(booster.save_raw("ubj")).hexdigest()[:12]


def measure(matrix: kb.DMatrix, depth: int, where: dict[str, Any], args: argparse.Namespace) -> tuple[float, str]:
    """Return the milliseconds of a tree, and the digest of the longer training's model."""
    params = {
        "objective": "binary:logistic",
        "tree_method": args.method,
        "multi_strategy": "multi_output_tree" if args.targets > 1 else "one_output_per_tree",
        **where,
        "max_depth": depth,
        "verbosity": 1,
    }

    def train(n_rounds: int) -> tuple[float, kb.Booster]:
        start = time.perf_counter()
        booster = kb.train(params, matrix, n_rounds, verbose_eval=False)
        return time.perf_counter() - start, booster

    few = max(1, args.rounds // 10)
    train(few)
    taken = []
    for _ in range(args.repeats):
        short, _ = train(few)
        long, booster = train(args.rounds)
        taken.append((long - short) / (args.rounds - few))
    return 1e3 * statistics.median(taken), digest_without_device(booster)


def main() -> int:
    """Measure; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--columns", type=int, default=28)
    parser.add_argument("--method", choices=["hist", "approx"], default="hist")
    parser.add_argument("--targets", type=int, default=1, help="more than one: trees with vector leaves")
    parser.add_argument("--depth", type=int, nargs="+", default=[8])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--devices", nargs="+", default=["cuda:0", "cuda:all"])
    parser.add_argument("--ratios", type=float, nargs="+", default=[], help="cache_host_ratio, on the first of these")
    args = parser.parse_args()
    matrix = make_matrix(args)
    status = 0
    for depth in args.depth:
        places: dict[str, dict[str, Any]] = {device: {"device": device} for device in args.devices}
        for ratio in args.ratios:
            places[f"{ratio:g} in host memory"] = {"device": args.devices[0], "cache_host_ratio": ratio}
        found = {name: measure(matrix, depth, where, args) for name, where in places.items()}
        first, first_digest = found[args.devices[0]]
        for name, (value, digest) in found.items():
            same = "" if digest == first_digest else " OTHER BYTES"
            status |= digest != first_digest
            print(
                f"{args.method}, {args.targets} targets, {args.rows:,} x {args.columns}, depth {depth}, {name}: "
                f"{value:.2f} ms a tree, "
                f"{first / value:.2f} times {args.devices[0]}{same}",
                flush=True,
            )
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
