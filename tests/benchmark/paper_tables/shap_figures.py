"""Figures 4, 5 and 6 of the SHAP paper: contributions of cal_housing-med against rows, devices and threads."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from .report import Column, Report, Row, say
from .rows_figure import crossover
from .shap_entrants import entrants_for, kauri_entrant, measure, methods_on
from .shap_models import TrainedModel, trained

MODEL = "cal_housing-med"
ROWS = [1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000]
MANY_ROWS = 1_000_000
NAMES = {
    "device_treeshap": "treeshap, device",
    "device_quadrature": "quadrature, device",
    "cpu_treeshap": "treeshap, CPU",
    "cpu_quadrature": "quadrature, CPU",
    "xgboost_device": "XGBoost, device",
    "xgboost": "XGBoost, CPU",
    "shap": "shap, one thread",
}


def the_model(args: argparse.Namespace) -> TrainedModel:
    """Return the model of all three figures."""
    model = trained(MODEL, args)
    if model is None:
        raise SystemExit(f"the figures need the data set of {MODEL}.")
    return model


def figure_4(args: argparse.Namespace) -> int:
    """Measure time against rows, and the number of rows from which the device is faster than the CPU."""
    model = the_model(args)
    entrants = entrants_for(model, False, args)
    columns: list[Column] = [("rows", "rows", "{:,}")]
    columns += [(f"{NAMES[entrant.key]}, ms", entrant.key, "{:.3f}") for entrant in entrants]
    report = Report("shap-figure4", f"Figure 4: contributions of {MODEL} against rows", columns, args)
    sizes = [count for count in ROWS if count <= (args.rows or ROWS[-1])]
    for count in sizes:
        rows = model.test_rows(count)
        row: Row = {"name": f"{count} rows", "rows": count}
        for entrant in entrants:
            entrant.scaled = False  # this figure shows the time of the given number of rows
            row[entrant.key] = measure(entrant, rows, args.seconds / 2)[0].seconds * 1e3
        report.add(row)
    for device in (entrant.key for entrant in entrants if entrant.key.startswith("device")):
        for other in (entrant.key for entrant in entrants if not entrant.key.startswith("device")):
            at = crossover(sizes, *([row[key] for row in report.rows] for key in (device, other)))
            where = "never faster" if at is None else f"faster from {at:,.0f} rows"
            report.note(f"{NAMES[device]}: {where} than {NAMES[other]}.", device=device, other=other, rows=at)
    return report.finish()


def device_lists(device: str) -> list[str]:
    """Return the CPU, or 1, 2, 4, .. and all CUDA devices."""
    if device == "cpu":
        return ["cpu"]
    import kauriboost as kb

    count = len(kb.build_info()["CUDA_DEVICES"])
    counts = sorted({count, *(1 << i for i in range(8) if 1 << i < count)})
    return ["cuda:" + ",".join(map(str, range(some))) for some in counts]


def figure_5(args: argparse.Namespace) -> int:
    """Measure rows/s for a million rows on 1, 2, 4, .. devices, from array to array. All bits must be equal."""
    model = the_model(args)
    columns: list[Column] = [("method", "method", "{}"), ("devices", "devices", "{}"), ("ms", "ms", "{:.1f}")]
    columns += [("rows/s", "rate", "{:,.0f}"), ("x one", "times_one", "{:.2f}"), ("same bits", "right", "{}")]
    report = Report("shap-figure5", f"Figure 5: contributions of {MODEL} by devices", columns, args)
    rows = model.test_rows(args.rows or MANY_ROWS)
    for method in methods_on(args.device):
        of_one: tuple[float, np.ndarray] | None = None
        for devices in device_lists(args.device):
            measured, values = measure(kauri_entrant(model, devices, method, False, args), rows, args.seconds)
            of_one = of_one or (measured.seconds, values)
            numbers = {
                "method": method,
                "devices": devices,
                "ms": measured.seconds * 1e3,
                "rate": measured.wanted / measured.seconds,
                "times_one": of_one[0] / measured.seconds,
                "right": values.tobytes() == of_one[1].tobytes(),
            }
            report.add({**vars(measured), **numbers, "name": f"{method} on {devices}"})
    return report.finish()


def figure_6(args: argparse.Namespace) -> int:
    """Measure rows per second against the CPU's threads."""
    model = the_model(args)
    counts = sorted({1, *(1 << i for i in range(1, 8) if 1 << i < args.threads), args.threads})
    rows = model.test_rows(args.rows or MANY_ROWS)
    report: Report | None = None
    for threads in counts:
        settings = argparse.Namespace(**{**vars(args), "threads": threads, "device": "cpu"})
        entrants = [entrant for entrant in entrants_for(model, False, settings) if entrant.key != "shap"]
        keys = [entrant.key for entrant in entrants]
        if report is None:
            columns: list[Column] = [("threads", "threads", "{}"), *((NAMES[key], key, "{:,.0f}") for key in keys)]
            title = f"Figure 6: rows/s of {MODEL} against threads"
            report = Report("shap-figure6", title, columns, args)
        row: Row = {"name": f"{threads} threads", "threads": threads}
        for key, entrant in zip(keys, entrants, strict=True):
            measured, _ = measure(entrant, rows, args.seconds)
            row[key] = measured.wanted / measured.seconds
        report.add(row)
    assert report is not None
    return report.finish()


def plot(path: Path) -> int:
    """Draw figure 4 or 6 from its JSON file as a PNG beside it."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    document = json.loads(path.read_text(encoding="utf-8"))
    rows = document["rows"]
    across = "threads" if "threads" in rows[0] else "rows"
    keys = [key for key in NAMES if key in rows[0]]
    if not keys:
        say(f"{path} holds no lines to draw.")
        return 1
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    for key, marker in zip(keys, "osD^vx+", strict=False):
        axes.plot([row[across] for row in rows], [row[key] for row in rows], marker=marker, label=NAMES[key])
    axes.set(xscale="log", yscale="log", xlabel=across, ylabel="ms" if across == "rows" else "rows/s")
    axes.set_title(f"{MODEL}\n{document['machine']['device']}; {document['machine']['cpu']}", fontsize=10)
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend()
    target = path.with_suffix(".png")
    figure.savefig(target, dpi=150)
    print(target)
    return 0
