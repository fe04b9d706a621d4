"""Figures 1 and 3 to 9: densities, the inputs, the measure, and the distributions of errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from permutation_cases.claims import Sheet
from scipy.signal import find_peaks

from .inputs import Found, all_columns, lines_of, program
from .printed import Key
from .tables import statistics

METHODS = ("entropy", "legendre", "cosine", "fourier", "chebyshev", "hermite")
N_DENSITY = 100_000
PROMINENT = 0.01  # a maximum counts if it stands out by this part of the highest
OF_FIGURES: dict[int, list[Key]] = {  # which estimators the thesis draws is lost; these are the ones of its tables
    6: [
        *((name, size) for name in ("kll", "kll-total", "sample") for size in (10, 50, 500)),
        *((f"entropy-{kind}", order) for kind in ("central", "naive") for order in (5, 10, 15)),
    ],
    7: [(f"legendre-{kind}", order) for kind in ("central", "naive") for order in (5, 10, 15)],
    8: [(name, order) for name in ("cosine", "chebyshev", "fourier", "hermite") for order in (5, 10, 15)],
    9: [(f"entropy-{kind}", order) for kind in ("central", "log-central", "log-naive") for order in (5, 10, 15)],
}
TITLES = {
    6: "KLL and maximum entropy",
    7: "Legendre series",
    8: "series of two passes",
    9: "maximum entropy of columns above 0, and of their logarithms",
}


def axes_of(panels: int = 1, across: int = 1) -> tuple[Any, Any]:
    """Return a matplotlib figure and its axes, [rows, across]."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    down = -(-panels // across)
    return plt.subplots(down, across, figsize=(6.5 * across, 3.2 * down), layout="constrained", squeeze=False)


def save(sheet: Sheet, figure: Any, name: str) -> None:
    """Write a PNG into the folder of --plot."""
    path = Path(sheet.args.plot) / f"{name}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    sheet.line(f"drawn: {path}")


def simple_sets(n: int) -> dict[str, np.ndarray]:
    """Return values of seven simple distributions."""
    random = np.random.default_rng(0)
    signs = random.integers(0, 2, n) * 4 - 2
    sets = {
        "uniform": random.random(n),
        "normal": random.normal(size=n),
        "exponential": random.exponential(size=n),
        "two normals": signs + 0.5 * random.normal(size=n),
        "gamma of shape 2": random.gamma(2, size=n),
        "beta(1/2, 1/2)": random.beta(0.5, 0.5, n),
        "five values": random.integers(0, 5, n),
    }
    return {name: values.astype(np.float32) for name, values in sets.items()}


def judge(values: np.ndarray, density: np.ndarray) -> tuple[float, int, float]:
    """Return the mass below 0, the number of local maxima, and NIAE of a density in equal cells of [-1, 1]."""
    width = 2 / len(density)
    edges = np.linspace(values.min(), values.max(), len(density) + 1)
    true = np.searchsorted(np.sort(values), edges) / len(values)
    found = np.concatenate([[0.0], np.cumsum(density) * width])
    peaks, _ = find_peaks(density, prominence=PROMINENT * float(density.max()))
    return float(np.maximum(-density, 0).sum() * width), len(peaks), float(np.abs(found - true)[1:-1].mean())


def figure_1(sheet: Sheet) -> None:
    """Estimate densities by 10 moments: maximum entropy does not oscillate as the series do."""
    sets = simple_sets(sheet.args.rows or N_DENSITY)
    path = program(sheet.args.build, "sketch_estimators")
    lines = lines_of(path, np.stack(list(sets.values())), "densities", after=("10",))
    densities: dict[str, dict[str, np.ndarray]] = {name: {} for name in sets}
    for column, method, failure, *cells in lines:
        name = list(sets)[int(column)]
        densities[name][method] = np.array(cells, float)
        if failure != "0":
            sheet.line(f"{name}: {method} has no fit with all 10 moments")
    sheet.line(f"\nfigure 1\n{'':>18}" + "".join(f"{method:>26}" for method in METHODS))
    sheet.line(f"{'':>18}" + f"{'mass < 0  maxima    NIAE':>26}" * len(METHODS))
    found = {name: {method: judge(sets[name], of[method]) for method in METHODS} for name, of in densities.items()}
    for name, of in found.items():
        cells = (f"{mass:12.4f}{maxima:6}{niae:8.4f}" for mass, maxima, niae in of.values())
        sheet.line(f"{name:>18}" + "".join(cells))
    sheet.claim("maximum entropy has no mass below 0", all(of["entropy"][0] == 0 for of in found.values()))
    fewer = {name: of["entropy"][1] <= min(of["legendre"][1], of["fourier"][1]) for name, of in found.items()}
    sheet.claim(f"maximum entropy has no more local maxima than Legendre and Fourier series on every set "
                f"({sum(fewer.values())} of {len(fewer)})", all(fewer.values()))  # fmt: skip
    if sheet.args.plot:
        draw_densities(sheet, sets, densities)


def draw_densities(sheet: Sheet, sets: dict[str, np.ndarray], densities: dict[str, dict[str, np.ndarray]]) -> None:
    """Draw a panel for each set: a histogram, and the densities over the mapped range."""
    figure, axes = axes_of(len(sets), 2)
    places = np.linspace(-1, 1, 257)
    middles = (places[:-1] + places[1:]) / 2
    for panel, (name, values) in zip(axes.flat, sets.items()):
        mapped = 2 * (values - values.min()) / (values.max() - values.min()) - 1
        heights, _, _ = panel.hist(mapped, 200, range=(-1, 1), density=True, color="0.85")
        for method in METHODS[:4]:
            panel.plot(middles, densities[name][method], label=method, linewidth=1)
        top = 1.5 * float(np.quantile(heights, 0.995))
        panel.set(title=name, ylim=(-0.15 * top, top))
    axes.flat[0].legend()
    for panel in axes.flat[len(sets) :]:
        panel.set_axis_off()
    save(sheet, figure, "figure1")


def histogram(sheet: Sheet, title: str, values: np.ndarray, edges: np.ndarray, labels: list[str]) -> None:
    """Print a histogram as text, and draw it."""
    counts, _ = np.histogram(values, edges)
    sheet.line(f"\n{title}")
    for label, count in zip(labels, counts):
        sheet.line(f"{label:>22} {count:6} {'#' * round(60 * count / max(1, counts.max()))}")


def figures_3_4(sheet: Sheet) -> None:
    """Print how many values the inputs have, and which share of them is distinct."""
    sizes, distinct = [], []
    for columns in all_columns(sheet.args.sets, sheet.args.rows or 20_000):
        for column in columns:
            column = column[~np.isnan(column)]
            if len(column):
                sizes.append(len(column))
                distinct.append(len(np.unique(column)))
    n, unique = np.array(sizes), np.array(distinct)
    is_input = unique > 1
    shares = unique[is_input] / n[is_input]
    powers = np.arange(1, 7.5, 0.5)
    labels = [f"10^{low:g} to 10^{high:g}" for low, high in zip(powers, powers[1:])]
    histogram(sheet, "figure 3: number of values of an input", np.log10(n[is_input]), powers, labels)
    tenths = np.linspace(0, 1, 11)
    labels = [f"{low:.1f} to {high:.1f}" for low, high in zip(tenths, tenths[1:])]
    histogram(sheet, "figure 4: share of distinct values of an input", shares, tenths, labels)
    few = [int((unique[is_input] < most).sum()) for most in (10, 100)]
    sheet.line(f"{is_input.sum()} inputs; {few[0]} have fewer than 10 distinct values, {few[1]} fewer than 100; "
               f"{(~is_input).sum()} more columns are constant and left out")  # fmt: skip
    sheet.claim("many inputs have many repeated values", float(np.mean(shares < 0.5)) > 0.25)
    if sheet.args.plot:
        figure, axes = axes_of(2, 2)
        axes[0, 0].hist(np.log10(n[is_input]), powers)
        axes[0, 0].set(xlabel="log10 of the number of values", ylabel="inputs", title="figure 3")
        axes[0, 1].hist(shares, tenths)
        axes[0, 1].set(xlabel="share of distinct values", title="figure 4")
        save(sheet, figure, "figures3-4")


def figure_5(sheet: Sheet, found: Found) -> None:
    """Compare both forms of NIAE: by quantiles and by distributions. They agree for distributions that ascend."""
    sheet.line("\nfigure 5: mean NIAE by quantiles, by distributions, and the mean of their differences")
    differences = {}
    for key in [("kll", 500), ("entropy-central", 15), ("legendre-central", 15), ("cosine", 15), ("fourier", 15)]:
        good = [row for row in found[key] if row.failure == 0]
        both = np.array([(row.of_quantiles, row.of_cdf) for row in good])
        differences[key[0]] = float(np.abs(both[:, 0] - both[:, 1]).mean())
        sheet.line(f"{key[0]:>20} {key[1]:4}", *(f"{mean:.5f}" for mean in both.mean(axis=0)),
                   f"{differences[key[0]]:.5f}")  # fmt: skip
    ascending = max(differences["kll"], differences["entropy-central"])
    sheet.claim("both forms agree where distributions ascend (KLL, maximum entropy)", ascending < 0.001)
    sheet.claim("they differ where a series descends in places (Legendre, cosines, Fourier), which the text leaves out",
                min(differences[name] for name in ("legendre-central", "cosine", "fourier")) > ascending)  # fmt: skip
    if sheet.args.plot:
        draw_area(sheet)


def draw_area(sheet: Sheet) -> None:
    """Draw the area between two distributions."""
    figure, axes = axes_of()
    places = np.linspace(0, 1, 400)
    axes[0, 0].fill_between(places, places**2, places**0.7, color="0.85", label="the area, by rows or by columns")
    axes[0, 0].plot(places, places**2, places, places**0.7)
    axes[0, 0].set(xlabel="value", ylabel="share of smaller values", title="figure 5: NIAE")
    axes[0, 0].legend()
    save(sheet, figure, "figure5")


def violins(sheet: Sheet, number: int, found: Found) -> None:
    """Print quantiles of the NIAE of each estimator over the inputs (figures 6 to 9), and draw violins."""
    shares = (0.05, 0.25, 0.5, 0.75, 0.95)
    sheet.line(f"\nfigure {number}: {TITLES[number]}; shares of the inputs with at most this NIAE")
    sheet.line(f"{'estimator':>20}{'l, m':>6}" + "".join(f"{share:>10.0%}" for share in shares))
    errors: dict[Key, np.ndarray] = {}
    for key in OF_FIGURES[number]:
        rows = [row for row in found.get(key, []) if row.failure == 0 and (number != 9 or row.span > 0)]
        if rows:
            errors[key] = np.array([row.of_cdf for row in rows])
            cells = (f"{value:10.5f}" for value in np.quantile(errors[key], shares))
            sheet.line(f"{key[0]:>20}{key[1]:6}" + "".join(cells))
    if sheet.args.plot and errors:
        figure, axes = axes_of()
        axes[0, 0].violinplot([np.log10(np.maximum(values, 1e-6)) for values in errors.values()], showmedians=True)
        labels = [f"{name}\n{size}" for name, size in errors]
        axes[0, 0].set_xticks(range(1, len(labels) + 1), labels, fontsize=5, rotation=60)
        axes[0, 0].set(ylabel="log10 of NIAE", title=f"figure {number}: {TITLES[number]}")
        save(sheet, figure, f"figure{number}")


def figure_6(sheet: Sheet, found: Found) -> None:
    """Print KLL and maximum entropy."""
    violins(sheet, 6, found)
    medians = [statistics(found["entropy-central", order]).median for order in (5, 10, 15)]
    sheet.claim("the median of maximum entropy falls with the order", medians[0] > medians[1] > medians[2])


def figure_7(sheet: Sheet, found: Found) -> None:
    """Print Legendre series."""
    violins(sheet, 7, found)
    medians = [statistics(found["legendre-central", order]).median for order in (5, 10, 15)]
    sheet.claim("the median of Legendre series falls with the order", medians[0] > medians[1] > medians[2])


def figure_8(sheet: Sheet, found: Found) -> None:
    """Print series of two passes."""
    violins(sheet, 8, found)
    largest = {name: statistics(found[name, 15]).largest for name in ("cosine", "chebyshev", "fourier", "hermite")}
    sheet.claim("cosines have the least of the largest errors", min(largest, key=largest.__getitem__) == "cosine")


def figure_9(sheet: Sheet, found: Found) -> None:
    """Print columns above 0."""
    violins(sheet, 9, found)


OF_ESTIMATES = {5: figure_5, 6: figure_6, 7: figure_7, 8: figure_8, 9: figure_9}
