"""Where a tree's time goes: every kernel's milliseconds and bytes, measured by Nsight Compute, against a plain copy.

The command starts itself under ncu, which counts only between cuProfilerStart and cuProfilerStop: after a first round.
"""

from __future__ import annotations

import argparse
import csv
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .machine import driver_of
from .report import Column, Report
from .shapes import dense_binary
from .training import device_params, make_matrix

METRICS = {"gpu__time_duration.sum": "seconds", "dram__bytes.sum": "bytes"}
# ncu's units, in seconds and bytes. Its prefixes of bytes are decimal.
_PREFIXES = {"": 1.0, "n": 1e-9, "u": 1e-6, "m": 1e-3}
UNITS = {f"{prefix}{unit}": scale for prefix, scale in _PREFIXES.items() for unit in ("second", "s")}
UNITS |= {f"{prefix}{unit}": 10.0 ** (3 * i) for i, prefix in enumerate(("", "k", "m", "g")) for unit in ("byte", "b")}
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
# Rows, depth, rounds that are profiled: ncu slows each launch down.
CASES = [(200_000, 6, 5), (1_000_000, 6, 3), (10_500_000, 12, 1)]


@dataclass
class KernelTotal:
    """All launches of one kernel."""

    launches: int = 0
    seconds: float = 0.0
    bytes: float = 0.0


def short_name(demangled: str) -> str:
    """A kernel's name without return type, namespaces, template arguments and parameters.

    A functor that a kernel of Thrust or CUB applies is what tells its launches apart, so theirs keep one.
    """
    plain = re.sub(r"<unnamed>::|\(anonymous namespace\)::", "", demangled)
    head = re.split(r"[<(]", plain.removeprefix("void "), maxsplit=1)[0]
    name = head.split("::")[-1].strip()
    if head.startswith(("cub::", "thrust::")):
        own = re.findall(r"kauri::(?:\w+::)*(\w+)", plain)
        return f"{head.split('::')[0]} {name}" + (f" ({own[0]})" if own else "")
    return name or demangled


def read_number(text: str) -> float:
    """A number as ncu prints it: with commas between thousands, maybe."""
    return float(text.replace(",", ""))


def csv_rows(lines: Iterable[str]) -> Iterator[dict[str, str]]:
    """The rows of ncu's CSV output; what the program and ncu print around them is left out."""
    rows = csv.reader(line for line in lines if line.startswith('"'))
    header: list[str] = []
    for row in rows:
        if "Kernel Name" in row and "Metric Name" in row:
            header = row
        elif header and len(row) == len(header):
            yield dict(zip(header, row, strict=True))


def read_kernels(lines: Iterable[str]) -> dict[str, KernelTotal]:
    """Totals by short name from ``ncu --csv``, one metric a row.

    Raises
    ------
    ValueError
        A unit that is not known, or no kernel at all: ncu's own message is in the text.
    """
    text = list(lines)
    totals: dict[str, KernelTotal] = {}
    for row in csv_rows(text):
        field = METRICS.get(row["Metric Name"])
        if field is None:
            continue
        unit = row["Metric Unit"].strip().lower()
        if unit not in UNITS:
            raise ValueError(f"ncu gave {row['Metric Name']} in {row['Metric Unit']!r}; expected one of {list(UNITS)}.")
        total = totals.setdefault(short_name(row["Kernel Name"]), KernelTotal())
        setattr(total, field, getattr(total, field) + read_number(row["Metric Value"]) * UNITS[unit])
        total.launches += field == "seconds"
    if not totals:
        raise ValueError("ncu reported no kernel. Its output ends:\n" + "".join(text[-20:]))
    return totals


def profiled_rounds(n_rows: int, depth: int, rounds: int, threads: int) -> None:
    """What runs under ncu: a round that is not counted, then `rounds` that are."""
    import kauri

    problem = dense_binary(n_rows, threads, depth=depth)
    data, _ = make_matrix(kauri, problem, threads)
    booster = kauri.Booster({**problem.params, **device_params("cuda", threads)}, [data])
    booster.update(data, 0)
    driver = driver_of("cuda")
    assert driver is not None
    driver.profile(True)
    for iteration in range(1, rounds + 1):
        booster.update(data, iteration)
    driver.profile(False)


def run_ncu(n_rows: int, depth: int, rounds: int, args: argparse.Namespace) -> list[str]:
    """ncu's CSV lines of the profiled rounds. Raises RuntimeError when ncu is missing or fails."""
    ncu = shutil.which("ncu")
    if ncu is None:
        raise RuntimeError("ncu (Nsight Compute, part of the CUDA toolkit) is not on the PATH; the roofline needs it.")
    log = Path(args.out) / f"roofline-{n_rows}.csv"
    log.parent.mkdir(parents=True, exist_ok=True)
    options = ["--csv", "--print-units", "base", "--log-file", str(log), "--force-overwrite"]
    options += ["--profile-from-start", "off", "--clock-control", "none", "--cache-control", "none"]
    child = [sys.executable, "-m", "paper_tables.roofline", *map(str, (n_rows, depth, rounds, args.threads))]
    command = [ncu, *options, "--metrics", ",".join(METRICS), *child]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True) if log.exists() else []
    if done.returncode != 0:
        said = done.stdout[-1000:] + done.stderr[-1000:] + "".join(lines[-20:])
        raise RuntimeError(f"ncu failed ({done.returncode}):\n{said}")
    return lines


def add_kernels(report: Report, totals: dict[str, KernelTotal], rounds: int, entry_levels: float, copy: float) -> None:
    """A row per kernel, the costliest first, and their sum; kernels below one thousandth are summed up."""
    whole = KernelTotal(*(sum(getattr(t, f) for t in totals.values()) for f in ("launches", "seconds", "bytes")))
    small = KernelTotal()
    shown: list[tuple[str, KernelTotal]] = []
    for name, total in sorted(totals.items(), key=lambda item: -item[1].seconds):
        if total.seconds >= whole.seconds / 1000:
            shown.append((name, total))
        else:
            small = KernelTotal(*(getattr(small, f) + getattr(total, f) for f in ("launches", "seconds", "bytes")))
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
    """One table per case."""
    driver = driver_of(args.device)
    if driver is None:
        raise SystemExit("the roofline measures kernels; it needs --device cuda.")
    copy = driver.copy_bandwidth()
    status = 0
    for full_rows, depth, default_rounds in CASES:
        n_rows, rounds = max(100, int(full_rows * args.scale)), args.rounds or default_rounds
        title = f"Kernels of a tree, {n_rows:,} x 28, depth {depth}"
        report = Report(f"roofline-{n_rows}", title, COLUMNS, args)
        add_kernels(report, read_kernels(run_ncu(n_rows, depth, rounds, args)), rounds, n_rows * 28.0 * depth, copy)
        report.note(f"A copy within the device moves {copy / 1e12:.2f} TB/s, read and written.", copy=copy)
        status |= report.finish()
    return status


if __name__ == "__main__":
    profiled_rounds(*map(int, sys.argv[1:5]))
