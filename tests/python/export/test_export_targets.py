"""Exports in every language, run here: the tests that they carry, and rows that they have not seen."""

from __future__ import annotations

import ctypes
import json
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import export_models as models
import kauriboost as kb
import numpy as np
import pytest
from kauriboost import forests
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


def scored(booster: kb.Booster, folder: Path, target: str, table: models.pd.DataFrame) -> models.pd.DataFrame:
    """Return what the statement for a database makes of a table."""
    booster.export(folder / "model.sql", target)
    statement = (folder / "model.sql").read_text()
    if target == "duckdb":
        with duckdb.connect() as connection:
            connection.register("kauri_rows", table)
            done = connection.execute(statement)
            return models.pd.DataFrame(done.fetchall(), columns=[column[0] for column in done.description])
    with closing(sqlite3.connect(":memory:")) as connection:
        table.to_sql("kauri_rows", connection, index=False)
        done = connection.execute(statement)
        return models.pd.DataFrame(done.fetchall(), columns=[column[0] for column in done.description])


def margins_by_row(found: models.pd.DataFrame) -> np.ndarray:
    """Return the margins in the order of the table."""
    return found.sort_values("kauri_row")["kauri_margin"].to_numpy(np.float32)


@pytest.mark.parametrize("target", ["duckdb", "sqlite"])
def test_sql_adds_columns_to_a_table_of_names(target: str, folder: Path) -> None:
    booster = models.model("categories")
    rows = models.frame(500)
    found = scored(booster, folder, target, rows.astype({"city": object, "zone": "Int64"}))
    assert list(found.columns) == ["kauri_row", "a", "b", "c", "city", "zone", "kauri_margin", "kauri_value"]
    assert (margins_by_row(found) == booster.predict(kb.DMatrix(rows), output_margin=True)).all()


@pytest.mark.parametrize("target", ["duckdb", "sqlite"])
@pytest.mark.parametrize("name", ["kauri_row", "KAURI_ROW"])
def test_sql_scores_the_result_of_an_earlier_statement(name: str, target: str, folder: Path) -> None:
    booster = models.model("categories")
    rows = models.frame(50)
    table = rows.astype({"city": object, "zone": "Int64"}).assign(number=np.arange(50))
    table[name] = [*range(48, 0, -1), 1, 1]
    found = scored(booster, folder, target, table)
    assert found["number"].tolist() == list(range(50))
    assert found.columns[0] == "kauri_row"
    assert found.iloc[:, 0].tolist() == list(range(1, 51))
    assert found.iloc[:, 7].tolist() == table[name].tolist()
    expected = booster.predict(kb.DMatrix(rows), output_margin=True)
    assert (found["kauri_margin"].to_numpy(np.float32) == expected).all()


@pytest.mark.parametrize(
    ("target", "error"), [("duckdb", duckdb.BinderException), ("sqlite", sqlite3.OperationalError)]
)
def test_sql_misses_a_column(target: str, error: type[Exception], folder: Path) -> None:
    table = models.frame(5).astype({"city": object, "zone": "Int64"}).drop(columns="c")
    with pytest.raises(error, match=r"(no such column|does not have a column named).*c"):
        scored(models.model("categories"), folder, target, table)


@pytest.mark.parametrize("target", ["duckdb", "sqlite"])
@pytest.mark.parametrize("name", ["Kauri_row", "B"])
def test_sql_refuses_names_that_a_table_cannot_have_twice(name: str, target: str, folder: Path) -> None:
    booster = kb.Booster(model_file=models.model("exact").save_raw())
    booster.feature_names = ["a", "b", name, "d", "e"]
    with pytest.raises(kb.ParameterError, match=f"would not find the column '{name}'"):
        booster.export(folder / "model.sql", target)
    booster.export(folder / "model.sql", "postgresql")


@pytest.mark.parametrize("name", models.CATEGORICAL)
def test_sqlite_reads_texts_as_numbers(name: str, folder: Path) -> None:
    booster = models.model(name)
    rows = models.frame(100)
    if name == "refused":
        rows = models.frame()
    texts = models.pd.DataFrame({column: [repr(value) for value in rows[column].tolist()] for column in "abc"})
    missing = ["", "nan", "NaN", " \tNAN\r", " "]
    for column in "abc":
        gaps = np.flatnonzero(rows[column].isna())
        texts.loc[gaps, column] = [missing[i % len(missing)] for i in range(len(gaps))]
    texts["a"] = " " + texts["a"] + "\r"
    texts["city"] = rows["city"].astype(object).fillna("")
    texts["zone"] = rows["zone"].astype(str)
    found = scored(booster, folder, "sqlite", texts)
    assert (margins_by_row(found) == booster.predict(kb.DMatrix(rows), output_margin=True)).all()


def test_sqlite_reads_texts_as_categories_without_names(folder: Path) -> None:
    codes = np.random.default_rng(4).integers(0, 6, (300, 1)).astype(np.float32)
    data = kb.DMatrix(codes, codes[:, 0] % 3, feature_types=["c"], feature_names=["code"])
    booster = kb.train({"max_depth": 3, "nthread": 1}, data, 4)
    cells = ["3", " 5.75 ", "0", "", "nan", "-1", "99999999", "1e0", "9007199254740993"]
    values = np.array([[3], [5.75], [0], [np.nan], [np.nan], [-1], [99999999], [1], [2**53]], np.float32)
    expected = booster.predict(kb.DMatrix(values, feature_types=["c"], feature_names=["code"]), output_margin=True)
    found = scored(booster, folder, "sqlite", models.pd.DataFrame({"code": cells}))
    assert (margins_by_row(found) == expected).all()


@pytest.mark.parametrize("cell", ["12abc", "0x10", "none", "1,5"])
@pytest.mark.parametrize("column", ["a", "zone"])
def test_sqlite_refuses_other_texts(column: str, cell: str, folder: Path) -> None:
    table = models.frame(3).astype({"a": object, "city": object, "zone": object})
    table.loc[1, column] = cell
    with pytest.raises(sqlite3.OperationalError, match=f"column {column} has a text that is no number: {cell}"):
        scored(models.model("categories"), folder, "sqlite", table)
    assert "any other text is an error" in (folder / "model.sql").read_text()


def test_sqlite_keeps_categories_that_look_missing(folder: Path) -> None:
    names = ["", "NaN", "Paris"]
    random = np.random.default_rng(6).integers(0, 3, 90)
    rows = models.pd.DataFrame({"city": models.pd.Categorical.from_codes(random, names)})
    booster = kb.train({"max_depth": 3, "nthread": 1}, kb.DMatrix(rows, random), 4)
    found = scored(booster, folder, "sqlite", rows.astype(object))
    assert (margins_by_row(found) == booster.predict(kb.DMatrix(rows), output_margin=True)).all()


def test_a_wrong_c_file_fails_its_test(folder: Path) -> None:
    path = folder / "model.c"
    models.model("binary:logistic").export(path)
    right = path.read_text()
    for before, after in [("!(value < kauri", "!(value <= kauri"), ("return (kauri_flags", "return !(kauri_flags")]:
        assert right.count(before) == 1
        path.write_text(right.replace(before, after))
        with pytest.raises(kb.ModelError, match="test rows differ"):
            check_export(path, "c")


def test_a_wrong_statement_fails_its_test(folder: Path) -> None:
    path = folder / "model.sql"
    models.model("binary:logistic").export(path, "sqlite")
    path.write_text(path.read_text().replace(" >= ", " > "))
    with pytest.raises(kb.ModelError, match="test rows differ; row"):
        check_export(path, "sqlite")


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
        ("model.txt", None, "give target= one of c, duckdb, postgresql, sqlite, onnx, wasm_source, wasm \\("),
        ("model.tl", "treelite", "Treelite reads Kauri's model files itself: save .*load_xgboost_model"),
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


def test_sql_refuses_what_databases_do_not_parse(folder: Path) -> None:
    booster = kb.Booster(model_file=models.model("exact").save_raw())
    booster.feature_names = ["a", "b", "c", "d", ""]
    booster.export(folder / "model.c")
    with pytest.raises(kb.ParameterError, match="empty name"):
        booster.export(folder / "model.sql", "sqlite")
    nodes = np.arange(241)
    inner = (nodes % 2 == 0) & (nodes < 240)  # node 2 k has a leaf on its left and the rest of the chain on its right
    chain = forests.ForestTree(
        left=np.where(inner, nodes + 1, -1),
        right=np.where(inner, nodes + 2, -1),
        feature=np.zeros(241, int),
        threshold=nodes.astype(np.float32),
        default_left=inner,
        values=nodes * 0.5,
        cover=np.ones(241),
    )
    deep = forests.from_trees([chain], 1)
    with pytest.raises(kb.ParameterError, match="more than 100 levels"):
        deep.export(folder / "model.sql", "duckdb")
    with pytest.raises(kb.ParameterError, match="more than 14 levels"):
        deep.export(folder / "model.sql", "sqlite")
    said = deep.export(folder / "deep.c", test=True)
    assert said is not None
    assert " 0 of " in said


@pytest.mark.parametrize(("target", "most"), [("sqlite", 1999), ("postgresql", 1600)])
def test_sql_refuses_more_columns_than_a_result_may_have(target: str, most: int, folder: Path) -> None:
    for n_columns in (most - 3, most - 2):
        tree = forests.ForestTree(
            left=np.array([1, -1, -1]),
            right=np.array([2, -1, -1]),
            feature=np.array([n_columns - 1, 0, 0]),
            threshold=np.array([0.5, 0, 0], np.float32),
            default_left=np.array([True, False, False]),
            values=np.array([0.0, 1, 2]),
            cover=np.array([2.0, 1, 1]),
        )
        booster = forests.from_trees([tree], n_columns)
        if n_columns == most - 3:
            booster.export(folder / "model.sql", target)
            if target == "sqlite":
                assert " 0 of " in check_export(folder / "model.sql", target)
        else:
            words = f"would have {most + 1} columns: .* takes at most {most}; train"
            with pytest.raises(kb.ParameterError, match=words):
                booster.export(folder / "model.sql", target)


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


def test_bytes_do_not_depend_on_threads(folder: Path) -> None:
    booster = models.model("categories")
    for target in ("c", "onnx", "duckdb", "wasm_source"):
        texts = []
        for threads in (1, 3):
            booster.set_param({"nthread": threads})
            booster.export(folder / "model", target)
            texts.append((folder / "model").read_bytes())
        assert texts[0] == texts[1]
