"""Splits that reduce the absolute error: regret of the split of one node, and errors of boosted trees.

    python tests/benchmark/research/split_regrets.py [set ...] [--rows 1000 4000] [--splits 3]
    python tests/benchmark/research/split_regrets.py [set ...] --boost [--rows 16000] [--rounds 60] [--splits 3]
    python tests/benchmark/research/split_regrets.py [set ...] --times [--rows 16000] [--rounds 60]
        [--method hist|exact] [--device cpu|cuda]

Needs the real data sets (`KAURI_DATA`, by default `../shared/data` beside the project). Every column is divided into
256 bins of equal counts. Labels are standardised and used as they are (plain), with half of a t(1.5) deviate added
(noise), or as exp(2 y) (skew).

The best of all boundaries reduces sum |y - median| by some amount. Regret is the fraction of it that the chosen
boundary misses, in percent. Kauri chooses by sign (`split_criterion=gradient`), variance (`reg:squarederror`), bins and
moments (`split_criterion=absolute_error` with either `absolute_error_sketch`). legendre and clipped choose by the
moments of each side's labels alone, without the four boundaries that Kauri evaluates exactly, and without or with
labels clipped at 1 % and 99 %. `--boost` prints mean absolute errors of held-out rows (a fifth), depth 5, as the
difference from sign in percent, with the standard error over splits, and times. `--times` prints the processor time of
trainings with `split_criterion=gradient` and `absolute_error`, and their ratio, on the columns as they are, depth 5:
medians of five pairs. With `--device cuda` (`--method exact`) it prints wall-clock time, and fails unless the models
are the CPU's. The set `random` of 1,000,000 rows needs no file.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "python-package"))
import kauriboost as kb

ROOT = Path(__file__).resolve().parents[3]
DATA = Path(os.environ.get("KAURI_DATA", ROOT.parent / "shared" / "data"))
SETS = ["california", "protein"]
LABELS = ["plain", "noise", "skew"]
BINS = 256
BASE: dict[str, Any] = {"tree_method": "hist", "max_bin": BINS, "min_child_weight": 0.0, "nthread": 1}
BY_ERRORS = {"objective": "reg:absoluteerror", "split_criterion": "absolute_error"}
CRITERIA: dict[str, dict[str, Any]] = {
    "sign": {"objective": "reg:absoluteerror"},
    "variance": {"objective": "reg:squarederror"},
    "bins": BY_ERRORS,
    "moments": {**BY_ERRORS, "absolute_error_sketch": "moments"},
}


def load_set(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return features and labels of a real set, or of `random`: 1,000,000 rows, which need no file."""
    if name == "random":
        random = np.random.default_rng(0)
        columns = random.standard_normal((1_000_000, 20), dtype=np.float32)
        return columns, np.exp(columns[:, 0] + np.sin(2 * columns[:, 1]) + 0.3 * columns[:, 2])
    spec = importlib.util.spec_from_file_location("load", DATA / "load.py")
    if spec is None or spec.loader is None or not (DATA / "load.py").is_file():
        raise SystemExit(f"There are no real data sets at {DATA}; set KAURI_DATA to a folder with load.py.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    features, labels, _ = module.load(name)
    return features, labels


def rows_of(name: str, kind: str, n_rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return bin indices [n_rows, n_cols] and labels."""
    features, labels = load_set(name)
    random = np.random.default_rng(seed)
    kept = random.permutation(len(labels))[:n_rows]
    values, y = np.asarray(features, dtype=np.float64)[kept], np.asarray(labels, dtype=np.float64)[kept]
    shares = np.arange(1, BINS) / BINS
    codes = [np.searchsorted(np.quantile(column, shares), column, side="right") for column in values.T]
    y = (y - y.mean()) / y.std()
    if kind == "noise":
        y = y + 0.5 * random.standard_t(1.5, size=len(y))
    if kind == "skew":
        y = np.exp(2 * y)
    return np.stack(codes, axis=1).astype(np.float32), y.astype(np.float32)


def errors_of(y: np.ndarray) -> float:
    return float(np.abs(y - np.median(y)).sum()) if len(y) > 0 else 0.0


def series_errors(y: np.ndarray) -> float:
    """Return the sum of absolute errors of `y` as estimated by the Legendre series of its five moments."""
    if len(y) == 0 or y.min() == y.max():
        return 0.0
    half = (y.max() - y.min()) / 2
    places = (y - y.min()) / half - 1
    grid = np.linspace(-1, 1, 65)
    cdf = (grid + 1) / 2
    for k in range(1, 6):
        term = np.polynomial.Legendre.basis(k)
        cdf = cdf + (2 * k + 1) / 2 * term(places).mean() * (term.integ(lbnd=-1)(grid))
    fine = np.interp(np.linspace(-1, 1, 6401), grid, cdf)
    at = int(np.argmax(fine >= 0.5))
    return float(len(y) * half * (fine[:at].sum() + (1 - fine[at:]).sum()) * 2 / 6400)


def gains(codes: np.ndarray, y: np.ndarray, errors: Any) -> np.ndarray:
    """Return the gain of the boundary below each bin, [n_cols, BINS]; bin 0 has none."""
    found = np.zeros((codes.shape[1], BINS))
    whole = errors(y)
    for column in range(codes.shape[1]):
        for code in range(1, BINS):
            left = codes[:, column] < code
            if left.any() and not left.all():
                found[column, code] = whole - errors(y[left]) - errors(y[~left])
    return found


def first_split(params: dict[str, Any], codes: np.ndarray, y: np.ndarray) -> tuple[int, int]:
    more = {**BASE, **params, "max_depth": 1, "base_score": float(np.median(y))}
    root = kb.train(more, kb.DMatrix(codes, label=y), 1, verbose_eval=False).trees_to_dataframe().iloc[0]
    return int(root.Feature[1:]), int(np.ceil(root.Split))


def regrets(codes: np.ndarray, y: np.ndarray) -> dict[str, float]:
    exact = gains(codes, y, errors_of)
    chosen = {name: first_split(params, codes, y) for name, params in CRITERIA.items()}
    clipped = np.clip(y, *np.quantile(y, (0.01, 0.99)))
    for name, labels in (("legendre", y.astype(np.float64)), ("clipped", clipped.astype(np.float64))):
        estimates = gains(codes, labels, series_errors)
        chosen[name] = np.unravel_index(int(estimates.argmax()), estimates.shape)
    return {name: 100 * (1 - exact[place] / exact.max()) for name, place in chosen.items()}


def print_regrets(options: argparse.Namespace) -> None:
    names = [*CRITERIA, "legendre", "clipped"]
    print("| set | labels | rows | " + " | ".join(names) + " |\n" + "|---" * (3 + len(names)) + "|")
    for name in options.sets:
        for kind in LABELS:
            for n_rows in options.rows or (1000, 4000):
                found = [regrets(*rows_of(name, kind, n_rows, seed)) for seed in range(options.splits)]
                cells = [f"{min(f[key] for f in found):.1f}-{max(f[key] for f in found):.1f}" for key in names]
                print(f"| {name} | {kind} | {n_rows} | " + " | ".join(cells) + " |", flush=True)


def boosted(codes: np.ndarray, y: np.ndarray, rounds: int) -> np.ndarray:
    """Return held-out errors and seconds, [criteria except variance, 2]."""
    test = len(y) // 5
    data = kb.DMatrix(codes[test:], label=y[test:])
    found = []
    for name, params in CRITERIA.items():
        if name == "variance":
            continue
        start = time.perf_counter()
        booster = kb.train({**BASE, **params, "max_depth": 5}, data, rounds, verbose_eval=False)
        seconds = time.perf_counter() - start
        found.append([np.abs(booster.predict(kb.DMatrix(codes[:test])) - y[:test]).mean(), seconds])
    return np.array(found)


def print_boosted(options: argparse.Namespace) -> None:
    print("| set | labels | sign (s) | bins (%, s) | moments (%, s) |\n|---|---|---|---|---|")
    n_rows = (options.rows or [16_000])[0]
    for name in options.sets:
        for kind in LABELS:
            found = np.array([boosted(*rows_of(name, kind, n_rows, s), options.rounds) for s in range(options.splits)])
            percent = 100 * (found[:, 1:, 0] / found[:, :1, 0] - 1)
            error = percent.std(axis=0, ddof=1) / np.sqrt(len(percent)) if len(percent) > 1 else percent[0] * np.nan
            mean, seconds = percent.mean(axis=0), found[:, :, 1].mean(axis=0)
            cells = [f"{mean[i]:+.1f} +- {error[i]:.1f}, {seconds[i + 1]:.2f}" for i in range(2)]
            print(f"| {name} | {kind} | {seconds[0]:.2f} | " + " | ".join(cells) + " |", flush=True)


def print_times(options: argparse.Namespace) -> None:
    print("| set | rows | gradient (s) | absolute_error (s) | ratio |\n|---|---|---|---|---|")
    n_rows = (options.rows or [16_000])[0]
    clock = time.process_time if options.device == "cpu" else time.perf_counter
    for name in options.sets:
        features, labels = load_set(name)
        kept = np.random.default_rng(0).permutation(len(labels))[:n_rows]
        data = kb.DMatrix(np.asarray(features, dtype=np.float32)[kept], label=np.asarray(labels)[kept])
        params = {"objective": "reg:absoluteerror", "tree_method": options.method, "max_depth": 5, "nthread": 1}
        params["device"] = options.device
        pairs = []
        for _ in range(6):  # the first warms up
            pair = []
            for criterion in ("gradient", "absolute_error"):
                start = clock()
                model = kb.train({**params, "split_criterion": criterion}, data, options.rounds, verbose_eval=False)
                pair.append(clock() - start)
            pairs.append(pair)
        seconds = np.array(pairs[1:])
        cells = [f"{value:.3f}" for value in np.median(seconds, axis=0)]
        ratio = float(np.median(seconds[:, 1] / seconds[:, 0]))
        print(f"| {name} | {n_rows} | {cells[0]} | {cells[1]} | {ratio:.1f} |", flush=True)
        if options.device != "cpu":
            params |= {"split_criterion": "absolute_error", "device": "cpu", "nthread": 0}
            on_host = kb.train(params, data, options.rounds, verbose_eval=False)
            if on_host.save_raw("ubj") != model.save_raw("ubj"):
                raise SystemExit(f"{name}: the models of the device and of the CPU differ")


def main(words: list[str] | None = None) -> None:
    """Print regrets, errors of boosted trees, or times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="set", default=SETS)
    parser.add_argument("--rows", type=int, nargs="+")
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--boost", action="store_true")
    parser.add_argument("--times", action="store_true")
    parser.add_argument("--method", default="hist", help="tree_method of --times")
    parser.add_argument("--device", default="cpu", help="that of --times")
    options = parser.parse_args(words)
    if options.times:
        print_times(options)
    elif options.boost:
        print_boosted(options)
    else:
        print_regrets(options)


if __name__ == "__main__":
    main()
