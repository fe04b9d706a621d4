"""Columns of the real sets, and what the benchmark programs say of them."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .printed import Key

ROOT = Path(__file__).resolve().parents[4]
DATA = Path(os.environ.get("KAURI_DATA", ROOT.parent / "shared" / "data"))
SETS = ["adult", "california", "protein", "credit_default", "ames", "spambase", "letter", "yeast", "covtype", "higgs"]
REPEATED = {"covtype_cat", "california_raw"}
TOO_WIDE = {"sector"}


class Measured(NamedTuple):
    """Results of sketch_estimators for one estimator and one column."""

    span: float  # the largest over the smallest value; 0 unless all are above 0
    kept: int  # numbers that the sketch keeps, at most
    of_quantiles: float  # NIAE
    of_cdf: float
    failure: int  # 1: failed; 2: a fit with fewer moments


Found = dict[Key, list[Measured]]


def loader() -> Any:
    """Return the module load.py of the real data sets."""
    spec = importlib.util.spec_from_file_location("load", DATA / "load.py")
    if spec is None or spec.loader is None or not (DATA / "load.py").is_file():
        raise SystemExit(f"There are no real data sets at {DATA}; set KAURI_DATA to a folder with load.py.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def every_set() -> list[str]:
    """Return all sets except those that repeat columns, and one of 55,197 word columns."""
    return [name for name in loader().NAMES if name not in REPEATED | TOO_WIDE]


def columns_of(name: str, rows: int) -> np.ndarray:
    """Return the columns of a set, [n_cols, n_rows] of float32."""
    features = loader().load(name)[0]
    some = np.random.default_rng(0).permutation(features.shape[0])[:rows]
    features = features[np.sort(some)]
    features = features.toarray() if hasattr(features, "toarray") else features
    return np.ascontiguousarray(np.asarray(features, np.float32).T)


def program(build: str, name: str) -> Path:
    """Return the path of a benchmark program. Raises SystemExit if it is not built."""
    path = Path(build) / "bin" / name
    if not path.is_file():
        raise SystemExit(f"{path} is not there; build it (cmake --build {build} --target {name}).")
    return path


def output_of(*command: str | Path) -> list[list[str]]:
    """Run a program; returns its output lines, split into words."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{Path(command[0]).name} failed: {done.stdout[-300:]}{done.stderr[-300:]}")
    return [line.split() for line in done.stdout.splitlines()]


def lines_of(path: Path, columns: np.ndarray, *before: str, after: tuple[str, ...] = ()) -> list[list[str]]:
    """Run a program on a file of columns; returns its output lines, split into words."""
    with tempfile.NamedTemporaryFile() as file:
        columns.tofile(file)
        file.flush()
        return output_of(path, *before, file.name, str(columns.shape[1]), *after)


def add_estimates(lines: list[list[str]], found: Found) -> None:
    """Add the lines of sketch_estimators."""
    for _, span, name, size, kept, of_quantiles, of_cdf, failure in lines:
        measured = Measured(float(span), int(kept), float(of_quantiles), float(of_cdf), int(failure))
        found.setdefault((name, int(size)), []).append(measured)


def all_columns(sets: list[str], rows: int) -> Iterator[np.ndarray]:
    """Yield the columns of each set."""
    for name in sets:
        yield columns_of(name, rows)


def estimates(sets: list[str], rows: int, build: str, gpu: bool) -> Found:
    """Measure all estimators on all columns, several at a time; with `gpu` also those of a device."""
    found: Found = {}
    path = program(build, "sketch_estimators")
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for columns in all_columns(sets, rows):
            parts = [columns[begin : begin + 4] for begin in range(0, len(columns), 4)]
            for lines in pool.map(lambda part: lines_of(path, part), parts):
                add_estimates(lines, found)
            if gpu:
                add_estimates(lines_of(program(build, "gpu_sketch_estimators"), columns), found)
    return found


def normal_estimates(n: int, build: str, gpu: bool) -> Found:
    """Measure all estimators of moments on n values of N(1000, 1)."""
    found: Found = {}
    for name in ["sketch_estimators", *(["gpu_sketch_estimators"] if gpu else [])]:
        add_estimates(output_of(program(build, name), "normal", str(n)), found)
    return found
