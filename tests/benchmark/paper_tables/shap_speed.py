"""Tables 3, 5, 6 and 7 of the SHAP paper."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np

from .packing import PACKINGS, library_packings, utilisation
from .report import Column, Report, Row, say
from .shap_entrants import allowed_values, entrants_for, error_against, kauri_entrant, measure, methods_on
from .shap_models import PUBLISHED, TrainedModel, trained

TOLERANCE = 1e-3  # relative to the largest value; the papers' recurrences lose digits on deep trees
MODEL: list[Column] = [("model", "name", "{}"), ("trees", "trees_text", "{}"), ("leaves", "leaves", "{:,}")]
ENTRANTS = {
    "device_treeshap": "device treeshap",
    "device_quadrature": "device quadrature",
    "xgboost_device": "XGBoost, device",
    "cpu_treeshap": "CPU treeshap",
    "cpu_quadrature": "CPU quadrature",
    "xgboost": "XGBoost, CPU",
    "shap": "shap, one thread",
}


def models(args: argparse.Namespace) -> Iterator[TrainedModel]:
    """Yield the requested models whose data are available."""
    for name in args.only:
        model = trained(name, args)
        if model is not None:
            yield model


def table_3(args: argparse.Namespace) -> int:
    """Report the models."""
    columns = [*MODEL, ("depth", "depth", "{}"), ("the paper's leaves", "paper_leaves", "{:,}")]
    columns += [("training, s", "train_s", "{:.1f}")]
    report = Report("shap-table3", "Table 3: models", columns, args)
    for model in models(args):
        report.add({**model.size(), "paper_leaves": PUBLISHED[model.name].leaves, "train_s": model.train_s})
    return report.finish()


def table_5(args: argparse.Namespace) -> int:
    """Report seconds of packing, bins and their utilisation, and seconds of 10,000 rows by treeshap on the device."""
    columns = [*MODEL, ("packing", "packing", "{}"), ("bins", "bins", "{:,}"), ("utilisation", "utilisation", "{:.4f}")]
    columns += [("packing, s", "packing_s", "{:.1e}"), ("contributions, s", "text", "{}")]
    report = Report("shap-table5", "Table 5: bin packing", columns, args)
    known = allowed_values("shap_bin_packing") if args.device != "cpu" and "treeshap" in methods_on(args.device) else []
    if not known:
        say("(no parameter shap_bin_packing on this device: its times are left out)")
    if args.packing_bench is None:
        say("(without --packing-bench the time of packing is left out)")
    for model in models(args):
        rows = model.test_rows(args.rows or 10_000)
        sizes = model.shape.path_sizes
        library = {} if args.packing_bench is None else library_packings(args.packing_bench, sizes)
        for name, pack in PACKINGS.items():
            bins = pack(sizes)
            row: Row = {**model.size(), "packing": name, "bins": bins, "utilisation": utilisation(sizes, bins)}
            if name in library:
                row["packing_s"] = library[name][0]
                row["right"] = library[name][1] == bins
            if name in known:
                entrant = kauri_entrant(model, args.device, "treeshap", False, args, shap_bin_packing=name)
                measured, _ = measure(entrant, rows, args.seconds)
                row.update(vars(measured), text=measured.text)
            report.add(row)
    return report.finish()


def table_6(args: argparse.Namespace) -> int:
    """Report the speed of contributions."""
    return speed_table("shap-table6", "Table 6: contributions", args.rows or 10_000, False, args)


def table_7(args: argparse.Namespace) -> int:
    """Report the speed of interactions."""
    return speed_table("shap-table7", "Table 7: interactions", args.rows or 200, True, args)


def speed_table(name: str, title: str, n_rows: int, pairs: bool, args: argparse.Namespace) -> int:
    """Report a row per model with a column per entrant; returns the exit status."""
    columns: list[Column] = [*MODEL, *((header, key, "{}") for key, header in ENTRANTS.items())]
    columns += [("XGBoost / Kauri, device", "device_ratio", "{:.1f}"), ("the same, CPU", "cpu_ratio", "{:.1f}")]
    columns += [("ps per leaf and row", "ps", "{:.3g}")]
    columns += [
        ("the same, XGBoost 3.4.1 on an H100", "h100_ps", "{:.3g}"),
        ("the same, paper's V100", "paper_ps", "{:.3g}"),
    ]
    columns += [("largest error", "error", "{:.1e}")]
    report = Report(name, f"{title}, seconds for {n_rows:,} rows [rows, rounds that were timed]", columns, args)
    for model in models(args):
        row = measure_model(model, n_rows, pairs, args)
        row.update(published(model.name, pairs))
        report.add(row)
    return report.finish()


def measure_model(model: TrainedModel, n_rows: int, pairs: bool, args: argparse.Namespace) -> Row:
    """Measure all entrants on one model; their results must agree."""
    rows = model.test_rows(n_rows)
    row: Row = {**model.size(), "rows": n_rows, "details": {}, "errors": {}}
    reference: np.ndarray | None = None
    seconds: dict[str, float] = {}
    for entrant in entrants_for(model, pairs, args):
        measured, values = measure(entrant, rows, args.seconds)
        values = values[:16].copy()
        reference = values if reference is None else reference
        if entrant.rounds is None:
            row["errors"][entrant.key] = error_against(reference, values, 2 if pairs else 1)
        row["details"][entrant.key] = vars(measured)
        row[entrant.key] = measured.text
        seconds[entrant.key] = measured.seconds
    for place, peer in (("cpu", "xgboost"), ("device", "xgboost_device")):
        ours = [value for key, value in seconds.items() if key.startswith(place)]
        if ours:
            row["ps"] = min(ours) / n_rows / model.shape.leaves * 1e12
        if ours and peer in seconds:
            row[f"{place}_ratio"] = seconds[peer] / min(ours)
    row["error"] = max(row["errors"].values())
    row["right"] = row["error"] < TOLERANCE
    return row


def published(name: str, pairs: bool) -> Row:
    """Return picoseconds per leaf and row of the paper's GPU and of XGBoost 3.4.1, from their models' leaves."""
    known, rows = PUBLISHED[name], 200 if pairs else 10_000
    paper_s, h100_s = (known.v100_pairs_s, known.h100_pairs_s) if pairs else (known.v100_s, known.h100_s)
    return {
        "paper_s": paper_s,
        "paper_cpu_s": known.cpu40_pairs_s if pairs else known.cpu40_s,
        "h100_s": h100_s,
        "paper_ps": paper_s / rows / known.leaves * 1e12,
        "h100_ps": h100_s / rows / known.h100_leaves * 1e12,
    }
