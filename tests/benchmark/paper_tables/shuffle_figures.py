"""Tables and figures of the thesis's chapter 6, from the output of the benchmark programs."""

from __future__ import annotations

import subprocess
import time
from functools import partial
from pathlib import Path

Rates = dict[int, dict[str, float]]  # millions of keys a second, by number of keys and entrant

_PRINTED_TABLES: dict[int, tuple[tuple[str, ...], dict[int, tuple[float | None, ...]]]] = {
    1: (
        ("gather", "bijective2", "lcg", "dart", "sort"),
        {
            8: (24.64, 14.61, 16.21, 2.459, 1.845),
            11: (188.8, 115.4, 124.8, 15.83, 8.191),
            14: (1471, 810.6, 851.4, 97.3, 26.17),
            17: (9696, 3836, 3968, 145, 69.26),
            20: (13830, 5800, 5642, 159.8, 127.3),
            23: (5036, 4527, 4476, 150.9, 132.6),
            26: (4465, 4172, 4143, 133.8, 118.4),
            29: (4409, 4018, 4011, 123.2, 111.8),
        },
    ),
    2: (
        ("gather", "bijective2", "lcg", "dart", "sort"),
        {
            8: (35.63, 13.73, 14.19, 2.98, 2.16),
            11: (None, 109.07, 112.40, 18.10, 8.54),
            14: (2183.41, 776.85, 846.42, 66.74, 30.62),
            17: (12225.35, 3649.39, 3759.00, 95.38, 71.17),
            20: (4187.73, 3641.61, 3437.88, 89.55, 80.63),
            23: (2238.91, 2232.61, 2260.85, 80.67, 75.03),
            26: (2097.25, 2096.47, 2105.51, 71.44, 67.35),
        },
    ),
    3: (
        ("gather", "bijective", "dart", "std", "rs", "merge", "sort"),
        {
            8: (128.03, 2.81, 0.09, 40.77, 41.18, 46.24, 2.45),
            11: (635.04, 17.65, 0.69, 63.83, 63.82, 64.95, 6.26),
            14: (935.55, 89.88, 4.76, 68.05, 68.00, 67.85, 8.30),
            17: (434.46, 207.94, 21.69, 63.05, 78.71, 52.03, 18.60),
            20: (353.72, 246.79, 39.53, 59.38, 99.76, 32.94, 79.30),
            23: (108.23, 157.88, 21.37, 45.67, 108.78, 23.44, 60.11),
            26: (None, 49.02, 16.04, 24.93, 111.15, 18.38, 47.45),
            29: (54.12, 44.06, 15.63, 21.66, 104.99, 15.03, 39.23),
        },
    ),
}

# The expected outcome of the test for each shuffler, because figures 6 to 9 print no numbers.
_ELEMENTS = {6: 5, 7: 5, 8: 100, 9: 1000}
_ROUNDS = (4, 8, 12, 16, 20, 24, 28, 32, 40, 48)
_CHI_SQUARE_LIMIT = 145.46  # for 119 degrees of freedom, 95 %


def program(folder: Path, name: str) -> Path:
    """Return the path of a benchmark program. Raises SystemExit if it is not built."""
    path = folder / name
    if not path.exists():
        raise SystemExit(f"{path} is not there; build it (cmake --build {folder.parent} --target {name}).")
    return path


def run_rates(folder: Path, name: str, *words: int) -> Rates:
    """Run a program that prints rates."""
    done = subprocess.run([program(folder, name), *map(str, words)], text=True, capture_output=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{name} failed: {done.stdout[-500:]}{done.stderr[-500:]}")
    return parse_rates(done.stdout)


def parse_rates(text: str) -> Rates:
    """Read "keys,entrant,rate" lines."""
    rates: Rates = {}
    for line in text.splitlines():
        n, entrant, rate = line.split(",")
        rates.setdefault(int(n), {})[entrant] = float(rate)
    return rates


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def print_beside(table: int, rates: Rates, others: tuple[str, ...]) -> None:
    """Print our rate over the paper's for the table's entrants, and only our rate for the others."""
    columns, printed = _PRINTED_TABLES[table]
    print(_row(["keys", *(f"{name}: ours / printed = ratio" for name in columns), *others]))
    print(_row(["---"] * (1 + len(columns) + len(others))))
    for n, found in rates.items():
        power = (n - 1).bit_length() - 1
        cells = [f"2^{power}+1"]
        for name, old in zip(columns, printed.get(power, [None] * len(columns))):
            ours = found[name]
            cells.append(f"{ours:.4g}" if old is None else f"{ours:.4g} / {old:g} = {ours / old:.2f}")
        print(_row([*cells, *(f"{found[name]:.4g}" for name in others)]), flush=True)


def device_gates(rates: Rates) -> list[str]:
    """Return a line for each missed bound of the specification."""
    missed = []
    for n, found in rates.items():
        share = found["bijective2"] / found["gather"]
        least = 0.9 if n >= 2**26 else 0.55 if n < 2**20 else 0.0
        if share < least:
            missed.append(f"{n} keys: {share:.2f} of a gather, below {least}")
        if found["bijective2"] < found["thrust"]:
            missed.append(f"{n} keys: {found['bijective2'] / found['thrust']:.2f} of thrust::shuffle_copy's speed")
        if n >= 2**26 and found["bijective2"] < 20 * found["sort"]:
            missed.append(f"{n} keys: {found['bijective2'] / found['sort']:.1f} times the shuffle by sorting, below 20")
    return missed


def device_table(folder: Path, table: int, high: int) -> list[str]:
    """Print table 1 or 2, rates on a device; returns missed bounds."""
    printed_on = {1: "a V100", 2: "an RTX 2080"}[table]
    rates = run_rates(folder, "gpu_shuffle_bench", 8, 8, high, 3)
    print(f"Table {table}, 64-bit keys, millions a second, printed on {printed_on}:\n")
    print_beside(table, rates, ("copy", "bijective0", "bijective1", "thrust", "in_place"))
    print("\nShare of a gather, of a copy; times thrust::shuffle_copy, dart throwing, sorting:\n")
    print(_row(["keys", "of gather", "of copy", "x thrust", "x dart", "x sort"]) + "\n" + _row(["---"] * 6))
    for n, found in rates.items():
        others = ("gather", "copy", "thrust", "dart", "sort")
        print(_row([f"{n:,}", *(f"{found['bijective2'] / found[name]:.2f}" for name in others)]))
    print()
    return device_gates(rates)


def fusion(folder: Path, high: int) -> None:
    """Print figure 10: separate passes, a scan in two passes, one pass; at powers of two and one above."""
    for more in (1, 0):
        rates = run_rates(folder, "gpu_shuffle_bench", 8, 8, high, 3, more)
        names = ("gather", "bijective0", "bijective1", "bijective2")
        print(f"Figure 10, 2^w{'+1' if more else ''} 64-bit keys, millions a second; no numbers are printed:\n")
        print(_row(["keys", *names, "of gather"]) + "\n" + _row(["---"] * 6))
        for n, found in rates.items():
            share = found["bijective2"] / found["gather"]
            print(_row([f"{n:,}", *(f"{found[name]:.4g}" for name in names), f"{share:.2f}"]))
        print(flush=True)


def numpy_rates(sizes: list[int], threads: int) -> Rates:
    """Return the rates of NumPy's permutation and of `shuffle_rows`, called from Python."""
    import kauriboost as kb
    import numpy as np

    rates: Rates = {}
    random = np.random.default_rng(0)
    with kb.config_context(nthread=threads):
        for n in sizes:
            keys, out = np.arange(n, dtype=np.uint64), np.empty(n, np.uint64)
            calls = {"numpy": partial(random.permutation, keys), "shuffle_rows": partial(kb.shuffle_rows, keys, 1, out)}
            for name, call in calls.items():
                call()
                turns = max(3, min(1000, 2**20 // n))
                start = time.perf_counter()
                for _ in range(turns):
                    call()
                rates.setdefault(n, {})[name] = n * turns / (time.perf_counter() - start) / 1e6
    return rates


def host_table(folder: Path, high: int, threads: int) -> list[str]:
    """Print table 3, rates on the CPU; no bound applies."""
    rates = run_rates(folder, "shuffle_bench", 8, high, 3, 1, threads)
    for n, found in numpy_rates(list(rates), threads).items():
        rates[n].update(found)
    print(f"Table 3, 64-bit keys, {threads} threads, millions a second, printed with 40 cores:\n")
    print_beside(3, rates, ("lcg", "in_place", "numpy", "shuffle_rows"))
    print()
    return []


def uniformity(folder: Path, figure: int, n_permutations: int, first_seed: int = 1) -> list[str]:
    """Print one of figures 6 to 9: a test by rounds of the bijection, beside other shufflers; returns missed bounds."""
    bench, n = program(folder, "shuffle_quality_bench"), _ELEMENTS[figure]
    kind = "chi" if figure == 6 else "mmd"
    names = [*(f"philox:{rounds}" for rounds in _ROUNDS), "philox", "swap", "lcg", "std"]
    title = "chi-square, 119 degrees of freedom" if figure == 6 else "squared mean discrepancy"
    print(f"Figure {figure}: {title}, {n} elements, {n_permutations:,} permutations; no numbers are printed:\n")
    print(_row(["shuffler", "found", "limit of 95 %", "Hoeffding's"]) + "\n" + _row(["---"] * 4))
    missed = []
    for name in names:
        sets = 4 if figure == 9 else 1  # an lcg's discrepancy depends on few pairs, and varies between sets
        words = [bench, kind, str(n), str(n_permutations), name, str(first_seed), str(sets)]
        lines = subprocess.run(words, text=True, capture_output=True, check=True).stdout.splitlines()
        text = lines[0].split()
        text[0] = f"{sum(float(line.split()[0]) for line in lines) / sets:.4e}" if sets > 1 else text[0]
        found = abs(float(text[0]))
        limit = _CHI_SQUARE_LIMIT if figure == 6 else float(text[1]) / sets**0.5
        print(_row([name, text[0], f"{limit:.4g}", "" if figure == 6 else text[2]]), flush=True)
        # For a fair shuffle one set in twenty exceeds the limit, few of them by much.
        if name in ("philox", "swap", "std") and found > (1.5 if figure == 6 else 2.0) * limit:
            missed.append(f"figure {figure}: {name} has {text[0]}, the limit is {limit:.4g}")
        if (name == "lcg" or (name == "philox:4" and figure != 9)) and found < limit:
            missed.append(f"figure {figure}: {name} passes with {text[0]}")
    print()
    return missed
