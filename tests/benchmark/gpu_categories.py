"""Categorical columns in `exact` on the device: milliseconds of a tree, beside the CPU and beside numeric columns.

    python tests/benchmark/gpu_categories.py [--scale 1] [--rounds 21] [--cpu-rounds 3]

Half of the columns are normal deviates, half are categories of skewed frequencies, each with its own effect.
"as numbers" is the device on the same values without types. Times are medians of five windows of rounds, without the
first round. The exit status is 1 if the models of device and CPU differ after the CPU's rounds.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python-package"))
from paper_tables import arguments
from paper_tables.report import Column, Report, Row
from paper_tables.training import device_params, forget_peak, model_digest, peak_memory, train_timed


@dataclass
class Shape:
    """A case: the number of numeric columns, and the number of categories of each categorical column."""

    rows: int
    numbers: int
    categories: tuple[int, ...]
    depth: int


SHAPES = [
    Shape(1_000_000, 14, (2, 3) * 7, 6),
    Shape(1_000_000, 14, (10, 30, 100, 300, 10, 30, 100) * 2, 6),
    Shape(1_000_000, 14, (100,) * 14, 12),
    Shape(1_000_000, 4, (5_000,) * 4, 8),
    Shape(1_000_000, 4, (100_000,), 8),
    Shape(10_000_000, 14, (10, 30, 100, 300, 10, 30, 100) * 2, 6),
]
COLUMNS: list[Column] = [
    ("rows", "rows", "{:,}"),
    ("numbers", "numbers", "{}"),
    ("categorical columns", "columns", "{}"),
    ("categories", "categories", "{:,}"),
    ("depth", "depth", "{}"),
    ("device, ms", "ms", "{:.2f}"),
    ("as numbers, ms", "numbers_ms", "{:.2f}"),
    ("CPU, ms", "cpu_ms", "{:.0f}"),
    ("CPU / device", "speedup", "{:.0f}"),
    ("device memory, GB", "memory_gb", "{:.2f}"),
    ("same bytes", "equal_bytes", "{}"),
]


def make(shape: Shape, n_rows: int) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Return features, labels and types."""
    rng = np.random.default_rng(0)
    features = np.empty((n_rows, shape.numbers + len(shape.categories)), np.float32)
    signal = np.zeros(n_rows, np.float32)
    for column in range(shape.numbers):
        features[:, column] = rng.standard_normal(n_rows, dtype=np.float32)
        signal += features[:, column] * (column < 4)
    for place, count in enumerate(shape.categories, shape.numbers):
        codes = (count * rng.random(n_rows, dtype=np.float32) * rng.random(n_rows, dtype=np.float32)).astype(np.int32)
        signal += rng.standard_normal(count, dtype=np.float32)[codes] * (place - shape.numbers < 4)
        features[:, place] = codes
        features[rng.random(n_rows, dtype=np.float32) < 0.05, place] = np.nan
    labels = (signal + rng.standard_normal(n_rows, dtype=np.float32) > 0).astype(np.float32)
    return features, labels, ["q"] * shape.numbers + ["c"] * len(shape.categories)


def measure(shape: Shape, args: argparse.Namespace) -> Row:
    """Return one row of the table."""
    import kauriboost as kb

    n_rows = max(100, int(shape.rows * args.scale))
    features, labels, types = make(shape, n_rows)
    params: dict[str, Any] = {"objective": "binary:logistic", "max_depth": shape.depth, "eta": 0.1}
    device = {**params, **device_params(args.device, args.threads)}
    data = kb.DMatrix(features, labels, feature_types=types, nthread=args.threads)
    forget_peak(args.device)
    booster, timing = train_timed(kb, device, data, args.rounds)
    memory = peak_memory(args.device)
    cpu = {**params, **device_params("cpu", args.threads)}
    cpu_booster, cpu_timing = train_timed(kb, cpu, data, args.cpu_rounds)
    _, numbers = train_timed(kb, device, kb.DMatrix(features, labels, nthread=args.threads), args.rounds)
    row: Row = {"name": f"{n_rows} rows, {shape.categories}", "rows": n_rows, "numbers": shape.numbers, **memory}
    row.update(columns=len(shape.categories), categories=max(shape.categories), depth=shape.depth)
    row.update(ms=timing.ms, numbers_ms=numbers.ms, cpu_ms=cpu_timing.ms, speedup=cpu_timing.ms / timing.ms)
    row["first_s"] = timing.first_s
    row["memory_gb"] = memory["peak_used"] / 1e9 if memory else None
    rounds = min(args.rounds, args.cpu_rounds)
    row["equal_bytes"] = model_digest(booster, rounds) == model_digest(cpu_booster, rounds)
    return row


def main(argv: list[str] | None = None) -> int:
    """Measure every shape; returns the exit status."""
    parser = arguments.make_parser(__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="of the numbers of rows")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--cpu-rounds", type=int, default=3)
    args = parser.parse_args(argv)
    report = Report("gpu_categories", "Categorical columns in exact on the device", COLUMNS, args)
    for shape in SHAPES:
        report.add(measure(shape, args))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
