"""The SQL statements of exports: tables of names, texts and many columns, and what databases do not parse."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import export_models as models
import kauriboost as kb
import numpy as np
import pytest
from kauriboost import forests
from kauriboost._export.check import check_export

duckdb = pytest.importorskip("duckdb")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


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


def test_a_wrong_statement_fails_its_test(folder: Path) -> None:
    path = folder / "model.sql"
    models.model("binary:logistic").export(path, "sqlite")
    path.write_text(path.read_text().replace(" >= ", " > "))
    with pytest.raises(kb.ModelError, match="test rows differ; row"):
        check_export(path, "sqlite")


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
