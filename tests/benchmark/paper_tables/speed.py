"""Training time and device memory: tables 24 to 27 of the paper, and README's headline figures."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .machine import optional
from .report import Column, Report, Row, say
from .shapes import Problem, bosch_size, dense_binary, higgs_size, yltr_size
from .training import (
    PAPER_ROUNDS,
    cpu_params,
    device_params,
    forget_peak,
    knows_objective,
    knows_parameters,
    make_matrix,
    model_digest,
    peak_memory,
    train_timed,
)

# Seconds of 500 rounds on a Titan X and on its host's four cores (table 25), and the GPU's memory (table 27).
PAPER = {
    "YLTR size": {"paper_gpu_s": 277, "paper_cpu_s": 877, "paper_gb": 4.03},
    "Higgs size": {"paper_gpu_s": 3052, "paper_cpu_s": 14504, "paper_gb": 11.32},
    "Bosch size": {"paper_gpu_s": 591, "paper_cpu_s": 3294, "paper_gb": 8.28},
}
# Table 24, a GTX 970 and four cores: the fraction of the rows, and seconds of 500 rounds.
SUBSETS = {
    "YLTR size": {"subset": 0.75, "paper_gpu_s": 376, "paper_cpu_s": 1577},
    "Higgs size": {"subset": 0.25, "paper_gpu_s": 1201, "paper_cpu_s": 7961},
    "Bosch size": {"subset": 0.35, "paper_gpu_s": 249, "paper_cpu_s": 1019},
}
# Table 26, 35 % of Bosch: seconds of 100 rounds without interleaved levels over those with so many.
PAPER_GAIN = {"0": 1.0, "1": 1.0, "2": 1.04, "3": 1.07, "4": 1.13, "5": 1.14}
SIZE: list[Column] = [
    ("data", "name", "{}"),
    ("rows", "rows", "{:,}"),
    ("columns", "columns", "{}"),
    ("entries", "entries", "{:,}"),
    ("depth", "depth", "{}"),
]
TIME: list[Column] = [
    ("ms per round", "ms", "{:.2f}"),
    ("first round, s", "first_s", "{:.2f}"),
]
MEMORY: list[Column] = [("peak, GB", "peak_gb", "{:.2f}"), ("bytes per entry", "peak_per_entry", "{:.1f}")]
CPU: list[Column] = [
    ("CPU, ms", "cpu_ms", "{:.1f}"),
    ("CPU / device", "cpu_ratio", "{:.1f}"),
    ("XGBoost exact, ms", "xgboost_ms", "{:.0f}"),
    ("XGBoost / device", "xgboost_ratio", "{:.1f}"),
    ("same bytes as the CPU", "equal_bytes", "{}"),
]


def memory_numbers(device: str, entries: int) -> Row:
    """Return the peak since `forget_peak`, in GB of 10^9 bytes and in bytes per entry."""
    memory = peak_memory(device)
    if not memory:
        return {}
    peak = memory["peak_used"]
    return {"peak_gb": peak / 1e9, "peak_per_entry": peak / max(1, entries), "memory": memory}


@dataclass(frozen=True)
class Plan:
    """Rounds, peers and parameters of the trainings on one problem."""

    rounds: int  # rounds on the device, including the first
    peer_rounds: int = 0  # rounds of the CPU's methods, after a first round
    peers: tuple[str, ...] = ("cpu", "xgboost")
    extra: Row = field(default_factory=dict)  # parameters for the device


def measure(problem: Problem, args: argparse.Namespace, plan: Plan) -> Row:
    """Train on the device and with the peers; returns the row. Nothing stays in the device's memory."""
    import kauriboost as kb

    forget_peak(args.device)
    data, construct_s = make_matrix(kb, problem, args.threads)
    params = {**problem.params, **device_params(args.device, args.threads), **plan.extra}
    booster, timing = train_timed(kb, params, data, plan.rounds, construct_s)
    row = {**problem.size(), "params": params, **timing.numbers(), "model": model_digest(booster, plan.rounds)}
    row.update(memory_numbers(args.device, row["entries"]))
    row["seconds_500"], row["measured_500"] = timing.seconds_of(PAPER_ROUNDS)
    shared = min(plan.peer_rounds + 1, plan.rounds)
    if plan.peer_rounds > 0 and "cpu" in plan.peers:
        cpu_booster = add_peer(row, "cpu", (kb, device_params("cpu", args.threads)), problem, shared, args.threads)
        row["equal_bytes"] = model_digest(booster, shared) == model_digest(cpu_booster, shared)
    if plan.peer_rounds > 0 and "xgboost" in plan.peers and (xgboost := optional("xgboost")) is not None:
        add_peer(row, "xgboost", (xgboost, cpu_params(args.threads)), problem, shared, args.threads)
    return row


def add_peer(row: Row, name: str, entrant: tuple[Any, Row], problem: Problem, rounds: int, threads: int) -> Any:
    """Train a library on the CPU; its numbers join the row. Returns the booster."""
    library, params = entrant
    data, construct_s = make_matrix(library, problem, threads)
    booster, timing = train_timed(library, {**problem.params, **params}, data, rounds, construct_s)
    row.update({f"{name}_ms": timing.ms, name: timing.numbers(), f"{name}_ratio": timing.ms / row["ms"]})
    return booster


def paper_problems(args: argparse.Namespace, subsets: bool = False) -> Iterator[Problem]:
    """Yield the paper's three shapes, whole or as table 24's subsets; ranking only if the library supports it."""
    share = {name: values["subset"] if subsets else 1.0 for name, values in SUBSETS.items()}
    yield higgs_size(args.scale * share["Higgs size"], args.threads)
    yield bosch_size(args.scale * share["Bosch size"], args.threads)
    known = [name for name in ("rank:ndcg", "rank:pairwise") if knows_objective({"objective": name})]
    if not known:
        say("(YLTR size: skipped, no ranking objective is registered)")
        return
    yield yltr_size(args.scale * share["YLTR size"], args.threads, known[0])


def table_24(args: argparse.Namespace) -> int:
    """Measure training time of subsets of the paper's shapes."""
    return time_table("table24", "Table 24: training time of subsets", True, args)


def table_25(args: argparse.Namespace) -> int:
    """Measure training time of the paper's shapes."""
    return time_table("table25", "Table 25: training time", False, args)


def time_table(name: str, title: str, subsets: bool, args: argparse.Namespace) -> int:
    """Report a row per shape, with the ratio of CPU to GPU time in the paper beside ours."""
    columns = [*SIZE, *TIME, ("500 rounds, s", "text_500", "{}"), *MEMORY[:1], *CPU, ("paper, s", "paper_gpu_s", "{}")]
    columns += [("paper, CPU / GPU", "paper_ratio", "{:.2f}"), ("paper / ours", "times_paper", "{:.0f}")]
    report = Report(name, title, columns, args)
    for problem in paper_problems(args, subsets):
        row = measure(problem, args, Plan(args.rounds or 21, args.peer_rounds))
        note = "" if row["measured_500"] else f" (from {row['rounds']})"
        row["text_500"] = f"{row['seconds_500']:.1f}{note}"
        row.update((SUBSETS if subsets else PAPER)[problem.name])
        row["paper_ratio"] = row["paper_cpu_s"] / row["paper_gpu_s"]
        report.add({**row, "times_paper": row["paper_gpu_s"] / row["seconds_500"]})
    return report.finish()


def table_26(args: argparse.Namespace) -> int:
    """Measure interleaved levels 0 to 6."""
    columns = [*SIZE[:2], ("interleaved levels", "levels", "{}"), *TIME, ("0 levels / this", "ratio", "{:.2f}")]
    columns += [("paper, 0 levels / this", "printed", "{:.2f}"), ("same bytes", "equal_bytes", "{}")]
    report = Report("table26", "Table 26: interleaved levels", columns, args)
    makers = (
        lambda: binary_of(1e6, args),
        lambda: higgs_size(args.scale, args.threads),
        lambda: bosch_size(args.scale * SUBSETS["Bosch size"]["subset"], args.threads),  # the paper's
    )
    for make in makers:
        problem = make()
        rows: list[Row] = []
        for label, extra in level_choices(args.device):
            row = measure(problem, args, Plan(args.rounds or 11, extra=extra))
            rows.append(row)
            row.update(levels=label, ratio=rows[0]["ms"] / row["ms"], equal_bytes=row["model"] == rows[0]["model"])
            if problem.name == "Bosch size":
                row["printed"] = PAPER_GAIN.get(label)
            report.add(row)
    return report.finish()


def binary_of(n_rows: float, args: argparse.Namespace) -> Problem:
    """Return `n_rows` x 28 values, depth 6, scaled by the argument --scale."""
    return dense_binary(max(100, int(n_rows * args.scale)), args.threads)


def level_choices(device: str) -> list[tuple[str, Row]]:
    """Return every number of interleaved levels, then the default; only the default if the device lacks the phase."""
    parameter = "interleaved_levels"
    if not knows_parameters({**device_params(device, 1), parameter: 0}):
        say(f"(no parameter {parameter} on this device: the default alone)")
        return [("default", {})]
    return [*((str(levels), {parameter: levels}) for levels in range(7)), ("default", {})]


def table_27(args: argparse.Namespace) -> int:
    """Measure device memory of the paper's shapes."""
    columns = [*SIZE, *MEMORY, ("paper, GB", "paper_gb", "{:.2f}"), ("all on the device, GB", "device_gb", "{:.2f}")]
    report = Report("table27", "Table 27: device memory", columns, args)
    for problem in paper_problems(args):
        row = measure(problem, args, Plan(args.rounds or 3))
        if "memory" in row:
            row["device_gb"] = row["memory"]["device_used"] / 1e9
        report.add({**row, **PAPER[problem.name]})
    report.note("Peak: memory in use by training, as in the paper. On the device: all of it, CUDA's own included.")
    return report.finish()


def headline(args: argparse.Namespace) -> int:
    """Measure README's figures."""
    columns = [*SIZE[:3], SIZE[4], *TIME, *MEMORY[:1], *CPU]
    report = Report("headline", "Exact training on the device", columns, args)
    several, one = (5, 1) if args.peer_rounds > 0 else (0, 0)
    cases = [
        (lambda: binary_of(2e5, args), Plan(args.rounds or 101, several)),
        (lambda: binary_of(1e6, args), Plan(args.rounds or 51, one)),
        (lambda: higgs_size(args.scale, args.threads), Plan(args.rounds or 21, one, ("cpu",))),
    ]
    for make, plan in cases:
        report.add(measure(make(), args, plan))
    return report.finish()
