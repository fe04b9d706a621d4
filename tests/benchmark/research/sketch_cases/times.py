"""Figures 10 to 12 and --times: time to take values into a sketch, without the time of its quantiles."""

from __future__ import annotations

from permutation_cases.claims import Sheet

from .figures import axes_of, save
from .inputs import output_of, program
from .printed import Key

Times = dict[Key, dict[int, tuple[float, float]]]  # by number of values: ns of a value's sums, us to 99 quantiles
ONE_PASS = ("kll", "legendre-published", "legendre-central", "legendre-naive")
TWO_PASSES = ("cosine", "chebyshev", "fourier", "hermite")
ORDERS = (5, 10, 15)


def measure(build: str, sizes: list[int]) -> Times:
    """Run sketch_times."""
    found: Times = {}
    for n, name, size, of_value, of_quantiles in output_of(program(build, "sketch_times"), *map(str, sizes)):
        found.setdefault((name, int(size)), {})[int(n)] = (float(of_value), float(of_quantiles))
    return found


def print_times(sheet: Sheet) -> None:
    """Print, by estimator and number of values, nanoseconds a value and microseconds to 99 quantiles."""
    sizes = sheet.args.sizes
    sheet.line("| estimator | order or size | " + " | ".join(f"{n:,} values" for n in sizes) + " |")
    sheet.line("|---" * (2 + len(sizes)) + "|")
    for (name, size), of in measure(sheet.args.build, sizes).items():
        cells = (f"{of_value:.2f}; {of_quantiles:.1f}" for of_value, of_quantiles in of.values())
        sheet.line(f"| {name} | {size} | " + " | ".join(cells) + " |")


def print_seconds(sheet: Sheet, number: int, names: tuple[str, ...], found: Times) -> None:
    """Print and draw the seconds of the sums of all values."""
    sizes = sheet.args.sizes
    sheet.line(f"\nfigure {number}: seconds of one thread\n{'':>26}" + "".join(f"{n:>14,}" for n in sizes))
    lines = {key: [of[n][0] * n / 1e9 for n in sizes] for key, of in found.items() if key[0] in names}
    for (name, size), seconds in lines.items():
        sheet.line(f"{name:>20}{size:6}" + "".join(f"{value:14.6f}" for value in seconds))
    if sheet.args.plot:
        figure, axes = axes_of()
        for (name, size), seconds in lines.items():
            axes[0, 0].loglog(sizes, seconds, marker=".", label=f"{name} {size}")
        axes[0, 0].set(xlabel="values", ylabel="seconds", title=f"figure {number}")
        axes[0, 0].legend(fontsize=6, ncols=2)
        save(sheet, figure, f"figure{number}")


def figure_10(sheet: Sheet, found: Times) -> None:
    """Print sketches of one pass."""
    print_seconds(sheet, 10, ONE_PASS, found)
    sizes = sheet.args.sizes
    pairs = [(found["kll", 500][n][0], found["legendre-central", 15][n][0]) for n in sizes]
    sheet.claim("KLL(500) is slower than our central sums of 15 at every size", all(kll > sums for kll, sums in pairs))
    for order in (10, 15):
        ratios = [found["legendre-published", order][n][0] / found["legendre-naive", order][n][0] for n in sizes]
        sheet.claim(f"central sums as published are noticeably slower than naive ones of order {order} "
                    f"({min(ratios):.1f} to {max(ratios):.1f} times)", min(ratios) > 1.5)  # fmt: skip
    growth = found["legendre-published", 15][sizes[-1]][0] / found["legendre-published", 5][sizes[-1]][0]
    sheet.claim(f"their time is quadratic in the order (15 takes {growth:.1f} times as long as 5)", growth > 4)
    ours = [found["legendre-central", 15][n][0] / found["legendre-naive", 15][n][0] for n in sizes]
    sheet.line(f"Ours go by blocks, the mean first: {min(ours):.2f} to {max(ours):.2f} times the time of naive sums.")


def figure_12(sheet: Sheet, found: Times) -> None:
    """Print series of two passes; the first pass finds the range."""
    print_seconds(sheet, 12, TWO_PASSES, found)
    sizes = sheet.args.sizes
    for name in TWO_PASSES:
        of = [found[name, 15][n][0] for n in sizes if n >= 10_000] or [found[name, 15][sizes[-1]][0]]
        sheet.claim(f"{name}: the time is a constant for each value ({min(of):.0f} to {max(of):.0f} ns)",
                    max(of) < 2 * min(of))  # fmt: skip
    n = sizes[-1]
    ratio = found["cosine", 15][n][0] / found["legendre-published", 15][n][0]
    sheet.claim(f"cosines take about as long as moments as published ({ratio:.2f} times)", ratio < 2)


def figure_11(sheet: Sheet, found: Times) -> None:
    """Print sums on a device beside those of one thread of the CPU."""
    lines = output_of(program(sheet.args.build, "gpu_sketch_bench"), str(sheet.args.sizes[-1]))[1:]
    on_device = {(int(n), int(order)): (float(central), float(naive)) for n, order, central, naive, *_ in lines}
    heads = ("device, central", "device, naive", "CPU, published", "CPU, central", "CPU, naive")
    sheet.line(f"\nfigure 11: milliseconds, order 15\n{'values':>14}" + "".join(f"{head:>16}" for head in heads))
    rows: dict[int, list[float]] = {}
    for n in sheet.args.sizes:
        cpu = [found[f"legendre-{kind}", 15][n][0] * n / 1e6 for kind in ("published", "central", "naive")]
        if (n, 15) in on_device:
            rows[n] = [*on_device[n, 15], *cpu]
            sheet.line(f"{n:14,}" + "".join(f"{value:16.3f}" for value in rows[n]))
    large = [row for n, row in rows.items() if n >= 100_000]
    sheet.claim("central sums are faster on the device than on the CPU from 10^5 values on",
                all(row[0] < min(row[2:4]) for row in large))  # fmt: skip
    crossing = next((n for n, row in rows.items() if row[1] < row[4]), 0)
    sheet.claim(f"naive sums are faster on the device only above 10^7 values (here from {crossing:,} on)",
                crossing >= 10_000_000)  # fmt: skip


MAKERS = {10: figure_10, 11: figure_11, 12: figure_12}
