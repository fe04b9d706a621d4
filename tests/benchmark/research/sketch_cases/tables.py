"""Tables 2 to 6: our statistics beside the printed ones, and what the text concludes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from permutation_cases.claims import Sheet

from .inputs import Found, Measured
from .printed import NAN, OURS, TABLES, Key, Printed

ORDERS = (5, 10, 15)


class Ours(NamedTuple):
    """Our statistics of one estimator. Columns that failed are left out of all but the counts."""

    columns: int
    failures: int
    fewer: int  # of the failures: fits with fewer moments than the sketch has
    kept: int
    mean: float
    std: float
    median: float
    least: float
    largest: float
    of_quantiles: float


def statistics(rows: list[Measured]) -> Ours:
    """Return the statistics of the NIAE of distributions, and the mean NIAE of quantiles."""
    good = [row for row in rows if row.failure == 0]
    kept = max(row.kept for row in rows)
    counts = (len(rows), len(rows) - len(good), sum(row.failure == 2 for row in rows), kept)
    if not good:
        return Ours(*counts, NAN, NAN, NAN, NAN, NAN, NAN)
    errors = np.array([row.of_cdf for row in good])
    of_quantiles = float(np.mean([row.of_quantiles for row in good]))
    parts = (errors.mean(), errors.std(), np.median(errors), errors.min(), errors.max())
    return Ours(*counts, *map(float, parts), of_quantiles)


def rows_for(key: Key, found: Found) -> tuple[list[Measured], str]:
    """Return what stands for a row of the thesis, and its name.

    A device's central sums have the bits of the CPU's, and naive sums are added by a tree there. Both stand for the
    rows of a device if no device was measured.
    """
    name, size = key
    if key in found or not name.endswith("-gpu"):
        return found[key], name
    other = name.removesuffix("-gpu") if "central" in name else name.replace("-gpu", "-tree")
    return found[other, size], f"{name}: {other.split('-', 1)[1]}"


def number(value: float) -> str:
    """Return a cell of a table."""
    return f"{'-':>10}" if np.isnan(value) else f"{value:10.6f}" if value < 100 else f"{value:10.1e}"


def table_line(name: str, size: int, ours: Ours, printed: Printed) -> str:
    """Return a line of a table: ours, the ratio of the means, and the printed numbers."""
    counts = f"{ours.columns:8}{ours.kept:6}{ours.failures:7}{ours.fewer:6}"
    of_ours = "".join(map(number, (ours.mean, ours.std, ours.median, ours.least, ours.largest, ours.of_quantiles)))
    of_thesis = "".join(map(number, printed[:5]))
    fails = f"{'-' if np.isnan(printed.mean) else printed.failures:>6}"
    return f"{name:>36}{size:4}{counts}{of_ours} |{number(ours.mean / printed.mean)} |{of_thesis}{fails}"


def print_table(sheet: Sheet, table: int, found: Found) -> dict[Key, Ours]:
    """Print our statistics beside the printed ones; returns ours."""
    heads = "".join(f"{head:>10}" for head in ("mean", "std", "median", "min", "max"))
    counts = f"{'columns':>8}{'kept':>6}{'failed':>7}{'fewer':>6}"
    sheet.line(f"\ntable {table}")
    sheet.line(f"{'estimator':>36}{'l, m':>4}{counts}{heads}{'quantiles':>10} |{'mean':>10} |{heads}{'fails':>6}")
    sheet.line(f"{'':>40}{'ours':>87} |{'ours / th.':>10} |{'thesis':>50}")
    result: dict[Key, Ours] = {}
    for key in [*TABLES[table], *OURS.get(table, [])]:
        rows, name = rows_for(key, found)
        rows = [row for row in rows if row.span > 0] if table == 4 else rows
        if rows:
            result[key] = statistics(rows)
            sheet.line(table_line(name, key[1], result[key], TABLES[table].get(key, Printed(NAN))))
    return result


def table_2(sheet: Sheet, found: Found) -> None:
    """Print sketches of one pass, and claims about the failures of naive sums and the size of KLL sketches."""
    ours = print_table(sheet, 2, found)
    kinds = ("entropy", "legendre")
    by_tree = {kind: [ours[f"{kind}-naive-gpu", order].failures for order in ORDERS] for kind in kinds}
    one_by_one = {kind: [ours[f"{kind}-naive", order].failures for order in ORDERS] for kind in kinds}
    for kind in kinds:
        counts = f"{by_tree[kind]}) than one by one ({one_by_one[kind]})"
        sheet.claim(f"{kind}: naive sums fail no more often if a tree adds them ({counts}",
                    sum(by_tree[kind]) <= sum(one_by_one[kind]))  # fmt: skip
    of_central = [ours["legendre-central", order].failures for order in ORDERS]
    sheet.claim(f"Legendre series of central sums never fail ({of_central})", not any(of_central))
    sheet.claim("the errors of central sums fall with the order",
                all(ours[f"{kind}-central", 15].mean < ours[f"{kind}-central", 5].mean for kind in kinds))  # fmt: skip
    thesis = TABLES[2]["kll", 500].mean
    sheet.claim(f"moments of order 5 have about the mean error of KLL(500): {ours['entropy-central', 5].mean:.4f}, "
                f"{ours['kll-total', 500].mean:.4f} with 500 values in all (thesis: 0.0084, 0.0081)",
                ours["entropy-central", 5].mean < 1.5 * ours["kll-total", 500].mean)  # fmt: skip
    sample = ours["sample", 500].mean
    sheet.claim(f"the thesis's KLL(500) ({thesis:.4f}) is better than a random sample of 500 ({sample:.4f})",
                sample > thesis)  # fmt: skip


def table_3(sheet: Sheet, found: Found) -> None:
    """Print series of two passes. Our protocols of Hermite's and Chebyshev's are judged by the printed means."""
    ours = print_table(sheet, 3, found)
    sheet.line("Hermite's series takes places in [-1, 1]; Chebyshev's moves values beyond +-0.97 to there.")
    for order in ORDERS:
        others = [ours[name, order].mean for name in ("chebyshev", "fourier", "hermite")]
        sheet.claim(f"order {order}: cosines have the least mean", ours["cosine", order].mean < min(others))
    sheet.claim("Fourier and Hermite series gain little from a higher order",
                all(ours[name, 15].mean > 0.7 * ours[name, 5].mean for name in ("fourier", "hermite")))  # fmt: skip


def table_4(sheet: Sheet, found: Found) -> None:
    """Print maximum entropy of values above 0 and of their logarithms, and their ratio by the span of a column."""
    ours = print_table(sheet, 4, found)
    if not ours:
        sheet.line("no column has values above 0 alone")
        return
    sheet.line(
        "error by logarithms over error by values, order 10, by the largest over the smallest value of a column:"
    )
    values = [row for row in found["entropy-central", 10] if row.span > 0]
    logarithms = found["entropy-log-central", 10]
    pairs = [(row.span, log.of_cdf / row.of_cdf) for row, log in zip(values, logarithms)
             if row.failure == log.failure == 0]  # fmt: skip
    for low, high in ((1, 2), (2, 10), (10, 100), (100, 1e4), (1e4, np.inf)):
        ratios = [ratio for span, ratio in pairs if low <= span < high]
        if ratios:
            cells = (f"{np.quantile(ratios, share):.2f}" for share in (0.25, 0.5, 0.75))
            sheet.line(f"  {low:g} to {high:g}: {len(ratios)} columns, quartiles", *cells)
    worse = [ours["entropy-log-central", order].mean / ours["entropy-central", order].mean for order in ORDERS]
    times = ", ".join(f"{ratio:.2f}" for ratio in worse)
    sheet.claim(f"logarithms are worse than values ({times} times; thesis: 9.3, 15.7, 15.2)", min(worse) > 1)
    narrow = [abs(np.log(ratio)) for span, ratio in pairs if span < 2]
    wide = [abs(np.log(ratio)) for span, ratio in pairs if span >= 10]
    if narrow and wide:
        sheet.claim("both fits agree where a column spans little (its logarithm is nearly linear), and part where not",
                    float(np.median(narrow)) < float(np.median(wide)))  # fmt: skip


def table_5(sheet: Sheet, found: Found) -> None:
    """Print the errors of the analytic N(1000, 1)."""
    ours = print_table(sheet, 5, found)
    naive = [rows[0] for key, rows in found.items() if key[0] in ("entropy-naive", "legendre-naive")]
    sheet.claim("naive sums fail at every order, or have an error above 0.1",
                all(row.failure != 0 or row.of_cdf > 0.1 for row in naive))  # fmt: skip
    legendre = [ours["legendre-central", order].mean for order in ORDERS]
    sheet.claim("Legendre series of central sums improve with the order", legendre[0] > legendre[1] > legendre[2])
    sheet.claim("maximum entropy of 5 central sums is better than Legendre series of 10",
                ours["entropy-central", 5].mean < legendre[1])  # fmt: skip


def table_6(sheet: Sheet, found: Found) -> None:
    """Print the top performers, and the five conclusions of the text."""
    ours = print_table(sheet, 6, found)
    cosine, kll, legendre = ours["cosine", 15], ours["kll-total", 500], ours["legendre-central-gpu", 15]
    few, many = ours["entropy-central-gpu", 5], ours["entropy-central-gpu", 15]
    least = min(statistics(rows).largest for key, rows in found.items() if key[0] not in ("kll", "sample")
                and any(row.failure == 0 for row in rows))  # fmt: skip
    sheet.line("The claims compare the KLL sketch that keeps at most 500 values in all, as the thesis counts them.")
    sheet.claim(f"1. maximum entropy of 15 has the least mean and median, but a much larger maximum "
                f"({many.largest:.3f})",
                many.mean <= min(row.mean for row in ours.values())
                and many.median <= min(row.median for row in ours.values())
                and many.largest > 2 * few.largest)  # fmt: skip
    sheet.claim(f"2. KLL of 500 comes close behind ({kll.mean:.4f}, {many.mean:.4f}), with more than ten times as many "
                f"numbers ({kll.kept}, {many.kept})",
                many.mean < kll.mean < 2 * many.mean and kll.kept > 10 * many.kept)  # fmt: skip
    sheet.claim(f"3. maximum entropy of 5 is slightly worse than of 15 ({few.mean:.4f}), with a far lower maximum "
                f"({few.largest:.3f}, {many.largest:.3f}), and nearly as accurate as KLL",
                few.mean < min(2 * many.mean, 1.5 * kll.mean) and few.largest < 0.5 * many.largest)  # fmt: skip
    means, medians = ([getattr(row, part) for row in (kll, few, many)] for part in ("mean", "median"))
    times = ", ".join(f"{legendre.mean / mean:.1f}" for mean in means)
    sheet.claim(f"4. Legendre of 15 has more than five times the mean ({times}) and median of KLL and both maximum "
                f"entropies; its maximum ({legendre.largest:.3f}) is below that of maximum entropy of 15",
                legendre.mean > 5 * max(means) and legendre.median > 5 * max(medians)
                and legendre.largest < many.largest)  # fmt: skip
    between = kll.mean < cosine.mean < legendre.mean and kll.median < cosine.median < legendre.median
    sheet.claim(f"5. cosines of 15 lie between KLL and Legendre in mean and median ({'they do' if between else 'no'}), "
                f"with the least maximum of all ({cosine.largest:.3f}; here {least:.3f})",
                between and cosine.largest <= least)  # fmt: skip


MAKERS = {2: table_2, 3: table_3, 4: table_4, 5: table_5, 6: table_6}
