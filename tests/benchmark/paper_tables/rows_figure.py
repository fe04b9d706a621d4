"""Figure 9: time of a round against the number of rows, and the number from which the device is faster than the CPU."""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np

from .machine import optional
from .report import Column, Report, Row, say
from .shapes import Problem, dense_binary
from .training import Timing, cpu_params, device_params, make_matrix, model_digest, train_timed

ROWS = [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000]
COLUMNS: list[Column] = [
    ("rows", "rows", "{:,}"),
    ("device, ms per round", "ms", "{:.3f}"),
    ("CPU, ms", "cpu_ms", "{:.2f}"),
    ("XGBoost exact, ms", "xgboost_ms", "{:.2f}"),
    ("CPU / device", "cpu_ratio", "{:.2f}"),
    ("XGBoost / device", "xgboost_ratio", "{:.2f}"),
    ("same bytes as the CPU", "equal_bytes", "{}"),
]
SERIES = [("ms", "exact, device"), ("cpu_ms", "exact, CPU"), ("xgboost_ms", "XGBoost exact, CPU")]


def cpu_rounds(n_rows: int) -> int:
    """Return the rounds for the CPU's methods: enough for five windows, or a few if each takes seconds."""
    return 21 if n_rows <= 100_000 else (6 if n_rows <= 3_000_000 else 3)


def figure_9(args: argparse.Namespace) -> int:
    """Measure time against rows, 28 columns, depth 6."""
    report = Report("figure9", "Figure 9: time against rows (28 columns, depth 6)", COLUMNS, args)
    sizes = sorted({max(100, int(rows * args.scale)) for rows in ROWS})
    whole = dense_binary(sizes[-1], args.threads)
    for n_rows in sizes:
        part = Problem(f"{n_rows:,} rows", whole.features[:n_rows], whole.labels[:n_rows], whole.params)
        report.add(measure(part, args))
    summary = summarise(report.rows)
    report.note(in_words(summary), **summary)
    return report.finish()


def measure(problem: Problem, args: argparse.Namespace) -> Row:
    """Measure device, CPU and peer on the same rows."""
    import kauriboost as kb

    n_rows = len(problem.labels)
    row: Row = {"name": problem.name, "rows": n_rows}
    boosters: dict[str, Any] = {}
    few = min(cpu_rounds(n_rows), args.rounds or cpu_rounds(n_rows))
    entrants: list[tuple[str, Any, dict[str, Any], int]] = [
        ("device", kb, device_params(args.device, args.threads), args.rounds or 51)
    ]
    if args.peer_rounds > 0:
        entrants.append(("cpu", kb, device_params("cpu", args.threads), few))
        if (xgboost := optional("xgboost")) is not None:
            entrants.append(("xgboost", xgboost, {**cpu_params(args.threads), "verbosity": 0}, few))
    for name, library, params, rounds in entrants:
        data, construct_s = make_matrix(library, problem, args.threads)
        start = time.perf_counter()
        boosters[name], timing = train_timed(library, {**problem.params, **params}, data, rounds, construct_s)
        say(f"({problem.name}, {name}: {time.perf_counter() - start:.1f} s)")
        row.update(numbers_of(name, timing, row))
    if "cpu" in boosters:
        shared = min(booster.num_boosted_rounds() for name, booster in boosters.items() if name != "xgboost")
        row["equal_bytes"] = model_digest(boosters["device"], shared) == model_digest(boosters["cpu"], shared)
    return row


def numbers_of(name: str, timing: Timing, row: Row) -> Row:
    """Return an entrant's numbers in the row."""
    if name == "device":
        return timing.numbers()
    return {f"{name}_ms": timing.ms, name: timing.numbers(), f"{name}_ratio": timing.ms / row["ms"]}


def fit_line(rows: list[float], values: list[float]) -> tuple[float, float, float]:
    """Return intercept, slope and the largest relative residual of values = intercept + slope * rows.

    Residuals are relative to the values, so that small sizes count as much as large ones.
    """
    x, y = np.asarray(rows, dtype=float), np.asarray(values, dtype=float)
    design = np.stack([np.ones_like(x), x], axis=1) / y[:, None]
    (intercept, slope), *_ = np.linalg.lstsq(design, np.ones_like(y), rcond=None)
    return float(intercept), float(slope), float(np.abs((intercept + slope * x) / y - 1).max())


def crossover(rows: list[float], device: list[float], other: list[float]) -> float | None:
    """Return the number of rows from which the device stays faster, interpolated between two sizes in logarithms.

    Returns the smallest size if the device is faster at all sizes, and None if it is not faster at the largest.
    """
    lead = [math.log(b / a) for a, b in zip(device, other, strict=True)]
    if lead[-1] <= 0:
        return None
    last = max((i for i, value in enumerate(lead) if value <= 0), default=-1)
    if last < 0:
        return float(rows[0])
    share = -lead[last] / (lead[last + 1] - lead[last])
    return math.exp(math.log(rows[last]) + share * math.log(rows[last + 1] / rows[last]))


def summarise(rows: list[Row]) -> Row:
    """Return the fit and the crossovers of the rows of the table."""
    sizes = [row["rows"] for row in rows]
    device = [row["ms"] for row in rows]
    summary: Row = {"smallest": sizes[0]}
    if len(sizes) > 2:
        summary["intercept_ms"], summary["ms_per_row"], summary["worst"] = fit_line(sizes, device)
    for key, _ in SERIES[1:]:
        if all(key in row for row in rows):
            summary[f"crossover_{key}"] = crossover(sizes, device, [row[key] for row in rows])
    return summary


def in_words(summary: Row) -> str:
    """Return the summary as one line."""
    parts = []
    if "ms_per_row" in summary:
        parts.append(
            f"Device: {summary['intercept_ms']:.3f} ms + {summary['ms_per_row'] * 1e6:.2f} ms per million rows "
            f"(off by at most {summary['worst']:.0%})."
        )
    for key, name in SERIES[1:]:
        if f"crossover_{key}" in summary:
            value = summary[f"crossover_{key}"]
            first = value == summary["smallest"]
            where = "is never overtaken" if value is None else ("at all sizes" if first else f"from {value:,.0f} rows")
            parts.append(f"{name}: {where if value is None else 'overtaken ' + where}.")
    return " ".join(parts)


def plot(path: Path) -> int:
    """Draw the figure of a JSON file as a PNG beside it."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    document = json.loads(path.read_text(encoding="utf-8"))
    rows = document["rows"]
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    for (key, label), marker in zip(SERIES, "os^", strict=True):
        points = [(row["rows"], row[key]) for row in rows if key in row]
        if points:
            axes.plot(*zip(*points, strict=True), marker=marker, label=label)
    summary = next((note for note in document["notes"] if "ms_per_row" in note), None)
    if summary is not None:
        sizes = np.geomspace(rows[0]["rows"], rows[-1]["rows"], 100)
        line = summary["intercept_ms"] + summary["ms_per_row"] * sizes
        axes.plot(sizes, line, color="grey", linestyle=":", label="linear fit, device")
    axes.set(xscale="log", yscale="log", xlabel="rows", ylabel="ms per round")
    axes.set_title(f"28 columns, depth 6\n{document['machine']['device']}; {document['machine']['cpu']}", fontsize=10)
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend()
    target = path.with_suffix(".png")
    figure.savefig(target, dpi=150)
    print(target)
    return 0
