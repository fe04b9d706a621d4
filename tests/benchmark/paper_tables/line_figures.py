"""Figure 10, time of `exact` by threads of the CPU beside one device, and figure 11, time by interleaved levels."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from . import rows_figure
from .machine import optional
from .report import Column, Report, Row
from .shapes import Problem, dense_binary, yltr_size
from .speed import PAPER_GAIN, Plan, level_choices, measure
from .training import cpu_params, device_params, knows_objective, make_matrix, train_timed

# Result of the paper: a Titan X is 1.2 times as fast as the best number of threads of two Xeons with 24 cores.
PRINTED_BEST = 1.2
THREAD_COLUMNS: list[Column] = [
    ("threads", "threads", "{}"),
    ("CPU, ms per round", "cpu_ms", "{:.1f}"),
    ("XGBoost exact, ms", "xgboost_ms", "{:.0f}"),
    ("device, ms", "device_ms", "{:.2f}"),
    ("CPU / device", "cpu_ratio", "{:.1f}"),
    ("XGBoost / device", "xgboost_ratio", "{:.1f}"),
]
LEVEL_COLUMNS: list[Column] = [
    ("interleaved levels", "levels", "{}"),
    ("ms per round", "ms", "{:.2f}"),
    ("0 levels / this", "ratio", "{:.2f}"),
    ("printed", "printed", "{:.2f}"),
    ("same bytes", "equal_bytes", "{}"),
]


def thread_counts(most: int) -> list[int]:
    """Return 1, 2, 4, .. and `most`."""
    return sorted({most, *(1 << i for i in range(10) if 1 << i < most)})


def ranking_problem(args: argparse.Namespace) -> Problem:
    """Return data of the shape of figure 10's set, with two classes if ranking is not available."""
    if knows_objective({"objective": "rank:ndcg"}):
        return yltr_size(args.scale, args.threads, "rank:ndcg")
    return dense_binary(max(100, int(473_134 * args.scale)), args.threads, n_cols=519, name="YLTR size")


def round_ms(library: Any, problem: Problem, params: Row, rounds: int, threads: int) -> float:
    """Return the milliseconds per round, without the first round."""
    data, construct_s = make_matrix(library, problem, threads)
    return train_timed(library, {**problem.params, **params}, data, rounds, construct_s)[1].ms


def figure_10(args: argparse.Namespace) -> int:
    """Measure one device, then the CPU and the peer with more and more threads."""
    import kauriboost as kb

    report = Report("figure10", "Figure 10: threads of the CPU against one device (YLTR size)", THREAD_COLUMNS, args)
    problem = ranking_problem(args)
    xgboost = optional("xgboost") if args.peer_rounds > 0 else None
    device = device_params(args.device, args.threads)
    device_ms = round_ms(kb, problem, device, args.rounds or 21, args.threads)
    few = args.peer_rounds + 1
    for threads in thread_counts(args.threads):
        row: Row = {"name": f"{threads} threads", "threads": threads, "device_ms": device_ms}
        entrants = [("cpu", kb, device_params("cpu", threads))]
        if xgboost is not None:
            entrants.append(("xgboost", xgboost, {**cpu_params(threads), "verbosity": 0}))
        for name, library, params in entrants:
            row[f"{name}_ms"] = round_ms(library, problem, params, max(2, few), threads)
            row[f"{name}_ratio"] = row[f"{name}_ms"] / device_ms
        report.add(row)
    for name in ("cpu", "xgboost"):
        if all(f"{name}_ratio" in row for row in report.rows):
            best = min(report.rows, key=lambda row: row[f"{name}_ms"])
            ratio = best[f"{name}_ratio"]
            text = f"{name}, {best['threads']} threads: {ratio:.2f} times the device's time (printed: {PRINTED_BEST})."
            report.note(text, best=name, ratio=ratio, printed=PRINTED_BEST)
    return report.finish()


def figure_11(args: argparse.Namespace) -> int:
    """Measure table 26 as a line: a million rows, depth 6, by the number of interleaved levels."""
    report = Report("figure11", "Figure 11: interleaved levels (1 M x 28, depth 6)", LEVEL_COLUMNS, args)
    problem = dense_binary(max(100, int(1e6 * args.scale)), args.threads)
    for label, extra in level_choices(args.device):
        row = measure(problem, args, Plan(args.rounds or 11, extra=extra))
        first = report.rows[0] if report.rows else row
        row.update(levels=label, ratio=first["ms"] / row["ms"], equal_bytes=row["model"] == first["model"])
        report.add({**row, "printed": PAPER_GAIN.get(label)})
    plot(report.path)
    return report.finish()


def lines_of(document: Row) -> tuple[str, list[tuple[str, list[tuple[float, float]]]]]:
    """Return the label of the horizontal axis, and the name and the points of every line."""
    rows = document["rows"]
    if document["name"] == "figure10":
        keys = [("cpu_ms", "exact, CPU"), ("xgboost_ms", "XGBoost exact, CPU"), ("device_ms", "exact, device")]
        points = [(label, [(row["threads"], row[key]) for row in rows if key in row]) for key, label in keys]
        return "threads", [(label, line) for label, line in points if line]
    lines = []
    for name in dict.fromkeys(row["name"] for row in rows):
        own = [row for row in rows if row["name"] == name and row["levels"].isdigit()]
        lines.append((name, [(int(row["levels"]), row["ms"]) for row in own]))
    return "interleaved levels", [(name, line) for name, line in lines if line]


def plot(path: Path) -> int:
    """Draw a figure from its JSON file, or table 26 as figure 11, as a PNG beside it."""
    document = json.loads(path.read_text(encoding="utf-8"))
    if document["name"] == "figure9":
        return rows_figure.plot(path)
    if document["name"] not in ("figure10", "figure11", "table26"):
        raise SystemExit(f"{path} holds {document['name']}, which is no figure: 9, 10, 11 and table 26 are.")
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    across, lines = lines_of(document)
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    for (label, points), marker in zip(lines, "os^Dv", strict=False):
        axes.plot(*zip(*points, strict=True), marker=marker, label=label)
    axes.set(xlabel=across, ylabel="ms per round")
    if across == "threads":
        axes.set(xscale="log", yscale="log")
        counts = [count for count, _ in lines[0][1]]
        axes.set_xticks(counts, [str(count) for count in counts])
        axes.set_xticks([], minor=True)
    else:
        axes.set_ylim(bottom=0)
    axes.set_title(f"{document['title']}\n{document['machine']['device']}; {document['machine']['cpu']}", fontsize=10)
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend()
    target = path.with_suffix(".png")
    figure.savefig(target, dpi=150)
    print(target)
    return 0
