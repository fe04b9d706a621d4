"""Tables 1, 4 and 5: growth of the time with the orders, discrepancies, and the time of the orders of an image."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import kauriboost as kb
import numpy as np

from .claims import Sheet, printed_and_ours

METHODS = ("herding", "antithetic", "orthogonal", "sbq", "sobol")
PRINTED = {  # (d, n): discrepancy and seconds by METHODS
    (10, 10): ((0.241113, 0.008), (0.263626, 0.0001), (0.244233, 0.0008), (0.240285, 0.11), (0.258403, 0.003)),
    (10, 100): ((0.058985, 0.98), (0.083784, 0.0007), (0.070014, 0.012), (0.055803, 41.5), (0.068875, 0.048)),
    (10, 1000): ((0.013353, 53.0), (0.026816, 0.019), (0.021802, 0.11), None, (0.017830, 0.049)),
    (50, 10): ((0.270276, 0.023), (0.272373, 0.001), (0.269126, 0.024), (0.270045, 0.34), (0.270824, 0.009)),
    (50, 100): ((0.079701, 1.13), (0.086087, 0.0005), (0.072479, 0.054), (0.079182, 27.1), (0.078587, 0.009)),
    (50, 1000): ((0.022585, 85.0), (0.027253, 0.049), (0.022904, 0.35), None, (0.022337, 0.96)),
    (200, 10): ((0.280202, 0.11), (0.273105, 0.0003), (0.272387, 0.20), (0.280004, 0.10), (0.272416, 0.80)),
    (200, 100): ((0.083784, 3.43), (0.086434, 0.043), (0.083187, 0.46), (0.083656, 39.2), (0.083928, 0.69)),
    (200, 1000): ((0.025508, 242.5), (0.027318, 0.007), (0.023420, 0.56), None, (0.023411, 2.0)),
}
PRINTED_SEEDS = 25
POWERS = {"herding": 2, "sbq": 3, "orthogonal": 1, "sobol": 1}  # table 1: power of the number of orders
SIZES = {"herding": (250, 1000), "sbq": (400, 1600), "orthogonal": (2000, 32000), "sobol": (2000, 32000)}
OF_AN_IMAGE = {  # table 5: 256 tiles, 100 orders
    "mc": 0.001,
    "antithetic": 0.0007,
    "sobol": 0.050,
    "orthogonal": 0.231,
    "herding": 3.05,
    "sbq": 6.25,
}


def seconds_of(work: Callable[[], object], repeats: int) -> float:
    """Return the median processor time."""
    found = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return statistics.median(found)


def measure(d: int, n: int, method: str, seeds: range) -> tuple[float, float, float]:
    """Return the mean discrepancy, its standard error, and the median time to draw a set."""
    found, seconds = [], []
    for seed in seeds:
        start = time.process_time()
        orders = kb.sample_orders(d, n, method, seed)
        seconds.append(time.process_time() - start)
        found.append(orders.discrepancy())
    error = statistics.stdev(found) / len(found) ** 0.5 if len(found) > 1 else 0.0
    return statistics.fmean(found), error, statistics.median(seconds)


def table_4(sheet: Sheet) -> None:
    """Print discrepancies under the Mallows kernel, lambda 4, and the time of a set of orders on one thread."""
    most = min(sheet.args.most, 100) if sheet.args.quick else sheet.args.most
    within = []
    for (d, n), cells in PRINTED.items():
        for method, cell in zip(METHODS, cells):
            if n > most or cell is None:
                continue
            seeds = range(sheet.args.first_seed, sheet.args.first_seed + sheet.args.repeats)
            mean, error, seconds = measure(d, n, method, seeds)
            # The printed number is a mean of 25 sets, too, and has an error of its own.
            doubt = error * (1 + sheet.args.repeats / PRINTED_SEEDS) ** 0.5
            within.append(abs(mean - cell[0]) <= 2 * doubt)
            sheet.line(f"d={d:<4} n={n:<5} {method:11}", printed_and_ours(cell[0], mean),
                       f"+-{2 * doubt / cell[0]:.4f}  {seconds:8.4f} s, printed {cell[1]} s")  # fmt: skip
            if abs(mean - cell[0]) > max(0.03 * cell[0], 4 * doubt):
                sheet.wrong.append(f"discrepancy of {method}, d={d}, n={n}")
    sheet.line(f"{sum(within)} of {len(within)} are within two standard errors of the difference")


def table_1(sheet: Sheet) -> None:
    """Print the power of the number of orders by which the time grows, between two sizes for 20 players."""
    for method, power in POWERS.items():
        sizes = tuple(size // 4 for size in SIZES[method]) if sheet.args.quick else SIZES[method]
        times = [
            seconds_of(lambda n=n, method=method: kb.sample_orders(20, n, method, 1), min(sheet.args.repeats, 5))
            for n in sizes
        ]
        slope = np.log(times[1] / times[0]) / np.log(sizes[1] / sizes[0])
        sheet.line(f"{method:11} {sizes[0]} to {sizes[1]} orders: {times[0]:.4f} to {times[1]:.4f} s, ",
                   f"power {slope:.2f}, printed {power}")  # fmt: skip
        sheet.claim(f"the time of {method} grows by no more than the power {power} says", slope < power + 0.35)


def table_5(sheet: Sheet) -> None:
    """Print the time for 100 orders of the 256 tiles of an image.

    The table's other time, 40.5 to 40.9 s for all samplers, belongs to ResNet50 on images of ImageNet, which are not
    available here. No other function of 256 tiles can replace it, so we compare the time of the orders alone.
    """
    players, n = 256, 100
    rng = np.random.default_rng(1)
    inner, outer = rng.normal(size=(players, 64)) / 16, rng.normal(size=64)

    def worth(tiles: np.ndarray) -> np.ndarray:
        result: np.ndarray = np.tanh(tiles.astype(np.float32) @ inner) @ outer
        return result

    for method, printed in OF_AN_IMAGE.items():
        ours = seconds_of(lambda method=method: kb.sample_orders(players, n, method, 1), min(sheet.args.repeats, 5))
        found: list[object] = []
        whole = seconds_of(
            lambda method=method, found=found: found.append(
                kb.shapley_values(worth, players, method=method, n_orders=n, seed=1)
            ),
            1,
        )
        evaluations = int(found[0].n_evals)
        sheet.line(f"{method:11} {printed_and_ours(printed, ours)} s;",
                   f"with {evaluations} sets of a small network {whole:.2f} s")  # fmt: skip
