"""Table 4 of "Sampling permutations for Shapley value estimation": discrepancies of sets of orders, printed and ours.

    python tests/benchmark/permutation_tables.py [--repeats 25] [--most 1000]

A line for each number of players d and of orders n: by sampler the mean discrepancy in the space of the Mallows kernel
(lambda = 4), the printed one, their ratio, and the seconds to draw one set on one thread, beside the printed ones of
one thread of a Xeon E5-2698. Fails where a ratio is further from 1 than 2 %, of sobol 3 %.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time

from shap_compare import kb  # it finds the package in the checkout

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


def measure(d: int, n: int, method: str, repeats: int) -> tuple[float, float]:
    """Return the mean discrepancy, and the median time to draw a set."""
    found, seconds = [], []
    for seed in range(1, repeats + 1):
        start = time.process_time()
        orders = kb.sample_orders(d, n, method, seed)
        seconds.append(time.process_time() - start)
        found.append(orders.discrepancy())
    return statistics.fmean(found), statistics.median(seconds)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=25)
    parser.add_argument("--most", type=int, default=1000, help="orders at most")
    args = parser.parse_args()
    kb.set_config(nthread=1)
    wrong = []
    for (d, n), cells in PRINTED.items():
        if n > args.most:
            continue
        for method, cell in zip(METHODS, cells):
            if cell is None:
                continue
            mean, seconds = measure(d, n, method, args.repeats)
            ratio = mean / cell[0]
            print(f"d={d:<4} n={n:<5} {method:11} {mean:.6f}  printed {cell[0]:.6f}  ratio {ratio:.4f}  "
                  f"{seconds:8.4f} s  printed {cell[1]} s", flush=True)  # fmt: skip
            if abs(ratio - 1) > (0.03 if method == "sobol" else 0.02):
                wrong.append((d, n, method))
    if wrong:
        sys.exit(f"too far from what is printed: {wrong}")


if __name__ == "__main__":
    main()
