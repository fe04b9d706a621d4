"""Tables 22 and 23: the test metric of exact on the CPU and on the device, which must be equal to the last digit."""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from typing import Any

from .machine import optional
from .real_sets import RealSet, real_set
from .report import Column, Report, Row, say
from .training import cpu_params, device_params, knows_objective, knows_parameters, model_digest


@dataclass(frozen=True)
class Case:
    """An available data set that replaces one of the paper's sets."""

    name: str
    stands_for: str
    depth: int
    rounds: int


# The paper's Yahoo LTR, Higgs and Bosch may not be redistributed; the most similar real sets replace them.
CASES = [
    Case("lambdarank", "YLTR", 6, 500),
    Case("higgs26k", "Higgs", 12, 500),
    Case("a9a", "Bosch (sparse)", 6, 500),
    Case("adult", "", 6, 200),
    Case("california", "", 6, 200),
    Case("covtype", "", 6, 10),
]
# Test metrics of the paper on its own data: the CPU, and the device in tables 22 and 23.
PRINTED = {
    "lambdarank": {"paper_cpu": 0.7784, "table22": 0.7768, "table23": 0.7776},
    "higgs26k": {"paper_cpu": 0.8426, "table22": 0.8426, "table23": 0.8428},
    "a9a": {"paper_cpu": 0.6833, "table22": 0.6905, "table23": 0.6849},
}
COLUMNS: list[Column] = [
    ("data set", "name", "{}"),
    ("for the paper's", "stands_for", "{}"),
    ("rows", "rows", "{:,}"),
    ("columns", "columns", "{}"),
    ("rounds", "rounds", "{}"),
    ("metric", "metric", "{}"),
    ("CPU exact", "cpu", "{:.10f}"),
    ("device exact", "device", "{:.10f}"),
    ("same bytes", "equal_bytes", "{}"),
    ("XGBoost exact", "xgboost", "{:.10f}"),
    ("paper, CPU", "paper_cpu", "{:.4f}"),
    ("paper, device", "paper_device", "{:.4f}"),
]


def table_22(args: argparse.Namespace) -> int:
    """Measure both phases of the device's method as in the paper's table: five interleaved levels."""
    title = "Table 22: test metric, exact on the CPU and on the device, five interleaved levels"
    return accuracy_table("table22", title, levels(5, args), args)


def table_23(args: argparse.Namespace) -> int:
    """Measure the device's sorting phase alone."""
    return accuracy_table("table23", "Table 23: test metric, sorting phase alone on the device", levels(0, args), args)


def levels(count: int, args: argparse.Namespace) -> Row:
    """Return the parameters for `count` interleaved levels, or none if the device lacks the parameter."""
    extra = {"interleaved_levels": count}
    if knows_parameters({**device_params(args.device, 1), **extra}):
        return extra
    say("(no parameter interleaved_levels on this device: its default phases are measured)")
    return {}


def accuracy_table(name: str, title: str, extra: Row, args: argparse.Namespace) -> int:
    """Report a row per data set; returns the exit status."""
    report = Report(name, title, COLUMNS, args)
    for case in CASES:
        params = {"max_depth": case.depth, "eta": 0.1}
        data = real_set(case.name, args.data, params)
        if data is None:
            continue
        if not knows_objective(data.train.params):
            say(f"({case.name}: skipped, no objective {data.train.params['objective']})")
            continue
        row = {**vars(case), **measure(data, args.rounds or case.rounds, extra, args)}
        if case.name in PRINTED:
            row.update(paper_cpu=PRINTED[case.name]["paper_cpu"], paper_device=PRINTED[case.name][name])
        report.add(row)
    return report.finish()


def measure(data: RealSet, rounds: int, extra: Row, args: argparse.Namespace) -> Row:
    """Train on the CPU, on the device and with XGBoost; returns metrics, seconds and digests of the models."""
    import kauriboost as kb

    row: Row = {**data.train.size(), "rounds": rounds, "metric": data.metric_name}
    entrants: list[tuple[str, Any, Row]] = [
        ("cpu", kb, device_params("cpu", args.threads)),
        ("device", kb, {**device_params(args.device, args.threads), **extra}),
    ]
    xgboost = optional("xgboost") if args.peer_rounds > 0 else None
    if xgboost is not None:
        entrants.append(("xgboost", xgboost, {**cpu_params(args.threads), "verbosity": 0}))
    for name, library, params in entrants:
        train = data.train
        matrix = library.DMatrix(train.features, train.labels, group=train.group, nthread=args.threads)
        start = time.perf_counter()
        booster = library.train({**train.params, **params}, matrix, rounds, verbose_eval=False)
        row[f"{name}_s"] = time.perf_counter() - start
        row[name] = data.score(booster, library, args.threads)
        row[f"{name}_model"] = model_digest(booster, rounds)
    row["equal_bytes"] = row["cpu_model"] == row["device_model"] and row["cpu"] == row["device"]
    return row
