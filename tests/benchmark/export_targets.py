"""Exports beside each other: equal margins and leaves on many rows for every model of the tests, then sizes and speed.

    python tests/benchmark/export_targets.py [all|equality|speed|peers] [--rows N] [--trees 1000]

equality: C, ONNX, DuckDB, Treelite and WebAssembly in Node.js on all rows (1,000,000), SQLite and WebAssembly in
wasmtime on the first 2,000; prints the number of rows whose margins have other bits than Kauri's, 0 everywhere, and the
number of rows whose leaves in C are not Kauri's. speed: sizes and rows a second of 1,000 trees. peers: 100 trees in
other compilers of trees, tl2cgen (reads Kauri's file) and lleaves (reads LightGBM's, so LightGBM trains it trees of the
same size), and in DuckDB. All in one thread, in processor time but for compilers. Needs: pip install duckdb lightgbm
lleaves onnxruntime tl2cgen treelite wasmtime, and Node.js.

Longer than 400 lines: each target takes a few lines to run, and one function compares them all.
"""

from __future__ import annotations

import argparse
import ctypes
import resource
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
TARGETS = ["c", "onnx", "duckdb", "treelite", "sqlite", "wasm", "node"]
# Margins of all rows of a file, by the module in Node.js: the numbers of columns and outputs, then the files.
IN_NODE = """
import { readFileSync, writeFileSync } from 'node:fs';
const [columns, outputs] = process.argv.slice(2, 4).map(Number);
const [module, rows, margins] = process.argv.slice(4);
const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(module)));
const bytes = readFileSync(rows);
const given = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
const found = new Float32Array((given.length / columns) * outputs);
for (let row = 0; row < given.length / columns; ++row) {
  const from = given.subarray(row * columns, (row + 1) * columns);
  new Float32Array(exports.memory.buffer, exports.row(), columns).set(from);
  exports.margins();
  found.set(new Float32Array(exports.memory.buffer, exports.result(), outputs), row * outputs);
}
writeFileSync(margins, found);
"""
# The same loop, which stores the leaf that it has found instead of adding it.
LEAVES = """
void leaves(const float *rows, size_t n, uint32_t *out) {
  static float margins[KAURI_OUTPUTS];
  for (size_t i = 0; i < n; ++i, out += KAURI_TREES) {
    kauri_found = out;
    kauri_margins(rows + i * KAURI_COLUMNS, margins);
  }
}
"""


def rows_for(booster: kb.Booster, n_rows: int) -> np.ndarray:
    """Return rows with missing values, and codes of categories where the model has names of some."""
    random = np.random.default_rng(11)
    rows = random.normal(size=(n_rows, booster.num_features())).astype(np.float32)
    rows[random.random(rows.shape) < 0.1] = np.nan
    for column, names in booster.get_categories().items():
        codes = random.integers(-1, len(names), n_rows).astype(np.float32)
        rows[:, booster.feature_names.index(column)] = np.where(codes < 0, np.nan, codes)
    return rows


def predicted(booster: kb.Booster, rows: np.ndarray, **kind: bool) -> np.ndarray:
    """Return what Kauri predicts."""
    names = booster.feature_names
    categories = booster.get_categories()
    types = ["c" if name in categories else "q" for name in names] if names else None
    data = kb.DMatrix(rows, feature_names=names, feature_types=types, nthread=1)
    return np.asarray(booster.predict(data, **kind))


def margins_of(booster: kb.Booster, rows: np.ndarray) -> np.ndarray:
    """Return Kauri's margins, [n_rows, n_outputs]."""
    return predicted(booster, rows, output_margin=True).reshape(len(rows), -1)


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


def leaves_that_differ(booster: kb.Booster, rows: np.ndarray, folder: Path) -> int:
    """Return the number of rows with a leaf in the C file that is not the model's leaf of that tree.

    C numbers leaves from left to right and Kauri by node. They agree if each number of the one has one of the other.
    """
    n_trees = len(booster.get_dump())
    if n_trees == 0:
        return 0
    text = (folder / "model.c").read_text()
    begin, _, end = text.partition("\nint kauri_margins(")
    body, _, rest = end.partition("\n}\n")
    lines = [line for line in body.split("\n") if "+= kauri_leaf[" in line]
    assert len(lines) == 1
    body = body.replace(lines[0], "    kauri_found[tree] = leaf;")
    source = (
        f"#include <stddef.h>\n{begin}\nstatic uint32_t *kauri_found;\nint kauri_margins({body}\n}}\n{rest}{LEAVES}"
    )
    (folder / "leaves.c").write_text(source)
    library = folder / f"leaves{time.monotonic_ns()}.so"
    subprocess.run(["cc", "-std=c99", "-O2", "-shared", "-fPIC", "-o", library, folder / "leaves.c"], check=True)
    call = ctypes.CDLL(str(library)).leaves
    call.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
    differ = np.zeros(len(rows), bool)
    pairs: list[dict[int, int]] = [{} for _ in range(2 * n_trees)]
    for first in range(0, len(rows), 100_000):
        part = rows[first : first + 100_000]
        found = np.empty((len(part), n_trees), np.uint32)
        call(part.ctypes.data, len(part), found.ctypes.data)
        nodes = predicted(booster, part, pred_leaf=True).reshape(len(part), n_trees).astype(np.int64)
        for tree in range(n_trees):
            both = found[:, tree].astype(np.int64) << 32 | nodes[:, tree]
            for pair in np.unique(both).tolist():
                leaf, node = divmod(pair, 1 << 32)
                wrong = pairs[2 * tree].setdefault(leaf, node) != node
                if wrong or pairs[2 * tree + 1].setdefault(node, leaf) != leaf:
                    differ[first : first + len(part)] |= both == pair
    return int(differ.sum())


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


def treelite_margins(booster: kb.Booster, folder: Path) -> Callable[[np.ndarray], np.ndarray]:
    """Return the function of the checkpoint in Treelite's library."""
    import treelite

    booster.export(folder / "model.tl")
    model = treelite.Model.deserialize(folder / "model.tl")
    return lambda rows: treelite.gtil.predict(model, rows, nthread=1, pred_margin=True).reshape(len(rows), -1)


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


def node_margins(booster: kb.Booster, folder: Path) -> Callable[[np.ndarray], np.ndarray]:
    """Return the function of the WebAssembly module in Node.js, which starts anew for every call."""
    booster.export(folder / "model.wasm")
    (folder / "batch.mjs").write_text(IN_NODE)
    n_columns = booster.num_features()
    n_outputs = margins_of(booster, np.zeros((1, n_columns), np.float32)).shape[1]
    files = [folder / name for name in ("model.wasm", "rows.f32", "margins.f32")]
    command = ["node", folder / "batch.mjs", str(n_columns), str(n_outputs), *files]

    def compute(rows: np.ndarray) -> np.ndarray:
        rows.tofile(files[1])
        subprocess.run(command, check=True)
        return np.fromfile(files[2], np.float32).reshape(len(rows), n_outputs)

    return compute


def refused_models() -> dict[str, kb.Booster]:
    """Return models that no target can express."""
    rows, label = models.numbers(), models.signal(models.numbers())
    linear = {"linear tree": {"linear_tree": True, "max_depth": 3}, "gblinear": {"booster": "gblinear"}}
    return {name: kb.train({"nthread": 1, **given}, kb.DMatrix(rows, label), 8) for name, given in linear.items()}


def equality(n_rows: int, wanted: list[str], folder: Path) -> int:
    """Print a line for each model; returns the number of rows that differ."""
    makers: dict[str, tuple[Callable[..., Callable[[np.ndarray], np.ndarray]], int]] = {
        "c": (c_margins, n_rows),
        "onnx": (onnx_margins, n_rows),
        "duckdb": (lambda booster, place: sql_margins(booster, place, "duckdb"), n_rows),
        "treelite": (treelite_margins, n_rows),
        "sqlite": (lambda booster, place: sql_margins(booster, place, "sqlite"), FEW),
        "wasm": (wasm_margins, FEW),
        "node": (node_margins, n_rows),
    }
    targets = {name: makers[name] for name in wanted}
    print(f"{'model':22}{'leaves':>9}" + "".join(f"{name:>9}" for name in targets))
    seconds = dict.fromkeys(targets, 0.0)
    total = 0
    refused = refused_models()
    for name in [*models.NAMES, *refused]:
        booster = refused.get(name) or models.model(name)
        booster.set_param({"nthread": 1})
        rows = rows_for(booster, n_rows)
        if name == "refused":  # no row with a category that training has not seen
            seen = models.frame()["city"].cat.codes.unique()
            rows[~np.isin(rows[:, 3], seen), 3] = np.nan
        margins = margins_of(booster, rows)
        cells = []
        for target, (make, n) in targets.items():
            start = time.perf_counter()
            try:
                differing = int((make(booster, folder)(rows[:n]) != margins[:n]).any(axis=1).sum())
                total += differing
                cells.append(str(differing))
            except kb.ParameterError:
                cells.append("refused")
            seconds[target] += time.perf_counter() - start
        with_leaves = "c" in targets and name not in refused
        leaves = str(leaves_that_differ(booster, rows, folder)) if with_leaves else ""
        total += int(leaves or 0)
        print(f"{name:22}{leaves:>9}" + "".join(f"{cell:>9}" for cell in cells), flush=True)
    print(f"{'seconds in all':31}" + "".join(f"{seconds[name]:9.0f}" for name in targets))
    return total


def trained(n_trees: int) -> kb.Booster:
    """Return a model of trees with up to 64 leaves over 20 columns."""
    table, label = training_rows()
    return kb.train({"max_depth": 6, "eta": 0.05, "nthread": 1}, kb.DMatrix(table, label), n_trees)


def training_rows() -> tuple[np.ndarray, np.ndarray]:
    """Return the rows and labels of the speed tests."""
    random = np.random.default_rng(0)
    table = random.normal(size=(20_000, 20)).astype(np.float32)
    return table, table[:, 0] * table[:, 1] + table[:, 2] + random.normal(size=20_000)


def measure(name: str, make: Callable[[], Callable[[np.ndarray], Any]], rows: np.ndarray, size: str = "") -> None:
    """Print the time to make a function, and its rows a second."""
    start = time.perf_counter()
    compute = make()
    ready = time.perf_counter() - start
    compute(rows[:100])
    start = time.process_time()
    compute(rows)
    each = (time.process_time() - start) / len(rows)
    print(f"{name:26}{size:>10}  ready after {ready:7.2f} s  {1 / each:12.0f} rows a second", flush=True)


def c_contributions(booster: kb.Booster, folder: Path) -> Callable[[np.ndarray], None]:
    """Compile the C file with contributions and return a function that explains rows."""
    booster.export(folder / "explained.c", contributions=True)
    library = folder / "explained.so"
    subprocess.run(["cc", "-std=c99", "-O2", "-shared", "-fPIC", "-o", library, folder / "explained.c"], check=True)
    call = ctypes.CDLL(str(library)).kauri_contributions
    call.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    out = np.empty(booster.num_features() + 1)

    def compute(rows: np.ndarray) -> None:
        for row in rows:
            call(row.ctypes.data, out.ctypes.data)

    return compute


def kilobytes(path: Path) -> str:
    """Return the size of a file in words."""
    return f"{path.stat().st_size / 1e3:.0f} kB"


def speed(n_rows: int, n_trees: int, folder: Path) -> None:
    """Print export time, size, time to make it ready, and rows a second."""
    booster = trained(n_trees)
    rows = np.random.default_rng(1).normal(size=(n_rows, 20)).astype(np.float32)
    for contributions in (False, True):
        for ending in ("c", "wasm", "onnx"):
            if ending == "onnx" and contributions:
                continue
            path = folder / f"model.{ending}"
            booster.export(path, contributions=contributions)
            print(f"model.{ending}{' with contributions' if contributions else '':20} {kilobytes(path)}", flush=True)
    measure("kauri, batches", lambda: lambda part: margins_of(booster, part), rows)
    measure("c, row by row", lambda: c_margins(booster, folder), rows)
    measure("onnxruntime", lambda: onnx_margins(booster, folder), rows[: n_rows // 4])
    measure("wasmtime, from Python", lambda: wasm_margins(booster, folder), rows[:FEW])
    measure("contributions, kauri", lambda: lambda part: predicted(booster, part, pred_contribs=True), rows[:FEW])
    measure("contributions, c", lambda: c_contributions(booster, folder), rows[:FEW])
    for name in ("model.c", "explained.c"):
        start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run(["cc", "-std=c99", "-O2", "-c", "-o", folder / "model.o", folder / name], check=True)
        taken = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - start
        print(f"cc -O2 compiles {name} in {taken:.2f} s of processor time, {kilobytes(folder / 'model.o')}")


def tl2cgen_values(booster: kb.Booster, folder: Path) -> Callable[[np.ndarray], Any]:
    """Compile the model by tl2cgen and return its function."""
    import tl2cgen
    import treelite

    booster.save_model(folder / "model.json", dialect="3.2")
    model = treelite.frontend.load_xgboost_model(str(folder / "model.json"))
    library = folder / "tl2cgen.so"
    tl2cgen.export_lib(model, toolchain="gcc", libpath=library, params={}, nthread=1)
    predictor = tl2cgen.Predictor(library, nthread=1)
    return lambda part: predictor.predict(tl2cgen.DMatrix(part, dtype="float32"), pred_margin=True)


def lleaves_values(n_trees: int, folder: Path) -> Callable[[np.ndarray], Any]:
    """Train as many trees of 57 leaves by LightGBM, compile them by lleaves, and return the function."""
    import lightgbm
    import lleaves

    table, label = training_rows()
    settings = {"num_leaves": 57, "learning_rate": 0.05, "num_threads": 1, "verbose": -1}
    lightgbm.train(settings, lightgbm.Dataset(table, label), n_trees).save_model(folder / "model.txt")
    model = lleaves.Model(model_file=folder / "model.txt")
    model.compile()
    return lambda part: model.predict(part, n_jobs=1)


def peers(n_rows: int, n_trees: int, folder: Path) -> None:
    """Print the same for other compilers of trees and for DuckDB, with few trees."""
    booster = trained(n_trees)
    rows = np.random.default_rng(1).normal(size=(n_rows, 20)).astype(np.float32)
    print(f"{n_trees} trees:")
    measure("kauri, batches", lambda: lambda part: margins_of(booster, part), rows)
    measure("c, row by row", lambda: c_margins(booster, folder), rows)
    measure("onnxruntime", lambda: onnx_margins(booster, folder), rows)
    for name, make in {
        "duckdb": lambda: sql_margins(booster, folder, "duckdb"),
        "lleaves": lambda: lleaves_values(n_trees, folder),
        "tl2cgen": lambda: tl2cgen_values(booster, folder),
    }.items():
        try:
            measure(name, make, rows)
        except (AttributeError, ImportError) as error:  # lleaves 1.3 needs llvmlite before 0.44
            print(f"{name}: {error}", flush=True)


def main() -> int:
    """Run one of the parts, or all; the exit status is 1 if a margin or leaf differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["all", "equality", "speed", "peers"], nargs="?", default="all")
    parser.add_argument("--targets", nargs="+", choices=TARGETS, default=TARGETS, help="of equality")
    parser.add_argument("--rows", type=int, default=0)
    parser.add_argument("--trees", type=int, default=1000)
    given = parser.parse_args()
    differing = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if given.part in ("all", "equality"):
            differing = equality(given.rows or 1_000_000, given.targets, folder)
        if given.part in ("all", "speed"):
            speed(given.rows or 20_000, given.trees, folder)
        if given.part in ("all", "peers"):
            peers(given.rows or 20_000, max(given.trees // 10, 1), folder)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
