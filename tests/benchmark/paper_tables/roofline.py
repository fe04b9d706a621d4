"""Time profile of a tree: every kernel's milliseconds and bytes, measured by Nsight Compute, against a plain copy.

The first round does not count.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .machine import driver_of
from .ncu import BYTES, SECONDS, KernelTotal, read_kernels, run_ncu
from .report import Column, Report
from .shapes import dense_binary
from .training import device_params, make_matrix

COLUMNS: list[Column] = [
    ("kernel", "name", "{}"),
    ("launches per tree", "launches", "{:.1f}"),
    ("ms per tree", "ms", "{:.3f}"),
    ("share", "share", "{:.0%}"),
    ("MB per tree", "megabytes", "{:.1f}"),
    ("bytes per entry and level", "bytes_per_entry", "{:.2f}"),
    ("GB/s", "rate", "{:.0f}"),
    ("of a copy", "of_copy", "{:.0%}"),
]
# Rows, depth and rounds to profile; few, because ncu slows each launch down.
CASES = [(200_000, 6, 5), (1_000_000, 6, 3), (10_500_000, 12, 1)]


def profiled_rounds(n_rows: int, depth: int, rounds: int, threads: int) -> None:
    """Run, under ncu, a round that is not counted, then `rounds` counted rounds."""
    import kauriboost as kb

    problem = dense_binary(n_rows, threads, depth=depth)
    data, _ = make_matrix(kb, problem, threads)
    booster = kb.Booster({**problem.params, **device_params("cuda", threads)}, [data])
    booster.update(data, 0)
    driver = driver_of("cuda")
    assert driver is not None
    driver.profile(True)
    for iteration in range(1, rounds + 1):
        booster.update(data, iteration)
    driver.profile(False)


def add_kernels(report: Report, totals: dict[str, KernelTotal], rounds: int, entry_levels: float, copy: float) -> None:
    """Report a row per kernel, the costliest first, and their sum. Kernels below one thousandth share a row."""
    whole = sum(totals.values(), KernelTotal())
    small = KernelTotal()
    shown: list[tuple[str, KernelTotal]] = []
    for name, total in sorted(totals.items(), key=lambda item: -item[1].seconds):
        if total.seconds >= whole.seconds / 1000:
            shown.append((name, total))
        else:
            small += total
    for name, total in [*shown, *([("others", small)] if small.launches else []), ("all", whole)]:
        rate = total.bytes / total.seconds
        report.add(
            {
                "name": name,
                "launches": total.launches / rounds,
                "ms": total.seconds / rounds * 1e3,
                "share": total.seconds / whole.seconds,
                "megabytes": total.bytes / rounds / 1e6,
                "bytes_per_entry": total.bytes / rounds / entry_levels,
                "rate": rate / 1e9,
                "of_copy": rate / copy,
            }
        )


def roofline(args: argparse.Namespace) -> int:
    """Report one table per case; returns the exit status."""
    driver = driver_of(args.device)
    if driver is None:
        raise SystemExit("the roofline measures kernels; it needs --device cuda.")
    copy = driver.copy_bandwidth()
    status = 0
    for full_rows, depth, default_rounds in CASES:
        n_rows, rounds = max(100, int(full_rows * args.scale)), args.rounds or default_rounds
        title = f"Kernels of a tree, {n_rows:,} x 28, depth {depth}"
        report = Report(f"roofline-{n_rows}", title, COLUMNS, args)
        log = Path(args.out) / f"roofline-{n_rows}.csv"
        lines = run_ncu("roofline", (n_rows, depth, rounds, args.threads), (SECONDS, BYTES), log)
        add_kernels(report, read_kernels(lines), rounds, n_rows * 28.0 * depth, copy)
        report.note(f"A copy within the device moves {copy / 1e12:.2f} TB/s, read and written.", copy=copy)
        status |= report.finish()
    return status


if __name__ == "__main__":
    profiled_rounds(*map(int, sys.argv[1:5]))
