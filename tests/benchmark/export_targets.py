"""Exports beside each other: equal margins on many rows for every model of the tests, then sizes and speed.

    python tests/benchmark/export_targets.py equality [--rows 1000000]
    python tests/benchmark/export_targets.py speed [--rows 100000] [--trees 1000]

equality: C, ONNX and DuckDB on all rows, WebAssembly (wasmtime) and SQLite on the first 2,000; prints the number of
rows whose margins have other bits than Kauri's, 0 everywhere. speed: one thread, processor time but for compilers.
"""

from __future__ import annotations

import argparse
import ctypes
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import onnxruntime
import wasmtime

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python-package"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python" / "export"))
import export_models as models
import kauriboost as kb
from kauriboost._export.sql import read_test, run_test

BATCH = """#include <stddef.h>
#include "model.c"
void batch(const float *rows, size_t n, float *margins) {
  for (size_t i = 0; i < n; ++i) kauri_margins(rows + i * KAURI_COLUMNS, margins + i * KAURI_OUTPUTS);
}
"""
FEW = 2000


def rows_for(booster: kb.Booster, n_rows: int) -> np.ndarray:
    """Return rows with missing values, and codes of categories where the model has names of some."""
    random = np.random.default_rng(11)
    rows = random.normal(size=(n_rows, booster.num_features())).astype(np.float32)
    rows[random.random(rows.shape) < 0.1] = np.nan
    for column, names in booster.get_categories().items():
        codes = random.integers(-1, len(names), n_rows).astype(np.float32)
        rows[:, booster.feature_names.index(column)] = np.where(codes < 0, np.nan, codes)
    return rows


def margins_of(booster: kb.Booster, rows: np.ndarray) -> np.ndarray:
    """Return Kauri's margins, [n_rows, n_outputs]."""
    names = booster.feature_names
    categories = booster.get_categories()
    types = ["c" if name in categories else "q" for name in names] if names else None
    data = kb.DMatrix(rows, feature_names=names, feature_types=types, nthread=1)
    return np.asarray(booster.predict(data, output_margin=True)).reshape(len(rows), -1)


def c_margins(booster: kb.Booster, folder: Path) -> Callable[[np.ndarray], np.ndarray]:
    """Compile the C file and return its function."""
    booster.export(folder / "model.c")
    (folder / "batch.c").write_text(BATCH)
    library = folder / f"batch{time.monotonic_ns()}.so"
    subprocess.run(["cc", "-std=c99", "-O2", "-shared", "-fPIC", "-o", library, folder / "batch.c"], check=True)
    call = ctypes.CDLL(str(library)).batch
    call.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
    n_outputs = margins_of(booster, np.zeros((1, booster.num_features()), np.float32)).shape[1]

    def compute(rows: np.ndarray) -> np.ndarray:
        out = np.empty((len(rows), n_outputs), np.float32)
        call(rows.ctypes.data, len(rows), out.ctypes.data)
        return out

    return compute


def onnx_margins(booster: kb.Booster, folder: Path) -> Callable[[np.ndarray], np.ndarray]:
    """Return the function of the ONNX model, in batches of 10,000 rows."""
    booster.export(folder / "model.onnx")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession((folder / "model.onnx").read_bytes(), options)
    run = lambda part: session.run(["margins"], {"rows": part})[0]  # noqa: E731
    return lambda rows: np.concatenate([run(rows[i : i + 10_000]) for i in range(0, len(rows), 10_000)])


def sql_margins(booster: kb.Booster, folder: Path, dialect: str) -> Callable[[np.ndarray], np.ndarray]:
    """Return the function of the SQL statement, over a table of names."""
    booster.export(folder / "model.sql", dialect)
    test = read_test(folder / "model.sql")
    categories = booster.get_categories()
    names = [categories.get(name) for name, _ in test.columns]

    def cell(value: float, known: Any) -> Any:
        return None if value != value else value if known is None else known[int(value)]

    def compute(rows: np.ndarray) -> np.ndarray:
        if dialect == "duckdb":
            frame = models.pd.DataFrame(rows, columns=[name for name, _ in test.columns])
            for (name, _), known in zip(test.columns, names):
                if known is not None:
                    frame[name] = models.pd.Series([cell(value, known) for value in frame[name]], dtype=object)
            frame["kauri_number"] = np.arange(len(rows))
            connection = duckdb.connect(config={"threads": 1})
            connection.register("kauri_rows", frame)
            found = connection.execute(test.statement).df().sort_values("kauri_number")
            columns = [name for name in found.columns if name.startswith("kauri_margin")]
            return found[columns].to_numpy(np.float32)
        cells = [[cell(float(value), known) for value, known in zip(row, names)] for row in rows]
        return run_test(test._replace(rows=cells), sqlite3.connect(":memory:"), dialect)[0]

    return compute


def wasm_margins(booster: kb.Booster, folder: Path) -> Callable[[np.ndarray], np.ndarray]:
    """Return the function of the WebAssembly module, called row by row."""
    booster.export(folder / "model.wasm")
    store = wasmtime.Store()
    module = wasmtime.Module(store.engine, (folder / "model.wasm").read_bytes())
    exports = wasmtime.Instance(store, module, []).exports(store)
    n_outputs = margins_of(booster, np.zeros((1, booster.num_features()), np.float32)).shape[1]

    def compute(rows: np.ndarray) -> np.ndarray:
        out = np.empty((len(rows), n_outputs), np.float32)
        row, result = exports["row"](store), exports["result"](store)
        for i, cells in enumerate(rows):
            exports["memory"].write(store, cells.tobytes(), row)
            exports["margins"](store)
            out[i] = np.frombuffer(exports["memory"].read(store, result, result + 4 * n_outputs), np.float32)
        return out

    return compute


def equality(n_rows: int, folder: Path) -> int:
    """Print a line for each model; returns the number of rows that differ."""
    targets: dict[str, tuple[Callable[..., Callable[[np.ndarray], np.ndarray]], int]] = {
        "c": (c_margins, n_rows),
        "onnx": (onnx_margins, n_rows),
        "duckdb": (lambda booster, place: sql_margins(booster, place, "duckdb"), n_rows),
        "sqlite": (lambda booster, place: sql_margins(booster, place, "sqlite"), FEW),
        "wasm": (wasm_margins, FEW),
    }
    print(f"{'model':22}" + "".join(f"{name:>9}" for name in targets))
    total = 0
    for name in models.NAMES:
        booster = models.model(name)
        booster.set_param({"nthread": 1})
        rows = rows_for(booster, n_rows)
        if name == "refused":  # no row with a category that training has not seen
            seen = models.frame()["city"].cat.codes.unique()
            rows[~np.isin(rows[:, 3], seen), 3] = np.nan
        margins = margins_of(booster, rows)
        cells = []
        for make, n in targets.values():
            try:
                differing = int((make(booster, folder)(rows[:n]) != margins[:n]).any(axis=1).sum())
                total += differing
                cells.append(str(differing))
            except kb.ParameterError:
                cells.append("refused")
        print(f"{name:22}" + "".join(f"{cell:>9}" for cell in cells), flush=True)
    return total


def speed(n_rows: int, n_trees: int, folder: Path) -> None:
    """Print export time, size, time to make it ready, and rows a second."""
    random = np.random.default_rng(0)
    table = random.normal(size=(20_000, 20)).astype(np.float32)
    label = table[:, 0] * table[:, 1] + table[:, 2] + random.normal(size=20_000)
    booster = kb.train({"max_depth": 6, "eta": 0.05, "nthread": 1}, kb.DMatrix(table, label), n_trees)
    rows = random.normal(size=(n_rows, 20)).astype(np.float32)
    makers: dict[str, tuple[Callable[..., Any], int]] = {
        "kauri": (lambda booster, _: lambda part: margins_of(booster, part), n_rows),
        "c": (c_margins, n_rows),
        "onnx": (onnx_margins, n_rows),
        "wasm": (wasm_margins, FEW),
    }
    for name, (make, n) in makers.items():
        began = [time.process_time(), time.perf_counter()]
        compute = make(booster, folder)
        ready = time.perf_counter() - began[1]
        compute(rows[:100])
        start = time.process_time()
        compute(rows[:n])
        each = (time.process_time() - start) / n
        files = [path for path in folder.glob(f"model.{name}") if path.is_file()]
        size = files[0].stat().st_size if files else 0
        print(f"{name:8} {size / 1e3:9.0f} kB  ready after {ready:6.2f} s  {1 / each:12.0f} rows a second", flush=True)
    start = time.perf_counter()
    subprocess.run(["cc", "-std=c99", "-O2", "-c", "-o", folder / "model.o", folder / "model.c"], check=True)
    print(f"cc -O2 compiles model.c in {time.perf_counter() - start:.2f} s")


def main() -> int:
    """Run one of the two parts; the exit status is 1 if a margin differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["equality", "speed"])
    parser.add_argument("--rows", type=int, default=0)
    parser.add_argument("--trees", type=int, default=1000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if given.part == "equality":
            return 1 if equality(given.rows or 1_000_000, Path(folder)) else 0
        speed(given.rows or 100_000, given.trees, Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
