"""Runs the test of an exported file, with a tool of this machine."""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .._binding.errors import ModelError, ParameterError
from .sql import read_test, run_test
from .tools import EXACT, c_compiler, run_tool, treelite_library


def check_export(path: str | os.PathLike[str], target: str) -> str:
    """Run the test that an exported file carries, and return what ran.

    Raises
    ------
    ModelError
        The target computes other numbers than the model.
    ParameterError
        A tool is missing; the message says what to install.
    """
    require_test(target)
    try:
        return _CHECKS[target](Path(path))
    except ModuleNotFoundError as error:
        raise ParameterError(f"the test needs {error.name}: pip install {error.name}.") from error


def require_test(target: str) -> None:
    """Raise `ParameterError` if files of a target carry no test that Python can run."""
    if target not in _CHECKS:
        raise ParameterError(
            f"target={target!r} has no test that this machine could run; expected one of {', '.join(_CHECKS)}."
        )


def _check_c(path: Path) -> str:
    compiler = c_compiler()
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "model"
        run_tool([*compiler, *EXACT, "-DKAURI_TEST", "-o", program, path])
        try:
            said = run_tool([program])
        except ParameterError as error:
            raise ModelError(f"{os.fspath(path)!r} computes other numbers than the model: {error}") from error
    return f"{' '.join([*compiler[-1:], *EXACT])}: {said}"


def _check_duckdb(path: Path) -> str:
    import duckdb

    test = read_test(path)
    with duckdb.connect() as connection:
        found = run_test(test, connection, "duckdb")
    return f"duckdb {duckdb.__version__}: {_compared(found, (test.margins, test.values))}"


def _check_sqlite(path: Path) -> str:
    test = read_test(path)
    connection = sqlite3.connect(":memory:")
    try:
        found = run_test(test, connection, "sqlite")
    finally:
        connection.close()
    return f"sqlite {sqlite3.sqlite_version}: {_compared(found, (test.margins, test.values))}"


def _check_onnx(path: Path) -> str:
    import onnxruntime

    session = onnxruntime.InferenceSession(path.read_bytes(), providers=["CPUExecutionProvider"])
    test = json.loads(session.get_modelmeta().custom_metadata_map["kauri.test"])
    rows, margins, values = (_table(test[name]) for name in ("rows", "margins", "values"))
    found = session.run(["margins", "values"], {"rows": rows})
    return f"onnxruntime {onnxruntime.__version__}: {_compared((found[0], found[1]), (margins, values))}"


def _table(rows: list[list[float | str]]) -> np.ndarray:
    return np.array([[float(cell) for cell in row] for row in rows], np.float32)


def _check_treelite(path: Path) -> str:
    treelite = treelite_library()
    model = treelite.Model.deserialize(path)
    results = treelite_results(model)
    return f"treelite {treelite.__version__}: {_compared(results, _expected(model))}"


def require_equal_margins(model: Any) -> None:
    """Raise `ModelError` unless a model of Treelite has its test's margins to the bit."""
    import treelite

    margins, expected = treelite_results(model)[0], _expected(model)[0]
    differing = np.flatnonzero((ulps(margins, expected) > 0).any(axis=1))
    if len(differing) > 0:
        row = int(differing[0])
        raise ModelError(
            f"treelite {treelite.__version__} computes other margins than the model for {len(differing)} of "
            f"{len(margins)} test rows; row {row} has {margins[row].tolist()} instead of {expected[row].tolist()}."
        )


def treelite_results(model: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the margins and values that Treelite computes for the rows of a model's test."""
    import treelite.gtil

    rows = _table(model.attributes["kauri.test"]["rows"])
    found = [treelite.gtil.predict(model, rows, nthread=1, pred_margin=is_margin) for is_margin in (True, False)]
    return found[0].reshape(len(rows), -1), found[1].reshape(len(rows), -1)


def _expected(model: Any) -> tuple[np.ndarray, np.ndarray]:
    test = model.attributes["kauri.test"]
    return _table(test["margins"]), _table(test["values"])


def _check_wasm(path: Path) -> str:
    try:
        import wasmtime
    except ModuleNotFoundError:
        return _check_wasm_by_node(path)
    store = wasmtime.Store()
    exports: Any = wasmtime.Instance(store, wasmtime.Module(store.engine, path.read_bytes()), []).exports(store)
    differing = exports["test"](store)
    if differing != 0:
        raise ModelError(f"{os.fspath(path)!r}: {differing} test rows differ from the model")
    return f"wasmtime {importlib.metadata.version('wasmtime')}: 0 test rows differ"


def _check_wasm_by_node(path: Path) -> str:
    if shutil.which("node") is None:
        raise ParameterError("the test of WebAssembly needs a runtime: pip install wasmtime, or install Node.js.")
    script = (
        "WebAssembly.instantiate(require('fs').readFileSync(process.argv[1])).then(({instance}) => {"
        "const n = instance.exports.test(); console.log(`${n} test rows differ`); process.exitCode = n ? 1 : 0; })"
    )
    return f"node: {run_tool(['node', '-e', script, path])}"


def _compared(found: tuple[np.ndarray, np.ndarray], expected: tuple[np.ndarray, np.ndarray]) -> str:
    """Return a sentence about equal rows. Raises `ModelError` for margins that differ by more than one ulp.

    Values may differ by the error of the target's exponential function.
    """
    margins, values = found
    if margins.shape != expected[0].shape or values.shape != expected[1].shape:
        raise ModelError(f"the test has margins of shape {expected[0].shape}, the target returned {margins.shape}.")
    distance = ulps(margins, expected[0])
    wrong = (distance > 1).any(axis=1)
    wrong |= ~np.isclose(values, expected[1], rtol=1e-5, atol=1e-30, equal_nan=True).all(axis=1)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ModelError(
            f"{int(wrong.sum())} of {len(wrong)} test rows differ; row {row} has the margins {margins[row].tolist()} "
            f"instead of {expected[0][row].tolist()}, and the values {values[row].tolist()} instead of "
            f"{expected[1][row].tolist()}."
        )
    equal = int((distance == 0).all(axis=1).sum())
    return f"0 of {len(wrong)} test rows differ ({equal} with the same bits)"


def ulps(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the distances of float32 numbers, counted in floats; NaN equals NaN."""

    def place(numbers: np.ndarray) -> np.ndarray:
        bits = np.ascontiguousarray(numbers, np.float32).view(np.int32).astype(np.int64)
        return np.where(bits < 0, -(bits & 0x7FFFFFFF), bits)

    both_missing = np.isnan(one) & np.isnan(other)
    return np.where(both_missing, 0, np.abs(place(one) - place(other)))


_CHECKS: dict[str, Callable[[Path], str]] = {
    "c": _check_c,
    "duckdb": _check_duckdb,
    "onnx": _check_onnx,
    "sqlite": _check_sqlite,
    "treelite": _check_treelite,
    "wasm": _check_wasm,
}
