"""Exports in every language, run here: the tests that they carry, and rows that they have not seen."""

from __future__ import annotations

import ctypes
import json
import shutil
import subprocess
from pathlib import Path

import export_models as models
import kauriboost as kb
import numpy as np
import pytest
from kauriboost._binding.library import LIB, check
from kauriboost._binding.text import config, encode
from kauriboost._export.check import check_export, ulps

duckdb = pytest.importorskip("duckdb")
onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("wasmtime")
pytest.importorskip("ziglang")

FILES = {"c": "model.c", "duckdb": "model.sql", "sqlite": "model.sql", "onnx": "model.onnx", "wasm": "model.wasm"}
ON_ONE_TARGET_ALONE = {"c", "wasm"}  # slow compilers: few models here, all of them in tests/benchmark/export_targets.py
FEW = [
    "binary:logistic",
    "binary:exponential",
    "softmax",
    "vector leaves",
    "dart",
    "expectiles",
    "missing",
    "awkward names",
    "stump",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def names_for(target: str) -> list[str]:
    """Return the models that a target is tested on."""
    return FEW[:3] if target == "wasm" else FEW if target in ON_ONE_TARGET_ALONE else models.NAMES


@pytest.mark.parametrize(
    ("target", "name"), [(target, name) for target in FILES for name in names_for(target)], ids=str
)
def test_each_file_passes_its_own_test(target: str, name: str, folder: Path) -> None:
    path = folder / FILES[target]
    if (target, name) == ("onnx", "refused"):
        with pytest.raises(kb.ParameterError, match="ONNX cannot refuse a row"):
            models.model(name).export(path)
        assert not path.exists()
        return
    models.model(name).export(path, target)
    said = check_export(path, target)
    assert "0 test rows differ" in said or " 0 of " in said
    if target in ("duckdb", "onnx"):
        count = said.partition(" 0 of ")[2].split()[0]
        assert f"({count} with the same bits)" in said


def shared_library(booster: kb.Booster, folder: Path) -> ctypes.CDLL:
    """Return the exported C file as a library."""
    source, library = folder / "model.c", folder / "model.so"
    booster.export(source)
    strict = ["-std=c99", "-pedantic", "-Wall", "-Werror", "-O2", "-shared", "-fPIC"]
    subprocess.run(["cc", *strict, "-o", library, source], check=True)
    return ctypes.CDLL(str(library))


def c_results(library: ctypes.CDLL, rows: np.ndarray, function: str, width: int) -> np.ndarray:
    """Return what a function of the C file writes for each row."""
    rows = np.ascontiguousarray(rows, np.float32)
    out = np.empty((len(rows), width), np.float32)
    call = getattr(library, function)
    call.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    for row in range(len(rows)):
        assert call(rows[row].ctypes.data, out[row].ctypes.data) == 0
    return out


@pytest.mark.parametrize("name", ["softprob", "quantiles", "one by one", "ordered"])
def test_c_and_onnx_have_the_bits_of_new_rows(name: str, folder: Path) -> None:
    booster = models.model(name)
    random = np.random.default_rng(5)
    rows = random.normal(size=(3000, 5)).astype(np.float32)
    rows[random.random(rows.shape) < 0.2] = np.nan
    if name in models.CATEGORICAL:
        rows[:, 3] = random.integers(-1, 45, 3000)
        rows[:, 4] = random.integers(0, 4, 3000)
    types = ["q", "q", "q", "c", "c"] if name in models.CATEGORICAL else None
    data = kb.DMatrix(rows, feature_types=types, feature_names=booster.feature_names)
    margins = booster.predict(data, output_margin=True).reshape(3000, -1)
    values = booster.predict(data).reshape(3000, -1)
    library = shared_library(booster, folder)
    assert (c_results(library, rows, "kauri_margins", margins.shape[1]) == margins).all()
    assert (c_results(library, rows, "kauri_predict", values.shape[1]) == values).all()
    booster.export(folder / "model.onnx")
    session = onnxruntime.InferenceSession((folder / "model.onnx").read_bytes())
    found = session.run(["margins", "values"], {"rows": rows})
    assert (found[0] == margins).all()
    assert ulps(found[1], values).max() <= 1


def test_a_wrong_c_file_fails_its_test(folder: Path) -> None:
    path = folder / "model.c"
    models.model("binary:logistic").export(path)
    right = path.read_text()
    for before, after in [("!(value < kauri", "!(value <= kauri"), ("return (kauri_flags", "return !(kauri_flags")]:
        assert right.count(before) == 1
        path.write_text(right.replace(before, after))
        with pytest.raises(kb.ModelError, match="test rows differ"):
            check_export(path, "c")


def test_names_of_c_are_those_of_the_model(folder: Path) -> None:
    booster = models.model("awkward names")
    library = shared_library(booster, folder)
    names = (ctypes.c_char_p * 5).in_dll(library, "kauri_column_names")
    assert [name.decode() for name in names] == booster.feature_names
    library.kauri_category.restype = ctypes.c_float
    categories = booster.get_categories()[booster.feature_names[3]]
    for number, name in enumerate(categories):
        assert library.kauri_category(3, name.encode()) == number
    assert library.kauri_category(3, b"never seen") == -1


def test_a_refused_category_is_reported_by_its_column(folder: Path) -> None:
    library = shared_library(models.model("refused"), folder)
    row = np.array([0, 0, 0, 99, 0], np.float32)
    out = np.zeros(1, np.float32)
    library.kauri_margins.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    assert library.kauri_margins(row.ctypes.data, out.ctypes.data) == 4


def test_labels_of_onnx_are_names_of_classes(folder: Path) -> None:
    rows = models.numbers()
    label = np.where(models.signal(rows) > 0, "big", "small")
    estimator = kb.KauriClassifier(n_estimators=5, max_depth=3).fit(rows, label)
    estimator.export(folder / "model.onnx")
    session = onnxruntime.InferenceSession((folder / "model.onnx").read_bytes())
    assert (session.run(["label"], {"rows": rows})[0] == estimator.predict(rows)).all()


def test_an_estimator_exports_the_rounds_that_it_predicts_with(folder: Path) -> None:
    rows = models.numbers(2000)
    target = models.signal(rows) + np.random.default_rng(3).normal(size=2000)
    estimator = kb.KauriRegressor(n_estimators=200, learning_rate=0.5, early_stopping_rounds=3, random_state=0)
    estimator.fit(rows, target)
    assert estimator.best_iteration + 1 < estimator.get_booster().num_boosted_rounds()
    estimator.export(folder / "model.onnx")
    session = onnxruntime.InferenceSession((folder / "model.onnx").read_bytes())
    assert (session.run(["values"], {"rows": rows})[0][:, 0] == estimator.predict(rows)).all()


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js")
def test_javascript_loads_the_module(folder: Path) -> None:
    booster = models.model("awkward names")
    booster.export(folder / "model.wasm")
    rows = models.frame(names=[f"{text} {i}" for i in range(3) for text in models.AWKWARD_NAMES])
    rows.columns = booster.feature_names
    cells = rows.head(20).astype({booster.feature_names[3]: object, booster.feature_names[4]: "Int64"})
    (folder / "rows.json").write_text(cells.to_json(orient="values", double_precision=15))
    (folder / "run.mjs").write_text(
        "import { readFileSync } from 'node:fs';\nimport { loadModel } from './model.mjs';\n"
        "const model = await loadModel();\nif (model.test() !== 0) throw new Error('test');\n"
        "const rows = JSON.parse(readFileSync('rows.json'));\n"
        "console.log(JSON.stringify(rows.map((row) => model.margins(row)[0])));\n"
    )
    done = subprocess.run(["node", "run.mjs"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    expected = booster.predict(kb.DMatrix(rows.head(20)), output_margin=True)
    assert (np.array(json.loads(done.stdout), np.float32) == expected).all()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"booster": "gblinear"}, "booster=gblinear has none"),
        ({"linear_tree": True}, "linear leaves"),
        ({"categorical_encoding": "ordered", "ordered_combination": 2}, "combinations of categories"),
    ],
)
def test_what_no_target_can_express_is_refused(change: dict, words: str, folder: Path) -> None:
    rows = models.numbers() if "categorical_encoding" not in change else models.frame()
    label = models.signal(models.numbers())
    if "categorical_encoding" in change:
        label = (rows["city"].cat.codes % 2 == rows["zone"].cat.codes % 2).to_numpy(float)
    booster = kb.train({"nthread": 1, "max_depth": 3, **change}, kb.DMatrix(rows, label), 10)
    (folder / "model.c").write_text("old")
    with pytest.raises(kb.ParameterError, match=words):
        booster.export(folder / "model.c")
    assert (folder / "model.c").read_text() == "old"


@pytest.mark.parametrize(
    ("file", "target", "words"),
    [
        ("model.sql", None, "fits several targets; give target= one of duckdb, postgresql, sqlite \\("),
        ("model.txt", None, "one of c, duckdb, postgresql, sqlite, onnx, wasm_source, treelite_source, wasm, treelite"),
        ("model.tl", "treelit", "did you mean 'treelite'"),
        ("model.c", "sqlit", "did you mean 'sqlite'"),
    ],
)
def test_targets_are_named(file: str, target: str | None, words: str, folder: Path) -> None:
    with pytest.raises(kb.ParameterError, match=words):
        models.model("stump").export(folder / file, target)


def test_webassembly_is_compiled_by_the_package_alone(folder: Path) -> None:
    handle = models.model("stump").handle
    for target in (None, "wasm"):
        with pytest.raises(kb.ParameterError, match=r"target=wasm needs a compiler.*target=wasm_source writes"):
            check(LIB.KauriBoosterExport(handle, encode(folder / "model.wasm"), config(target=target)))


def test_a_value_for_missing_data_is_named(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    X = np.random.default_rng(0).normal(size=(60, 2))
    X[::5, 0] = -9
    fitted = kb.KauriRegressor(missing=-9, n_estimators=2).fit(X, X[:, 1])
    for model in (fitted, fitted.get_booster(), fitted.get_booster()[:1]):
        caplog.clear()
        model.export(folder / "missing.c")
        assert "trained with missing=-9" in caplog.text


@pytest.mark.parametrize("ending", ["json", "ubj"])
def test_treelite_reads_the_model_file(ending: str, folder: Path) -> None:
    treelite = pytest.importorskip("treelite")
    booster = models.model("binary:logistic")
    booster.save_model(folder / f"model.{ending}")
    read = treelite.frontend.load_xgboost_model(str(folder / f"model.{ending}"))
    rows = models.numbers(1000)
    leaves = treelite.gtil.predict_leaf(read, rows)
    assert (leaves == booster.predict(kb.DMatrix(rows), pred_leaf=True)).all()
    margins = treelite.gtil.predict(read, rows, pred_margin=True).reshape(-1)
    np.testing.assert_allclose(margins, booster.predict(kb.DMatrix(rows), output_margin=True), rtol=0, atol=2e-6)


def test_every_objective_is_exported_here() -> None:
    with pytest.raises(kb.ParameterError, match="Known: ") as problem:
        kb.train({"objective": "reg:none"}, kb.DMatrix(models.numbers(), np.zeros(models.N_ROWS)), 1)
    known = str(problem.value).partition("Known: ")[2].partition(". ")[0].rstrip(".").split(", ")
    objectives = [*models.OBJECTIVES, *(settings.get("objective") for _, settings in models.SPECIAL.values())]
    others = {"survival:aft", "rank:ndcg"}  # in models.SINGLE
    as_ndcg = {"rank:pairwise", "rank:map"}  # the margin is the prediction, as of rank:ndcg
    assert len(known) > 20
    refused = {name for name in known if name.startswith("dist:")}  # whole distributions
    assert not set(known) - set(objectives) - others - as_ndcg - refused


def test_distributions_are_refused(folder: Path) -> None:
    rows = kb.DMatrix(models.numbers(), np.arange(1.0, models.N_ROWS + 1))
    booster = kb.train({"objective": "dist:normal"}, rows, 1)
    for name in ("model.c", "model.onnx", "model.wasm"):
        with pytest.raises(kb.KauriError, match="dist:normal"):
            booster.export(folder / name)
        assert not (folder / name).exists()


def test_bytes_do_not_depend_on_threads(folder: Path) -> None:
    booster = models.model("categories")
    for target in ("c", "onnx", "duckdb", "wasm_source", "treelite_source"):
        texts = []
        for threads in (1, 3):
            booster.set_param({"nthread": threads})
            booster.export(folder / "model", target)
            texts.append((folder / "model").read_bytes())
        assert texts[0] == texts[1]
