"""The tables of the benchmarks at small sizes on the CPU, and their arithmetic."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmark"))
import contended
import gpu_categories
import gpu_exact_tables
import real_sets_equality
from paper_tables import host_memory, line_figures, metrics, ncu, report, roofline, rows_figure, shapes, speed

# Output of Nsight Compute 2025 with `--csv`: lines around the table, a line per launch and metric, quoted numbers.
NCU_CSV = """==PROF== Connected to process 4711 (/usr/bin/python3.12)
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC",\
"Section Name","Metric Name","Metric Unit","Metric Value"
"0","4711","python3.12","127.0.0.1","void kauri::cuda::<unnamed>::ScanKernel(kauri::cuda::SplitTask, int)","1","13",\
"(256, 1, 1)","(528, 1, 1)","0","9.0","Command line profiler metrics","dram__bytes.sum","byte","3,000,000"
"0","4711","python3.12","127.0.0.1","void kauri::cuda::<unnamed>::ScanKernel(kauri::cuda::SplitTask, int)","1","13",\
"(256, 1, 1)","(528, 1, 1)","0","9.0","Command line profiler metrics","gpu__time_duration.sum","ns","2,000"
"1","4711","python3.12","127.0.0.1","void kauri::cuda::ScanKernel(kauri::cuda::SplitTask, int)","1","13",\
"(256, 1, 1)","(528, 1, 1)","0","9.0","Command line profiler metrics","dram__bytes.sum","Mbyte","1.5"
"1","4711","python3.12","127.0.0.1","void kauri::cuda::ScanKernel(kauri::cuda::SplitTask, int)","1","13",\
"(256, 1, 1)","(528, 1, 1)","0","9.0","Command line profiler metrics","gpu__time_duration.sum","usecond","1"
==PROF== Disconnected from process 4711
"""


def run(tmp_path: Path, *words: str) -> dict:
    """Run one command of gpu_exact_tables.py on the CPU; return its JSON file."""
    arguments = [*words, "--device", "cpu", "--threads", "1", "--out", str(tmp_path)]
    assert gpu_exact_tables.main(arguments) == 0
    (path,) = tmp_path.glob("*.json")
    return json.loads(path.read_text())


def test_training_times(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = run(tmp_path, "--table", "25", "--scale", "0.0002", "--rounds", "3")
    rows = {row["name"]: row for row in document["rows"]}
    assert rows["Higgs size"]["rows"] == 2100
    assert rows["Bosch size"]["entries"] == 213 * 194
    for row in rows.values():
        assert row["equal_bytes"] is True
        assert len(row["window_ms"]) == 2
        assert row["measured_500"] is False
        assert row["seconds_500"] == pytest.approx(row["first_s"] + 499 * row["ms"] / 1e3)
    assert "| Higgs size | 2,100 | 28 |" in capsys.readouterr().out


def test_training_times_of_subsets(tmp_path: Path) -> None:
    document = run(tmp_path, "--table", "24", "--scale", "0.0002", "--rounds", "2", "--peer-rounds", "0")
    rows = {row["name"]: row for row in document["rows"]}
    assert rows["Higgs size"]["rows"] == 525  # a quarter
    assert rows["Bosch size"]["rows"] == 100  # 74, raised to the minimum of 100
    assert rows["Higgs size"]["paper_ratio"] == pytest.approx(6.62, abs=0.01)  # printed
    assert all(row["times_paper"] == row["paper_gpu_s"] / row["seconds_500"] for row in rows.values())


def test_precision_of_sums(tmp_path: Path) -> None:
    """A script replaces float_sums_bench, which is slow."""
    bench = tmp_path / "bench"
    bench.write_text("#!/bin/sh\necho sequential 0.05 0.04\necho parallel 0.0007 0.0006\necho fixed $FIXED 1e-7\n")
    bench.chmod(0o755)
    words = ["--table", "8", "--sums-bench", str(bench), "--device", "cpu", "--out", str(tmp_path)]
    for fixed, status in (("1e-6", 0), ("1e-3", 1)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("FIXED", fixed)
            assert gpu_exact_tables.main(words) == status
    sequential, parallel, fixed_point = json.loads((tmp_path / "table8.json").read_text())["rows"]
    assert sequential["ratio"] == pytest.approx(0.05 / 0.0694)
    assert (parallel["printed_error"], parallel["ratio"]) == (0.0007, pytest.approx(1.0))
    assert fixed_point["printed_error"] is None


def test_precision_of_sums_without_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAURI_BUILD_DIR", str(tmp_path))
    with pytest.raises(SystemExit, match=r"cmake --build .* --target float_sums_bench"):
        gpu_exact_tables.main(["--table", "8", "--device", "cpu", "--out", str(tmp_path)])


def test_host_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_memory, "SHAPES", ["Bosch"])
    row, *_ = run(tmp_path, "--table", "28", "--scale", "0.02", "--rounds", "2", "--peer-rounds", "0")["rows"]
    assert (row["library"], row["rows"], row["printed_gb"]) == ("Kauri", 21307, 3.28)
    values = row["entries"] * 4 / 1e9  # one copy in the data, one in the DMatrix
    assert row["data_gb"] > 2 * values  # includes the column numbers
    assert row["matrix_gb"] > row["data_gb"] + 0.8 * values  # some of it lies in memory that Python had freed
    assert row["peak_gb"] >= row["matrix_gb"]
    assert row["own_gb"] == pytest.approx(row["peak_gb"] - row["data_gb"])


def test_host_memory_says_why_a_process_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_memory, "SHAPES", ["Mars"])
    with pytest.raises(RuntimeError, match=r"(?s)host_memory kauriboost Mars .*KeyError: 'Mars'"):
        run(tmp_path, "--table", "28", "--peer-rounds", "0")


def test_figures_of_threads_and_levels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert line_figures.thread_counts(12) == [1, 2, 4, 8, 12]
    monkeypatch.setattr(line_figures, "thread_counts", lambda _: [1, 2])
    by_threads = run(tmp_path / "10", "--figure", "10", "--scale", "0.0005", "--rounds", "2")
    assert [row["threads"] for row in by_threads["rows"]] == [1, 2]
    assert all(row["cpu_ratio"] == row["cpu_ms"] / row["device_ms"] for row in by_threads["rows"])
    (_, points), *_ = line_figures.lines_of(by_threads)[1]
    assert points == [(row["threads"], row["cpu_ms"]) for row in by_threads["rows"]]
    assert gpu_exact_tables.main(["--plot", str(tmp_path / "10" / "figure10.json")]) == 0
    assert (tmp_path / "10" / "figure10.png").stat().st_size > 10_000
    monkeypatch.setattr(line_figures, "level_choices", lambda _: [("0", {}), ("3", {}), ("default", {})])
    by_levels = run(tmp_path / "11", "--figure", "11", "--scale", "0.0005", "--rounds", "3")
    assert [row.get("printed") for row in by_levels["rows"]] == [1.0, 1.07, None]
    ((_, points),) = line_figures.lines_of(by_levels)[1]
    assert [levels for levels, _ in points] == [0, 3]
    assert (tmp_path / "11" / "figure11.png").stat().st_size > 10_000


def test_what_is_no_figure_is_not_drawn(tmp_path: Path) -> None:
    path = tmp_path / "table8.json"
    path.write_text('{"name": "table8", "rows": []}')
    with pytest.raises(SystemExit, match="holds table8, which is no figure: 9, 10, 11 and table 26 are"):
        gpu_exact_tables.main(["--plot", str(path)])


@pytest.mark.parametrize("words", [("--table", "26"), ("--table", "27"), ("--headline",)], ids=lambda words: words[-1])
def test_other_tables_run(tmp_path: Path, words: tuple[str, ...]) -> None:
    document = run(tmp_path, *words, "--scale", "0.00002", "--rounds", "2")
    assert len(document["rows"]) >= 2
    assert all(row["ms"] > 0 for row in document["rows"])


def test_levels_on_the_papers_shape(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Table 26 has 35 % of Bosch, with the printed gains beside ours."""
    monkeypatch.setattr(speed, "level_choices", lambda _: [("0", {}), ("5", {})])
    rows = run(tmp_path, "--table", "26", "--scale", "0.0006", "--rounds", "2")["rows"]
    assert [row["name"] for row in rows[::2]] == ["600 x 28", "Higgs size", "Bosch size"]
    *dense, without, five = rows
    assert without["rows"] == int(1_065_373 * 0.0006 * 0.35)
    assert without["entries"] == without["rows"] * 194
    assert (without["printed"], five["printed"]) == (1.0, 1.14)
    assert all("printed" not in row for row in dense)


def test_figure_of_rows(tmp_path: Path) -> None:
    document = run(tmp_path, "--figure", "9", "--scale", "0.0001", "--rounds", "2")
    sizes = [row["rows"] for row in document["rows"]]
    assert sizes == sorted(sizes)
    assert sizes[-1] == 1000
    assert gpu_exact_tables.main(["--plot", str(tmp_path / "figure9.json")]) == 0
    assert (tmp_path / "figure9.png").stat().st_size > 10_000


@pytest.fixture
def data_folder(tmp_path: Path) -> Path:
    """Return a folder with a loader of a single data set."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "load.py").write_text(
        "import numpy as np\n"
        "def load(name):\n"
        "    X = np.random.default_rng(0).normal(size=(300, 4))\n"
        "    X[:, 3] = np.floor(abs(X[:, 3]) * 9)\n"
        "    extras = {'task': 'regression', 'categorical': [3]}\n"
        "    return {'california': (X, X[:, 0] * X[:, 1] + X[:, 3] % 3, extras)}[name]\n"
    )
    return folder


def test_accuracy_on_the_sets_that_are_there(tmp_path: Path, data_folder: Path) -> None:
    for table in ("22", "23"):
        out = tmp_path / table
        document = run(out, "--table", table, "--rounds", "3", "--data", str(data_folder), "--peer-rounds", "0")
        (row,) = document["rows"]
        assert row["name"] == "california"
        assert row["rows"] == 270
        assert row["cpu"] == row["device"] < 2.0


def test_printed_metrics_stand_beside_ours(tmp_path: Path) -> None:
    """The paper's data may not be passed on; a set that stands for one has its printed metrics."""
    (tmp_path / "load.py").write_text(
        "import numpy as np\n"
        "def load(name):\n"
        "    X = np.random.default_rng(0).normal(size=(300, 4))\n"
        "    return {'higgs26k': (X, (X[:, 0] > 0) * 1, {'task': 'binary', 'categorical': []})}[name]\n"
    )
    for table, printed in (("22", 0.8426), ("23", 0.8428)):
        out = tmp_path / table
        (row,) = run(out, "--table", table, "--rounds", "2", "--data", str(tmp_path), "--peer-rounds", "0")["rows"]
        assert (row["paper_cpu"], row["paper_device"]) == (0.8426, printed)
        assert row["cpu"] == row["device"] > 0.9


def test_real_sets_equality(tmp_path: Path, data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["--device", "cpu", "--threads", "1", "--out", str(tmp_path), "--data", str(data_folder)]
    assert real_sets_equality.main(words) == 0
    rows = json.loads((tmp_path / "real_sets_equality.json").read_text())["rows"]
    assert {"plain", "sampled", "categories", "categories, sampled"} <= {row["variant"] for row in rows}
    assert len({row["value"] for row in rows}) > 1
    assert real_sets_equality.main([*words, "--method", "hist"]) == 0
    of_hist = json.loads((tmp_path / "real_sets_equality.json").read_text())["rows"]
    assert {"plain", "16 bins", "1024 bins", "by gain", "sampled", "categories"} <= {row["variant"] for row in of_hist}
    # If the device had another model, the command would fail.
    monkeypatch.setattr(real_sets_equality, "variants", lambda *_: [("wrong", {}, {"eta": 0.29})])
    assert real_sets_equality.main(words) == 1


def test_categories(tmp_path: Path) -> None:
    words = ["--device", "cpu", "--threads", "1", "--out", str(tmp_path), "--scale", "0.0005", "--rounds", "3"]
    assert gpu_categories.main(words) == 0
    rows = json.loads((tmp_path / "gpu_categories.json").read_text())["rows"]
    assert max(row["categories"] for row in rows) == 100_000
    assert all(row["equal_bytes"] and row["ms"] > 0 for row in rows)


def test_data_do_not_depend_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shapes, "_BLOCK", 64)
    for make in (
        lambda threads: shapes.dense_binary(200, threads),
        lambda threads: shapes.bosch_size(0.0002, threads),
        lambda threads: shapes.yltr_size(0.0005, threads, "rank:ndcg"),
    ):
        one, three = make(1), make(3)
        assert np.array_equal(one.labels, three.labels)
        assert one.size() == three.size()
        dense = isinstance(one.features, np.ndarray)
        assert np.array_equal(*(p.features if dense else p.features.toarray() for p in (one, three)), equal_nan=True)
        assert one.group is None or one.group.sum() == len(one.labels)
        assert 0 < one.labels.mean() < 2


def test_ncu_output() -> None:
    (name, total), *others = ncu.read_kernels(NCU_CSV.splitlines(keepends=True)).items()
    assert not others
    assert (name, total.launches) == ("ScanKernel", 2)
    assert total.bytes == pytest.approx(4.5e6)
    assert total.seconds == pytest.approx(3e-6)


def test_ncu_output_that_cannot_be_read() -> None:
    with pytest.raises(ValueError, match=r"(?s)no kernel.*permission"):
        ncu.read_kernels(["==ERROR== no permission to read counters\n"])
    with pytest.raises(ValueError, match="'furlong'"):
        ncu.read_kernels(NCU_CSV.replace('"ns"', '"furlong"').splitlines(keepends=True))


@pytest.mark.parametrize(
    ("demangled", "short"),
    [
        ("void kauri::cuda::<unnamed>::ScanKernel(kauri::cuda::SplitTask)", "ScanKernel"),
        ("kauri::cuda::(anonymous namespace)::MarkKernel(int)", "MarkKernel"),
        ("void kauri::cuda::SumLossesKernel<kauri::cuda::Logloss>(kauri::Span<float>)", "SumLossesKernel"),
        ("void cub::CUB_300001_SM_900::DeviceRadixSortOnesweepKernel<int>(int *)", "cub DeviceRadixSortOnesweepKernel"),
        (
            "void cub::CUB_300001_SM_900::detail::for_each::static_kernel<kauri::cuda::Move>(long)",
            "cub static_kernel (Move)",
        ),
    ],
)
def test_kernel_names(demangled: str, short: str) -> None:
    assert ncu.short_name(demangled) == short


def test_roofline_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    driver = SimpleNamespace(copy_bandwidth=lambda: 3e12, name="device")
    monkeypatch.setattr(roofline, "driver_of", lambda _: driver)
    monkeypatch.setattr(roofline, "run_ncu", lambda *_: NCU_CSV.splitlines(keepends=True))
    monkeypatch.setattr(roofline, "CASES", [(1000, 6, 2)])
    row, whole = run(tmp_path, "--roofline")["rows"]
    assert (row["name"], whole["name"]) == ("ScanKernel", "all")
    assert row["of_copy"] == pytest.approx(0.5)
    assert row["bytes_per_entry"] == pytest.approx(4.5e6 / 2 / (1000 * 28 * 6))


def test_line_and_crossover() -> None:
    rows = [1e3, 1e4, 1e5, 1e6]
    intercept, slope, worst = rows_figure.fit_line(rows, [2 + 3e-5 * n for n in rows])
    assert (intercept, slope, worst) == (pytest.approx(2), pytest.approx(3e-5), pytest.approx(0, abs=1e-9))
    flat, rising = [1.0, 1.0, 1.0, 1.0], [0.01, 0.1, 10.0, 100.0]
    assert rows_figure.crossover(rows, flat, rising) == pytest.approx(10**4.5)
    assert rows_figure.crossover(rows, rising, flat) is None
    assert rows_figure.crossover(rows, flat, [2.0] * 4) == 1e3


def test_metrics() -> None:
    sklearn_metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 2, 200).astype(float), rng.integers(0, 20, 200) / 20
    assert metrics.auc(labels, scores) == pytest.approx(sklearn_metrics.roc_auc_score(labels, scores))
    classes, shares = rng.integers(0, 3, 100), rng.dirichlet([1, 1, 1], 100)
    assert metrics.mlogloss(classes, shares) == pytest.approx(sklearn_metrics.log_loss(classes, shares))
    grades, ranks = rng.integers(0, 5, 30).astype(float), rng.permutation(30).astype(float)
    queries = [slice(0, 12), slice(12, 30)]
    expected = np.mean([sklearn_metrics.ndcg_score([2 ** grades[q] - 1], [ranks[q]], k=10) for q in queries])
    assert metrics.ndcg_at_10(grades, ranks, np.array([12, 18])) == pytest.approx(expected)
    assert metrics.ndcg_at_10(np.zeros(3), np.arange(3.0)) == 1.0


def test_row_shows_a_dash_for_what_it_lacks() -> None:
    columns = [("a", "a", "{:.1f}"), ("b", "b", "{}")]
    assert report.markdown_row(columns, {"a": 1.25, "b": None}) == "| 1.2 | - |"


def test_times_beside_busy_processes(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--libraries", "kauri", "--rows", "400", "--rounds", "2", "--repeats", "1", "--parts", "training"]
    assert contended.main([*words, "--busy", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "| library | waiting | training, quiet | training, 1 busy |" in lines
    assert sum(line.startswith("| kauri | ") for line in lines) == 2


def test_table_of_times_beside_busy_processes() -> None:
    found = {"a | default": {"x": [3.0, 9.0, 4.0]}, "a | passive": {"x": [2.0, 1.0, 8.0]}}
    rows = contended.table(found).splitlines()
    assert rows[2:] == ["| a | default | 4.00 (2.00 x) |", "| a | passive | 2.00 |"]
