"""Predictions beside nvForest's: a batch and one row, on the device and on the host, by depth of the trees.

    python tests/benchmark/nvforest_compare.py                  # depths 4 to 16, 100 trees of 28 columns, 1 M rows
    python tests/benchmark/nvforest_compare.py --rows 10000000 --depths 8
    python tests/benchmark/nvforest_compare.py --device cpu --rows 2000 --rounds 3 --depths 4

Kauri trains a regression on a mixture of 24 Gaussians; nvForest reads the model's file. Its layout and chunk size are
chosen for each batch by its own `optimize`. Rows of the host give results in NumPy's memory. nvForest leaves its own
on the device, so its time includes the way back. Times are medians in milliseconds after a warm-up, with a wait for
the device; above 1 Kauri is faster. Predictions that differ fail.
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
from whole_calls import mixture

Call = Callable[[], Any]


def median_ms(call: Call, repeats: int) -> float:
    """Return the median time of a call in milliseconds, after one call that is not counted."""
    times = []
    for repeat in range(repeats + 1):
        begin = time.perf_counter()
        call()
        if repeat > 0:
            times.append(1e3 * (time.perf_counter() - begin))
    return statistics.median(times)


def waiting(call: Call, device: str) -> Call:
    """Return the call with a wait for the device behind it."""
    if device == "cpu":
        return call
    cupy = importlib.import_module("cupy")

    def call_and_wait() -> Any:
        result = call()
        cupy.cuda.Device().synchronize()
        return result

    return call_and_wait


def on_host(values: Any) -> np.ndarray:
    """Return an array of either memory as NumPy's, in one dimension."""
    values = values if isinstance(values, np.ndarray) else values.get()
    return np.asarray(values).reshape(-1)


def peer_of(model: kb.Booster, folder: str, device: str) -> Any:
    """Return nvForest's model."""
    path = Path(folder) / "model.ubj"
    model.save_model(path)
    where = "cpu" if device == "cpu" else "gpu"
    return importlib.import_module("nvforest").load_model(path, model_type="xgboost_ubj", device=where)


def rows_of(rows: np.ndarray, device: str) -> dict[str, Any]:
    """Return the rows of each case."""
    cases = {"rows of the host": rows, "one row of the host": rows[:1].copy()}
    if device != "cpu":
        asarray = importlib.import_module("cupy").asarray
        cases.update({name.replace("host", "device"): asarray(each) for name, each in cases.items()})
    return cases


def compare(depth: int, rows: np.ndarray, labels: np.ndarray, options: argparse.Namespace) -> None:
    """Train, measure and print the lines of a depth."""
    params = {"tree_method": "hist", "device": options.device, "max_depth": depth, "eta": 0.1}
    model = kb.train(params, kb.DMatrix(rows, labels), options.rounds)
    leaves = sum(dump.count("leaf=") for dump in model.get_dump())
    with tempfile.TemporaryDirectory() as folder:
        peer = peer_of(model, folder, options.device)
    for name, given in rows_of(rows, options.device).items():
        chosen = peer.optimize(data=given, timeout=options.optimize_seconds)

        def theirs(chosen: Any = chosen, given: Any = given) -> Any:
            result = chosen.predict(given)
            return on_host(result) if isinstance(given, np.ndarray) else result

        def ours(given: Any = given) -> Any:
            return model.inplace_predict(given)

        np.testing.assert_allclose(on_host(ours()), on_host(theirs()), rtol=1e-4, atol=1e-4)
        repeats = options.repeats if len(given) > 1 else 20 * options.repeats
        times = [median_ms(waiting(call, options.device), repeats) for call in (ours, theirs)]
        print(
            f"depth {depth}, {leaves:,} leaves, {len(given):,} {name}: {times[0]:.3f} ms, nvForest {times[1]:.3f} "
            f"({chosen.layout}, {chosen.default_chunk_size}), ratio {times[1] / times[0]:.2f}",
            flush=True,
        )


def main(words: list[str] | None = None) -> None:
    """Compare every depth."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--depths", type=int, nargs="+", default=[4, 6, 8, 12, 16])
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--optimize-seconds", type=float, default=0.3)
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args(words)
    rows, labels = mixture(options.rows)
    for depth in options.depths:
        compare(depth, rows, labels, options)


if __name__ == "__main__":
    main()
