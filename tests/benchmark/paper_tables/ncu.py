"""Kernel counters from Nsight Compute: runs a module under ncu and reads ncu's CSV output.

ncu counts only between cuProfilerStart and cuProfilerStop, and slows each launch down.
"""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

SECONDS, BYTES = "gpu__time_duration.sum", "dram__bytes.sum"
# ncu's units, in seconds, bytes and counts. Its byte prefixes are decimal.
_PREFIXES = {"": 1.0, "n": 1e-9, "u": 1e-6, "m": 1e-3}
UNITS = {f"{prefix}{unit}": scale for prefix, scale in _PREFIXES.items() for unit in ("second", "s")}
UNITS |= {f"{prefix}{unit}": 10.0 ** (3 * i) for i, prefix in enumerate(("", "k", "m", "g")) for unit in ("byte", "b")}
UNITS |= dict.fromkeys(("", "inst", "cycle", "warp"), 1.0)


@dataclass
class KernelTotal:
    """Sums over all launches of one kernel, by the names of ncu's metrics."""

    launches: int = 0
    sums: dict[str, float] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        """Return the seconds on the device."""
        return self.sums.get(SECONDS, 0.0)

    @property
    def bytes(self) -> float:
        """Return the bytes read from and written to device memory."""
        return self.sums.get(BYTES, 0.0)

    def __add__(self, other: KernelTotal) -> KernelTotal:
        names = self.sums | other.sums
        sums = {name: self.sums.get(name, 0.0) + other.sums.get(name, 0.0) for name in names}
        return KernelTotal(self.launches + other.launches, sums)


def short_name(demangled: str) -> str:
    """Return a kernel's name without return type, namespaces, template arguments and parameters.

    Kernels of Thrust and CUB keep the name of our functor, which is all that distinguishes their launches.
    """
    plain = re.sub(r"<unnamed>::|\(anonymous namespace\)::", "", demangled)
    head = re.split(r"[<(]", plain.removeprefix("void "), maxsplit=1)[0]
    name = head.split("::")[-1].strip()
    if head.startswith(("cub::", "thrust::")):
        own = re.findall(r"kauri::(?:\w+::)*(\w+)", plain)
        return f"{head.split('::')[0]} {name}" + (f" ({own[0]})" if own else "")
    return name or demangled


def _csv_rows(lines: Iterable[str]) -> Iterator[dict[str, str]]:
    """Yield the rows of ncu's CSV output, without the other output of the program and of ncu."""
    rows = csv.reader(line for line in lines if line.startswith('"'))
    header: list[str] = []
    for row in rows:
        if "Kernel Name" in row and "Metric Name" in row:
            header = row
        elif header and len(row) == len(header):
            yield dict(zip(header, row, strict=True))


def read_kernels(lines: Iterable[str]) -> dict[str, KernelTotal]:
    """Return totals by short name from ``ncu --csv``, one metric a row. The metrics must include SECONDS.

    Raises
    ------
    ValueError
        An unknown unit, or no kernel at all; the message then includes ncu's own.
    """
    text = list(lines)
    totals: dict[str, KernelTotal] = {}
    for row in _csv_rows(text):
        metric, unit = row["Metric Name"], row["Metric Unit"].strip().lower()
        if unit not in UNITS:
            raise ValueError(f"ncu gave {metric} in {row['Metric Unit']!r}; expected one of {list(UNITS)}.")
        total = totals.setdefault(short_name(row["Kernel Name"]), KernelTotal())
        value = float(row["Metric Value"].replace(",", "")) * UNITS[unit]  # values may have commas between thousands
        total.sums[metric] = total.sums.get(metric, 0.0) + value
        total.launches += metric == SECONDS
    if not totals:
        raise ValueError("ncu reported no kernel. Its output ends:\n" + "".join(text[-20:]))
    return totals


def run_ncu(module: str, arguments: Iterable[object], metrics: Iterable[str], log: Path) -> list[str]:
    """Run ``python -m paper_tables.MODULE ARGUMENTS`` under ncu; returns its CSV lines, which are also kept in `log`.

    Raises
    ------
    RuntimeError
        ncu is missing or fails.
    """
    ncu = shutil.which("ncu")
    if ncu is None:
        raise RuntimeError("ncu (Nsight Compute, part of the CUDA toolkit) is not on the PATH; the roofline needs it.")
    log.parent.mkdir(parents=True, exist_ok=True)
    options = ["--csv", "--print-units", "base", "--log-file", str(log), "--force-overwrite"]
    options += ["--profile-from-start", "off", "--clock-control", "none", "--cache-control", "none"]
    child = [sys.executable, "-m", f"paper_tables.{module}", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [ncu, *options, "--metrics", ",".join(metrics), *child]
    done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True) if log.exists() else []
    if done.returncode != 0:
        said = done.stdout[-1000:] + done.stderr[-1000:] + "".join(lines[-20:])
        raise RuntimeError(f"ncu failed ({done.returncode}):\n{said}")
    return lines
