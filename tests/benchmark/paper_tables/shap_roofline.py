"""Time profile of explanations: every kernel's instructions and bytes, by Nsight Compute, against the peaks.

Peaks: one instruction per scheduler and cycle, four schedulers on a multiprocessor; one wavefront of shared memory per
multiprocessor and cycle; the bandwidth of a plain copy. The first call, which compiles the model, does not count.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from .machine import driver_of
from .ncu import BYTES, SECONDS, KernelTotal, read_kernels, run_ncu
from .report import Column, Report
from .shap_models import TrainedModel, trained

CYCLES = "sm__cycles_elapsed.max"
INSTRUCTIONS = "smsp__inst_executed.sum"  # instructions of warps
WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
SCHEDULERS = 4  # schedulers of a multiprocessor since Volta
LANES = 32
COLUMNS: list[Column] = [
    ("model", "name", "{}"),
    ("what", "what", "{}"),
    ("kernel", "kernel", "{}"),
    ("launches", "launches", "{:,}"),
    ("ms", "ms", "{:.3f}"),
    ("lane instructions per leaf and row", "instructions", "{:.1f}"),
    ("issue slots", "of_issue", "{:.0%}"),
    ("shared memory", "of_shared", "{:.0%}"),
    ("MB", "megabytes", "{:.1f}"),
    ("of a copy", "of_copy", "{:.0%}"),
]
SMALLEST_SHARE = 0.01  # fraction of the time; smaller kernels are summed up


def cases(args: argparse.Namespace) -> Iterator[tuple[TrainedModel, str, bool, int]]:
    """Yield the model, the method, whether it computes interactions, and the number of rows of each case."""
    for name in args.only:
        model = trained(name, args)
        if model is None:
            continue
        yield model, "quadrature", False, args.rows or 10_000
        yield model, "quadrature", True, min(args.rows or 200, 200)
        yield model, "treeshap", False, min(args.rows or 1_000, 1_000)


def profiled_call(path: str, rows_path: str, method: str, pairs: bool) -> None:
    """Run, under ncu, a call that is not counted, then a counted call."""
    import kauriboost as kb

    booster = kb.Booster({"device": "cuda", "shap_method": method}, model_file=path)
    data = kb.DMatrix(np.load(rows_path))
    driver = driver_of("cuda")
    assert driver is not None
    booster.predict(data, pred_contribs=not pairs, pred_interactions=pairs)
    driver.profile(True)
    booster.predict(data, pred_contribs=not pairs, pred_interactions=pairs)
    driver.profile(False)


def add_kernels(
    report: Report, totals: dict[str, KernelTotal], known: dict[str, object], peaks: dict[str, float]
) -> None:
    """Report a row per kernel, the costliest first. `known` holds leaves times rows as "work"."""
    least = SMALLEST_SHARE * sum(total.seconds for total in totals.values())
    shown = {name: total for name, total in totals.items() if total.seconds >= least}
    small = sum((total for name, total in totals.items() if name not in shown), KernelTotal())
    if small.launches:
        shown["others"] = small
    for kernel, total in sorted(shown.items(), key=lambda item: -item[1].seconds):
        multiprocessor_cycles = peaks["multiprocessors"] * total.sums[CYCLES]
        report.add(
            {
                **known,
                "kernel": kernel,
                "launches": total.launches,
                "ms": total.seconds * 1e3,
                "instructions": LANES * total.sums[INSTRUCTIONS] / float(str(known["work"])),
                "of_issue": total.sums[INSTRUCTIONS] / (SCHEDULERS * multiprocessor_cycles),
                "of_shared": total.sums[WAVEFRONTS] / multiprocessor_cycles,
                "megabytes": total.bytes / 1e6,
                "of_copy": total.bytes / total.seconds / peaks["copy"],
            }
        )


def shap_roofline(args: argparse.Namespace) -> int:
    """Report the table; returns the exit status."""
    driver = driver_of(args.device)
    if driver is None:
        raise SystemExit("the roofline measures kernels; it needs --device cuda.")
    peaks = {"copy": driver.copy_bandwidth(), "multiprocessors": driver.multiprocessors()}
    report = Report("shap-roofline", "Kernels of contributions and interactions", COLUMNS, args)
    for model, method, pairs, count in cases(args):
        rows_path = Path(args.out) / "roofline-rows.npy"
        rows_path.parent.mkdir(parents=True, exist_ok=True)
        np.save(rows_path, model.test_rows(count))
        what = f"{method}, {'interactions' if pairs else 'contributions'}, {count:,} rows"
        log = Path(args.out) / f"roofline-{model.name}-{method}{'-pairs' if pairs else ''}.csv"
        metrics = (SECONDS, BYTES, CYCLES, INSTRUCTIONS, WAVEFRONTS)
        lines = run_ncu("shap_roofline", (model.path, rows_path, method, int(pairs)), metrics, log)
        known = {"name": model.name, "what": what, "work": float(model.shape.leaves) * count}
        add_kernels(report, read_kernels(lines), known, peaks)
    report.note(f"A copy within the device moves {peaks['copy'] / 1e12:.2f} TB/s, read and written.", **peaks)
    return report.finish()


if __name__ == "__main__":
    profiled_call(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4] == "1")
