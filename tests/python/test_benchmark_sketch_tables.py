"""Tables and figures of chapter 3 on small columns: the numbers, and the conclusions that hold for any such columns."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmark" / "research"))
import sketch_tables
from sketch_cases import figures, inputs, tables, times
from sketch_cases.printed import TABLES

BUILD = Path(os.environ.get("KAURI_BUILD_DIR", Path(__file__).resolve().parents[2] / "build"))
SETS = (
    "import numpy as np\n"
    "NAMES = ['smooth', 'wild', 'sector']\n"
    "def load(name):\n"
    "    r = np.random.default_rng(SEED)\n"
    "    n = 800\n"
    "    smooth = [r.normal(size=n), r.exponential(size=n) + .5, r.random(n), 1000 + r.normal(size=n)]\n"
    "    wild = [np.exp(3 * r.normal(size=n)), r.integers(0, 3, n), np.where(r.random(n) < .9, 0, r.random(n)),\n"
    "            np.where(r.random(n) < .5, np.nan, r.normal(size=n)), np.full(n, 7.)]\n"
    "    return np.array({'smooth': smooth, 'wild': wild}[name], np.float32).T, None, {}\n"
)


def write_sets(folder: Path, seed: int) -> None:
    (folder / "load.py").write_text(SETS.replace("SEED", str(seed)))


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for name in ("sketch_estimators", "sketch_times", "sketch_bench"):
        if not (BUILD / "bin" / name).is_file():
            pytest.skip(f"the program {name} is not built in {BUILD}")
    inputs.DATA = tmp_path_factory.mktemp("data")
    write_sets(inputs.DATA, 1)
    return inputs.DATA


@pytest.fixture(scope="module", params=[1, 2], ids=lambda seed: f"seed {seed}")
def found(folder: Path, request: pytest.FixtureRequest) -> inputs.Found:
    write_sets(folder, request.param)
    return inputs.estimates(["smooth", "wild"], 600, str(BUILD), gpu=False)


@pytest.fixture
def sheet(tmp_path: Path) -> figures.Sheet:
    options = {
        "build": str(BUILD),
        "plot": str(tmp_path),
        "rows": 1000,
        "sets": ["smooth", "wild"],
        "sizes": [1000, 10000],
    }
    return figures.Sheet(sketch_tables.argparse.Namespace(**options))


def claims(sheet: figures.Sheet) -> dict[str, bool]:
    return dict(sheet.claims)


def test_every_printed_row_has_one_of_ours(found: inputs.Found, sheet: figures.Sheet) -> None:
    for number in (2, 3, 6):
        ours = tables.print_table(sheet, number, found)
        assert set(TABLES[number]) <= set(ours)
        assert {row.columns for row in ours.values()} == {8}  # of nine columns one is constant
    assert {row.columns for row in tables.print_table(sheet, 4, found).values()} <= {3, 4}


def test_sketches_keep_no_more_than_they_say(found: inputs.Found) -> None:
    for size in (50, 500):
        assert max(row.kept for row in found["kll-total", size]) <= size
        assert max(row.kept for row in found["sample", size]) == size
        assert max(row.kept for row in found["kll", size]) > size  # size is the capacity of the highest compactor
    assert {row.kept for row in found["entropy-central", 15]} == {18}


def test_errors_shrink_with_the_size(found: inputs.Found) -> None:
    for name in ("kll", "kll-total", "sample", "entropy-central", "legendre-central", "cosine", "chebyshev"):
        sizes = sorted(size for key, size in found if key == name)
        means = [tables.statistics(found[name, size]).mean for size in sizes]
        assert means[0] > means[-1], name
    of_sketch, of_sample = (tables.statistics(found[name, 500]).mean for name in ("kll-total", "sample"))
    assert of_sketch < 0.7 * of_sample


def test_central_sums_as_published_are_the_librarys(found: inputs.Found) -> None:
    """Equation 13, one value after the other, and our sums by blocks give the same distributions."""
    for order in (5, 10, 15):
        for published, ours in zip(found["legendre-published", order], found["legendre-central", order]):
            assert published.failure == ours.failure == 0
            assert published.of_cdf == pytest.approx(ours.of_cdf, abs=1e-6)


def test_naive_sums_fail_where_the_mean_is_far_off(found: inputs.Found, sheet: figures.Sheet) -> None:
    far_off = 3  # 1000 + N(0, 1)
    for kind in ("entropy", "legendre"):
        assert found[f"{kind}-naive", 15][far_off].failure == 1
        assert found[f"{kind}-naive-tree", 15][far_off].failure == 1
        assert found[f"{kind}-central", 15][far_off].failure == 0
        assert found[f"{kind}-central", 15][far_off].of_cdf < 0.01
    tables.table_2(sheet, found)
    held = claims(sheet)
    assert all(holds for claim, holds in held.items() if claim.startswith(("entropy: naive", "legendre: naive")))
    assert held["the errors of central sums fall with the order"]


def test_series_have_errors_of_the_printed_size(found: inputs.Found, sheet: figures.Sheet) -> None:
    """Other treatments of the ends have errors of 10 and more on such columns."""
    tables.table_3(sheet, found)
    for name in ("chebyshev", "hermite"):
        for order in (5, 10, 15):
            ours = tables.statistics(found[name, order])
            assert ours.failures == 0
            assert ours.largest < 0.62
    assert all(claims(sheet)[f"order {order}: cosines have the least mean"] for order in (5, 10))


def test_logarithms_agree_where_a_column_spans_little(found: inputs.Found, sheet: figures.Sheet) -> None:
    tables.table_4(sheet, found)
    assert claims(sheet)[
        "both fits agree where a column spans little (its logarithm is nearly linear), and part where not"
    ]
    narrow = next(row for row in found["entropy-log-central", 10] if 1 < row.span < 1.1)
    values = next(row for row in found["entropy-central", 10] if row.span == narrow.span)
    assert narrow.of_cdf == pytest.approx(values.of_cdf, rel=0.1)


def test_table_5(sheet: figures.Sheet) -> None:
    tables.table_5(sheet, inputs.normal_estimates(20_000, str(BUILD), gpu=False))
    assert len(sheet.claims) == 3
    assert all(claims(sheet).values())


def test_table_6(found: inputs.Found, sheet: figures.Sheet, capsys: pytest.CaptureFixture[str]) -> None:
    tables.table_6(sheet, found)
    assert [claim[:2] for claim in claims(sheet)] == ["1.", "2.", "3.", "4.", "5."]
    line = next(line for line in capsys.readouterr().out.splitlines() if "entropy-central-gpu: central  15" in line)
    assert "0.005962  0.010467  0.003048  0.000120  0.233682" in line


def test_a_figure_of_densities(sheet: figures.Sheet, tmp_path: Path) -> None:
    sheet.args.rows = 10_000
    figures.figure_1(sheet)
    assert claims(sheet)["maximum entropy has no mass below 0"]
    assert (tmp_path / "figure1.png").stat().st_size > 20_000


def test_densities_are_judged_by_definition() -> None:
    values = np.linspace(0, 1, 5001)
    flat = np.full(256, 0.5)
    assert figures.judge(values, flat) == (0.0, 0, pytest.approx(0.0, abs=1e-3))
    places = (np.arange(256) + 0.5) / 128 - 1
    mass, maxima, niae = figures.judge(values, 0.5 + np.cos(4 * np.pi * places))
    assert maxima == 3  # and one at each end, which does not stand out on both sides
    assert mass == pytest.approx(4 * (np.sqrt(0.75) / np.pi - 1 / 3 * 0.5) / 2, abs=0.01)
    assert niae > 0.02


def test_figures_of_inputs_and_errors(
    found: inputs.Found, sheet: figures.Sheet, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures.figures_3_4(sheet)
    for number in range(5, 10):
        figures.OF_ESTIMATES[number](sheet, found)
        assert (tmp_path / f"figure{number}.png").stat().st_size > 5_000
    held, out = claims(sheet), capsys.readouterr().out
    assert "8 inputs; 1 have fewer than 10 distinct values" in out
    assert "1 more columns are constant" in out
    assert held["both forms agree where distributions ascend (KLL, maximum entropy)"]
    assert held["the median of Legendre series falls with the order"]
    assert (tmp_path / "figures3-4.png").stat().st_size > 5_000


def test_figures_of_times(sheet: figures.Sheet, tmp_path: Path) -> None:
    """Only claims with a wide margin are asserted, as tests run on busy machines."""
    measured = times.measure(str(BUILD), sheet.args.sizes)
    times.figure_10(sheet, measured)
    times.figure_12(sheet, measured)
    assert any("quadratic in the order" in claim and holds for claim, holds in sheet.claims)
    assert (tmp_path / "figure10.png").stat().st_size > 5_000
    assert (tmp_path / "figure12.png").stat().st_size > 5_000
    published, ours = (measured[f"legendre-{kind}", 15][10_000][0] for kind in ("published", "central"))
    assert published > 2 * ours


def test_a_device_beside_the_processor(sheet: figures.Sheet, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A script replaces gpu_sketch_bench, which needs a device."""
    bench = tmp_path / "bin" / "gpu_sketch_bench"
    bench.parent.mkdir()
    bench.write_text("#!/bin/sh\necho head\necho 1000 15 9 8 0 0 same bits\necho 10000000 15 2 1 0 0 same bits\n")
    bench.chmod(0o755)
    sheet.args.build, sheet.args.sizes = str(tmp_path), [1000, 10_000_000]
    of_host = {1000: (100.0, 1.0), 10_000_000: (100.0, 1.0)}
    times.figure_11(sheet, {(f"legendre-{kind}", 15): of_host for kind in ("published", "central", "naive")})
    assert list(claims(sheet).values()) == [True, True]


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["smooth", "--build", str(BUILD), "--rows", "500"]
    assert sketch_tables.main(words) == 0
    costs = [line.split() for line in capsys.readouterr().out.split("all columns")[1].splitlines()[2:]]
    assert {"exact", "kll", "moments"} <= {line[0].split("-")[0] for line in costs if line}
    assert sketch_tables.main([*words, "--table", "3", "--figure", "3", "8"]) == 0
    out = capsys.readouterr().out
    assert "table 3" in out
    assert "claims hold here" in out
    assert sketch_tables.main(["--build", str(BUILD), "--times", "--sizes", "500"]) == 0
    assert "| legendre-published | 15 |" in capsys.readouterr().out


def test_a_program_that_is_not_built(tmp_path: Path) -> None:
    with pytest.raises(
        SystemExit, match=r"sketch_times is not there; build it \(cmake --build .* --target sketch_times\)"
    ):
        sketch_tables.main(["--times", "--build", str(tmp_path)])
