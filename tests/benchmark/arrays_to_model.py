"""Time from arrays to a model of 100 rounds, for five sizes and four shapes of trees, beside XGBoost: one table.

    python tests/benchmark/arrays_to_model.py                # on a device: 1 k to 50 M rows x 28, within 200 s
    python tests/benchmark/arrays_to_model.py --device cpu --rows 300 --rounds 2 --shapes 6 255-leaves

Rows are a mixture of 24 Gaussians with two classes, made on the device if there is one. Every call begins with arrays
and makes its matrix anew. The first call of a way is a warm-up, except at sizes of --large rows or more, which are
called once. Each line has a way's times, medians in seconds, by shape, and the logarithmic loss of each model on other
rows. --budget: seconds of the whole run. A call that would exceed it, judged by the same call on fewer rows, is left
out and shown as "-". A library that runs out of memory has "memory" there. The exit status is 1 if a model of Kauri is
worse than a model of XGBoost by more than 2 % of its loss.
"""

from __future__ import annotations

import argparse
import importlib
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np

N_COLUMNS = 28
N_GROUPS = 24
N_TEST_ROWS = 100_000
WORST_RATIO = 1.02  # of Kauri's loss to XGBoost's
Way = Callable[[dict[str, Any]], Any]
SHAPES: dict[str, dict[str, Any]] = {
    "6": {"max_depth": 6},
    "8": {"max_depth": 8},
    "12": {"max_depth": 12},
    "255-leaves": {"max_depth": 0, "grow_policy": "lossguide", "max_leaves": 255},
}


def mixture(module: Any, n_rows: int, seed: int) -> tuple[Any, Any]:
    """Return rows, [n_rows, 28] of float32, and labels, 0 or 1 of float32. module: numpy or cupy."""
    centres = np.random.default_rng(0).normal(scale=0.6, size=(N_GROUPS, N_COLUMNS)).astype(np.float32)
    rng = module.random.default_rng(seed)
    group = rng.integers(0, N_GROUPS, n_rows)
    rows = rng.standard_normal((n_rows, N_COLUMNS), dtype=module.float32)
    rows += module.asarray(centres)[group]
    return rows, ((group % 2) ^ (rng.random(n_rows) < 0.1)).astype(module.float32)


def ways(rows: Any, labels: Any, options: argparse.Namespace, libraries: dict[str, Any]) -> dict[str, Way]:
    """Return, by name, the functions that train from arrays. rows, labels: in device memory if there is a device."""
    device = options.device
    host_rows, host_labels = (array.get() if hasattr(array, "get") else array for array in (rows, labels))
    where = {} if device == "cpu" else {"device": device}

    def way(library: Any, make: Callable[[], Any]) -> Way:
        def train(shape: dict[str, Any]) -> Any:
            params = {"objective": "binary:logistic", "tree_method": "hist", "device": device, "eta": 0.1, **shape}
            return library.train(params, make(), options.rounds)

        return train

    found = {
        "Kauri, DMatrix": way(kb, lambda: kb.DMatrix(host_rows, host_labels)),
        "Kauri, QuantileDMatrix": way(kb, lambda: kb.QuantileDMatrix(host_rows, host_labels, **where)),
    }
    if device != "cpu":
        found["Kauri, QuantileDMatrix of CuPy"] = way(kb, lambda: kb.QuantileDMatrix(rows, labels))
    if "xgboost" in libraries:
        peer = libraries["xgboost"]
        if device != "cpu":
            found["XGBoost, QuantileDMatrix of CuPy"] = way(peer, lambda: peer.QuantileDMatrix(rows, labels))
        found["XGBoost, QuantileDMatrix"] = way(peer, lambda: peer.QuantileDMatrix(host_rows, host_labels))
    return found


def log_loss(model: Any, test: tuple[np.ndarray, np.ndarray]) -> float:
    """Return the mean logarithmic loss of the model's probabilities of the test rows."""
    chance = np.clip(np.asarray(model.inplace_predict(test[0]), np.float64), 1e-15, 1 - 1e-15)
    return float(-np.mean(np.where(test[1] > 0, np.log(chance), np.log1p(-chance))))


def timed(call: Callable[[], Any], repeats: int) -> tuple[Any, float]:
    """Return the last result of the call, and the median of its times in seconds."""
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - begin)
    return result, statistics.median(times)


class Table:
    """Measures the cells that fit in the budget."""

    def __init__(self, options: argparse.Namespace, libraries: dict[str, Any]) -> None:
        self.options, self.libraries = options, libraries
        self.arrays = importlib.import_module("cupy") if options.device != "cpu" else np
        rows, labels = mixture(np, N_TEST_ROWS if options.device != "cpu" else 2000, 1)
        self.test = rows, labels
        self.end = time.perf_counter() + options.budget
        self.cells: list[dict[str, Any]] = []

    def expected(self, name: str, shape: str, n_rows: int) -> float:
        """Return the time that the cell would take, in proportion to the largest size measured; else 0."""
        before = [cell for cell in self.cells if (cell["way"], cell["shape"]) == (name, shape) and "seconds" in cell]
        return before[-1]["seconds"] * n_rows / before[-1]["rows"] if before else 0.0

    def measure(self, name: str, train: Way, shape: str, n_rows: int) -> dict[str, Any]:
        cell: dict[str, Any] = {"way": name, "shape": shape, "rows": n_rows}
        n_calls = 1 if n_rows >= self.options.large else 1 + self.options.repeats
        if time.perf_counter() + n_calls * self.expected(name, shape, n_rows) > self.end:
            return cell | {"error": "-"}
        try:
            if n_calls > 1:
                train(SHAPES[shape])
            model, cell["seconds"] = timed(lambda: train(SHAPES[shape]), max(1, n_calls - 1))
            cell["loss"] = log_loss(model, self.test)
        except Exception as error:  # each library has its own kinds of errors
            cell["error"] = "memory" if "memory" in str(error) else type(error).__name__
            print(f"  {name}, {n_rows:,} rows, {shape}: {error}", file=sys.stderr)
        return cell

    def fill(self, n_rows: int) -> None:
        """Measure the cells of one size and print their lines."""
        rows, labels = mixture(self.arrays, n_rows, 0)
        for name, train in ways(rows, labels, self.options, self.libraries).items():
            of_way = [self.measure(name, train, shape, n_rows) for shape in self.options.shapes]
            times = " | ".join(f"{cell['seconds']:.3f}" if "seconds" in cell else cell["error"] for cell in of_way)
            losses = ", ".join(f"{cell['loss']:.4f}" for cell in of_way if "loss" in cell)
            print(f"| {n_rows:,} | {name} | {times} | {losses} |", flush=True)
            self.cells += of_way

    def worse(self) -> list[dict[str, Any]]:
        """Return Kauri's cells whose loss clearly exceeds XGBoost's loss for the same size and shape."""
        peers = {(cell["rows"], cell["shape"]): cell for cell in self.cells if cell["way"].startswith("XGBoost")}
        return [
            cell
            for cell in self.cells
            if cell["way"].startswith("Kauri")
            and cell.get("loss", 0) > WORST_RATIO * peers.get((cell["rows"], cell["shape"]), {}).get("loss", np.inf)
        ]


def main(words: list[str] | None = None) -> int:
    """Measure and print the table; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[1000, 50_000, 1_000_000, 10_000_000, 50_000_000])
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=list(SHAPES))
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--large", type=int, default=5_000_000, help="from this number of rows on, a single call each")
    parser.add_argument("--budget", type=float, default=200.0, help="seconds (default: 200)")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--libraries", nargs="*", default=["xgboost"], help="peers to measure")
    parser.add_argument("--out", type=Path, help="JSON of all cells")
    options = parser.parse_args(words)
    libraries = {name: importlib.import_module(name) for name in options.libraries}
    table = Table(options, libraries)
    print(f"| rows | way | {' | '.join(options.shapes)} | losses |\n|{'---|' * (3 + len(options.shapes))}", flush=True)
    for n_rows in options.rows:
        table.fill(n_rows)
        if options.out:
            options.out.write_text(json.dumps(table.cells, indent=1) + "\n", encoding="utf-8")
    for cell in table.worse():
        print(f"A model of Kauri is worse than XGBoost's: {cell}", file=sys.stderr)
    return 1 if table.worse() else 0


if __name__ == "__main__":
    sys.exit(main())
