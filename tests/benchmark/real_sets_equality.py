"""Equality of the models of device and CPU, byte for byte, on real data of every kind, with and without sampling.

    python tests/benchmark/real_sets_equality.py --data FOLDER [--method exact] [set ...]

FOLDER (or KAURI_DATA) holds load.py, as for gpu_exact_tables.py; missing sets are skipped. Every set is trained on
plainly, and with sampling, constraints and regularisation; `exact` also with other numbers of interleaved levels,
`hist` also by gain and with other numbers of bins. Sets with categorical columns are also trained on with categories.
The exit status is 1 if any pair of models differs.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python-package"))
from paper_tables import arguments
from paper_tables.real_sets import RealSet, real_set
from paper_tables.report import Column, Report, Row, say
from paper_tables.training import device_params, knows_objective, knows_parameters, model_digest

# Name, depth and rounds of each case.
CASES: list[tuple[str, int, int]] = [
    ("california", 6, 50),
    ("protein", 10, 20),
    ("ames", 6, 30),
    ("flights", 8, 10),
    ("fremtpl2", 6, 10),
    ("higgs26k", 12, 30),
    ("adult", 8, 50),
    ("credit_default", 6, 50),
    ("titanic", 6, 50),
    ("spambase", 6, 50),
    ("a9a", 8, 30),
    ("agaricus", 6, 10),
    ("mushroom", 6, 10),
    ("letter", 8, 5),
    ("satimage", 6, 20),
    ("dermatology", 6, 20),
    ("lightgbm_multiclass", 6, 10),
    ("covtype", 8, 3),
    ("sector", 4, 1),
    ("lambdarank", 6, 50),
]
SAMPLED: Row = {
    "subsample": 0.7,
    "colsample_bytree": 0.8,
    "colsample_bylevel": 0.8,
    "colsample_bynode": 0.8,
    "gamma": 0.05,
    "alpha": 0.1,
    "min_child_weight": 3,
    "max_delta_step": 0.7,
    "seed": 7,
}
COLUMNS: list[Column] = [
    ("data set", "name", "{}"),
    ("objective", "objective", "{}"),
    ("rows", "rows", "{:,}"),
    ("columns", "columns", "{:,}"),
    ("missing", "missing", "{:.0%}"),
    ("depth", "depth", "{}"),
    ("rounds", "rounds", "{}"),
    ("parameters", "variant", "{}"),
    ("CPU, s", "cpu_s", "{:.2f}"),
    ("device, s", "device_s", "{:.2f}"),
    ("test metric", "metric", "{}"),
    ("value", "value", "{:.6f}"),
    ("same bytes", "equal_bytes", "{}"),
]


def variants(device: str, method: str) -> list[tuple[str, Row, Row]]:
    """Return name, parameters of both sides, and parameters of the device alone of each variant."""
    if method == "hist":
        by_gain = {"grow_policy": "lossguide", "max_leaves": 63, "max_depth": 0}
        bins = [(f"{max_bin} bins", {"max_bin": max_bin}, {}) for max_bin in (16, 1024)]
        return [("plain", {}, {}), *bins, ("by gain", by_gain, {}), ("sampled", SAMPLED, {})]
    levels = [{"interleaved_levels": count} for count in (0, 2, 6)]
    known = [extra for extra in levels if knows_parameters({**device_params(device, 1), **extra})]
    plain = [("plain", {}, {}), *((f"{extra['interleaved_levels']} levels", {}, extra) for extra in known)]
    return [*plain, ("sampled", SAMPLED, {})]


def train(data: RealSet, matrix: Any, rounds: int, params: Row) -> tuple[Any, float]:
    """Train a booster; returns it and its seconds."""
    import kauriboost as kb

    start = time.perf_counter()
    booster = kb.train({**data.train.params, **params}, matrix, rounds, verbose_eval=False)
    return booster, time.perf_counter() - start


def compare(data: RealSet, rounds: int, variant: tuple[str, Row, Row], args: argparse.Namespace) -> Row:
    """Train on both sides; returns the row of the table."""
    import kauriboost as kb

    name, shared, extra = variant
    shared = {**shared, "tree_method": args.method}
    problem = data.train
    types = {} if data.types is None else {"feature_types": data.types}
    made = [
        kb.DMatrix(problem.features, problem.labels, group=problem.group, nthread=args.threads, **types)
        for _ in range(2)  # two matrices, so that the sides share no data cached with a matrix
    ]
    cpu, cpu_s = train(data, made[0], rounds, {**device_params("cpu", args.threads), **shared})
    device, device_s = train(data, made[1], rounds, {**device_params(args.device, args.threads), **shared, **extra})
    row = {**problem.size(), "objective": problem.params["objective"], "rounds": rounds, "variant": name}
    row["missing"] = 1 - row["entries"] / (row["rows"] * row["columns"])
    row.update(cpu_s=cpu_s, device_s=device_s, metric=data.metric_name, value=data.score(device, kb, args.threads))
    row["equal_bytes"] = model_digest(cpu, rounds) == model_digest(device, rounds)
    return row


def main(argv: list[str] | None = None) -> int:
    """Compare on every set; returns the exit status."""
    parser = arguments.make_parser(__doc__)
    parser.add_argument("--method", default="exact", choices=["exact", "hist"], help="default: exact")
    parser.add_argument("sets", nargs="*", help=f"default: {' '.join(name for name, _, _ in CASES)}")
    args = parser.parse_args(argv)
    report = Report("real_sets_equality", f"The device's {args.method} models and the CPU's", COLUMNS, args)
    for name, depth, rounds in CASES:
        if args.sets and name not in args.sets:
            continue
        data = real_set(name, args.data, {"max_depth": depth, "eta": 0.3})
        if data is None:
            continue
        if not knows_objective(data.train.params):
            say(f"({name}: skipped, no objective {data.train.params['objective']})")
            continue
        for variant in variants(args.device, args.method):
            report.add(compare(data, rounds, variant, args))
        if data.categorical:
            for variant, shared in [("categories", {}), ("categories, sampled", SAMPLED)]:
                report.add(compare(data.with_categories(), rounds, (variant, shared, {}), args))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
