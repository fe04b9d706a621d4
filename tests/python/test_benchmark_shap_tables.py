"""The tables of the SHAP benchmarks for small models on the CPU, and their counts."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmark"))
import kauriboost as kb
import shap_tables
from paper_tables import model_file, ncu, packing, shap_entrants, shap_figures, shap_models, shap_roofline

LOADER = """
import numpy as np

def load(name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    y = X[:, 0] + X[:, 1] * X[:, 2] > 0
    sets = {
        "california": (X[:150], X[:150, 0] * X[:150, 1], {"task": "regression"}),
        "covtype": (X, np.arange(200) % 3, {"task": "multiclass"}),
        "adult": (X[:150], y[:150], {"task": "binary", "X_test": X[150:], "y_test": y[150:]}),
    }
    if name not in sets:
        raise FileNotFoundError(name)
    return sets[name]
"""


@pytest.fixture
def run(tmp_path: Path):
    """Return a function that runs one command of shap_tables.py on the CPU and returns its JSON file."""
    (tmp_path / "load.py").write_text(LOADER)

    def call(*words: str, peers: bool = False) -> dict:
        out = tmp_path / words[0].strip("-") / words[1]
        where = ["--data", str(tmp_path), "--models", str(tmp_path / "models"), "--out", str(out)]
        rest = ["--device", "cpu", "--threads", "1", "--seconds", "0.5"] + ([] if peers else ["--no-peers"])
        assert shap_tables.main([*filter(None, words), *where, *rest]) == 0
        (path,) = out.glob("*.json")
        return json.loads(path.read_text())

    return call


def test_models_are_the_paper_s_and_are_kept(run) -> None:
    names = ["covtype-small", "cal_housing-small", "adult-small", "fashion_mnist-small"]
    rows = {row["name"]: row for row in run("--table", "3", "--only", *names)["rows"]}
    assert list(rows) == names[:3]  # the loader lacks the fourth
    assert rows["covtype-small"]["trees"] == 40  # labels 1 to 3: four classes, the first of them empty
    assert rows["cal_housing-small"]["trees"] == 10
    assert all(row["depth"] == 3 and row["train_s"] is not None for row in rows.values())
    again = run("--table", "3", "--only", *names)["rows"]
    assert all(row["train_s"] is None and row["leaves"] == rows[row["name"]]["leaves"] for row in again)


def test_a_training_cut_short_says_so(run) -> None:
    (row,) = run("--table", "3", "--only", "adult-med", "--train-seconds", "0")["rows"]
    assert row["trees_text"] == "1 (cut short)"


def test_packing_table(run) -> None:
    rows = run("--table", "5", "--only", "covtype-small", "adult-small")["rows"]
    assert len(rows) == 8
    assert all(0 < row["utilisation"] <= 1 for row in rows)


def test_packing_times_come_from_the_library_s_program(run, tmp_path: Path) -> None:
    """A script replaces packing_bench: a bin for each path, for all methods; its counts are compared."""
    bench = tmp_path / "bench"
    bench.write_text("#!/bin/sh\nfor way in none nf ffd bfd; do echo $way 0.25 $(wc -c < $1) 0.1; done\n")
    bench.chmod(0o755)
    sizes = np.full(40, 3, dtype=np.uint8)
    assert packing.library_packings(bench, sizes)["nf"] == (0.25, 40)
    with pytest.raises(AssertionError):
        run("--table", "5", "--only", "adult-small", "--packing-bench", str(bench))
    (path,) = (tmp_path / "table" / "5").glob("*.json")
    rows = {row["packing"]: row for row in json.loads(path.read_text())["rows"]}
    assert rows["none"]["packing_s"] == 0.25
    assert rows["none"]["right"] is True
    assert rows["bfd"]["right"] is False


@pytest.mark.parametrize(("table", "rows"), [("6", "40"), ("7", "8")])
def test_speed_tables(run, monkeypatch: pytest.MonkeyPatch, table: str, rows: str) -> None:
    """Compare only with XGBoost, because importing the shap package takes seconds."""
    pytest.importorskip("xgboost")
    monkeypatch.setattr(shap_entrants, "optional", lambda name: sys.modules.get(name) if name == "xgboost" else None)
    for row in run("--table", table, "--rows", rows, "--only", "covtype-small", "adult-small", peers=True)["rows"]:
        assert {"cpu_treeshap", "xgboost"} <= set(row["errors"])
        assert 0 < row["error"] < 1e-5
        assert row["right"] is True


def test_a_wrong_result_fails(run, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = shap_entrants.Entrant("xgboost", lambda rows: lambda: np.ones((len(rows), 5)))
    monkeypatch.setattr(shap_entrants, "optional", lambda name: sys if name == "xgboost" else None)
    monkeypatch.setattr(shap_entrants, "xgboost_entrant", lambda *_: wrong)
    with pytest.raises(AssertionError):
        run("--table", "6", "--rows", "8", "--only", "adult-small", peers=True)


def test_figures(run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shap_figures, "MODEL", "cal_housing-small")
    assert [row["rows"] for row in run("--figure", "4", "--rows", "10")["rows"]] == [1, 3, 10]
    assert run("--figure", "5", "--rows", "50")["rows"][0]["rate"] > 0
    assert run("--figure", "6", "--rows", "50")["rows"][0]["threads"] == 1
    path = next((tmp_path / "figure").glob("4/*.json"))
    assert shap_tables.main(["--plot", str(path)]) == 0
    assert path.with_suffix(".png").stat().st_size > 10_000


@pytest.fixture(scope="module")
def deep_model() -> kb.Booster:
    rng = np.random.default_rng(1)
    features = rng.normal(size=(400, 5)).astype(np.float32)
    params = {"max_depth": 7, "tree_method": "hist", "min_child_weight": 0}
    return kb.train(params, kb.DMatrix(features, features[:, 0] * features[:, 1]), 4, verbose_eval=False)


def test_counts_of_a_model_file(deep_model: kb.Booster) -> None:
    """Compare with the dump, traversed recursively."""
    sizes: list[int] = []

    def walk(node: dict, above: frozenset) -> int:
        if "leaf" in node:
            sizes.append(len(above) + 1)
            return 0
        return 1 + max(walk(child, above | {node["split"]}) for child in node["children"])

    depth = max(walk(json.loads(tree), frozenset()) for tree in deep_model.get_dump(dump_format="json"))
    shape = model_file.shape_of(deep_model.save_raw("ubj"))
    assert (shape.trees, shape.depth, shape.leaves) == (4, depth, len(sizes))
    assert sorted(shape.path_sizes) == sorted(sizes)
    assert shape.tree_leaves.sum() == shape.leaves
    assert depth == 7
    assert max(sizes) < 7  # five features: some occur twice on a path


def naive_bins(sizes: np.ndarray, best: bool) -> int:
    """Pack item by item: into the first bin with room, or the fullest one."""
    rooms: list[int] = []
    for size in sorted(sizes.tolist(), reverse=True):
        fitting = [i for i, room in enumerate(rooms) if room >= size]
        if not fitting:
            rooms.append(packing.WARP - size)
        else:
            rooms[min(fitting, key=lambda i: rooms[i]) if best else fitting[0]] -= size
    return len(rooms)


@pytest.mark.parametrize("largest", [4, 9, 17, 32])
def test_packing(largest: int) -> None:
    rng = np.random.default_rng(largest)
    for _ in range(20):
        sizes = rng.integers(1, largest + 1, rng.integers(1, 200)).astype(np.uint8)
        assert packing.bins_first_fit_decreasing(sizes) == naive_bins(sizes, best=False)
        assert packing.bins_best_fit_decreasing(sizes) == naive_bins(sizes, best=True)
        assert packing.bins_best_fit_decreasing(sizes) <= packing.bins_next_fit(sizes) <= packing.bins_none(sizes)
    assert packing.bins_next_fit(np.array([20, 20, 12, 1])) == 3
    assert packing.utilisation(np.array([16, 16, 16]), 2) == 0.75


def test_measuring_takes_fewer_rows_when_time_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(10_000))
    every_call_a_second = SimpleNamespace(perf_counter=lambda: float(next(clock)))
    monkeypatch.setattr(shap_entrants, "time", every_call_a_second)
    rows = np.zeros((1000, 2))
    slow = shap_entrants.Entrant("x", lambda part: lambda: part, leaf_factor=2.0, rounds=3)
    measured, result = shap_entrants.measure(slow, rows, 3.0)
    assert (measured.rows, len(result), measured.repeats) == (16, 16, 3)
    assert measured.seconds == 1000 / 16 * 2
    assert measured.text == "125 [16, 3 rounds]"
    measured, _ = shap_entrants.measure(slow, rows, 0.2)
    assert measured.repeats == 1
    fast = shap_entrants.Entrant("x", lambda part: lambda: part)
    # less than a quarter of the limit, so all rows are used
    assert shap_entrants.measure(fast, rows, 5.0)[0].text == "1"
    whole = shap_entrants.Entrant("x", lambda part: lambda: part, scaled=False)
    assert shap_entrants.measure(whole, rows, 2.0)[0].text == "1"


def test_errors_leave_out_a_lacking_bias() -> None:
    reference = np.arange(24.0).reshape(2, 3, 4)
    assert shap_entrants.error_against(reference, reference[:1, :, :3] + 1, 1) == pytest.approx(1 / 10)
    pairs = np.arange(32.0).reshape(2, 4, 4)
    assert shap_entrants.error_against(pairs, pairs[:, :3, :3], 2) == 0
    assert shap_entrants.as_xgboost(np.zeros((5, 3, 2)), 1).shape == (5, 2, 3)
    assert shap_entrants.as_xgboost(np.zeros((5, 3, 3)), 2).shape == (5, 3, 3)


def test_rounds_within_a_number_of_leaves() -> None:
    shape = model_file.Shape(6, 60, 3, np.full(6, 10), np.zeros(60, dtype=np.uint8))
    model = shap_models.TrainedModel("x", Path(), shape, 3, 3, np.zeros((1, 1)), None)
    assert [model.rounds_within(leaves) for leaves in (np.inf, 60, 59, 5)] == [3, 3, 2, 1]


def test_roofline(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two multiprocessors in 1000 cycles have 8,000 instruction slots and 2,000 wavefronts; 1 us at 2 TB/s is 2 MB."""
    driver = SimpleNamespace(copy_bandwidth=lambda: 2e12, multiprocessors=lambda: 2, name="device")
    monkeypatch.setattr(shap_roofline, "driver_of", lambda _: driver)
    sums = {ncu.SECONDS: 1e-6, ncu.BYTES: 5e5, "sm__cycles_elapsed.max": 1000.0}
    sums |= {"smsp__inst_executed.sum": 2000.0, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum": 200.0}
    monkeypatch.setattr(shap_roofline, "run_ncu", lambda *_: [])
    tiny = ncu.KernelTotal(3, {name: value / 1000 for name, value in sums.items()})
    totals = {"Large": ncu.KernelTotal(1, sums), "Tiny": tiny, "Other": tiny}
    monkeypatch.setattr(shap_roofline, "read_kernels", lambda _: totals)
    rows = run("--roofline", "", "--only", "adult-small", "--rows", "50")["rows"]
    assert [row["kernel"] for row in rows] == ["Large", "others"] * 3
    row, others = rows[:2]
    assert (row["of_issue"], row["of_shared"], row["of_copy"]) == pytest.approx((0.25, 0.1, 0.25))
    assert row["instructions"] == pytest.approx(32 * 2000 / row["work"])
    assert (others["launches"], others["megabytes"]) == (6, pytest.approx(0.001))
