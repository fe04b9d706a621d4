"""Runs the test in an exported SQL statement in DuckDB or SQLite."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

_MARK = "-- kauri-test "
_TYPES = {
    "duckdb": {"number": "REAL", "text": "VARCHAR", "integer": "BIGINT"},
    "sqlite": {"number": "REAL", "text": "TEXT", "integer": "INTEGER"},
}


class SqlTest(NamedTuple):
    """The statement of a file and its test."""

    statement: str
    columns: list[tuple[str, str]]
    rows: list[list[Any]]
    margins: np.ndarray
    values: np.ndarray


def read_test(path: Path) -> SqlTest:
    """Read a file that `Booster.export` wrote."""
    statement = path.read_text(encoding="utf-8")
    lines = reversed(statement.rstrip("\n").split("\n"))
    last = list(itertools.takewhile(lambda line: line.startswith(_MARK), lines))
    first, *rest = [json.loads(line[len(_MARK) :]) for line in reversed(last)]
    cells = [[_cell(cell, kind) for cell, (_, kind) in zip(row[0], first)] for row in rest]
    margins = np.array([[_number(number) for number in row[1]] for row in rest], np.float32)
    values = np.array([[_number(number) for number in row[2]] for row in rest], np.float32)
    return SqlTest(statement, [tuple(column) for column in first], cells, margins, values)


def run_test(test: SqlTest, connection: Any, dialect: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the margins and values of the test's rows in an empty database."""
    types = _TYPES[dialect]
    columns = [f"{_quoted(name)} {types[kind]}" for name, kind in test.columns]
    connection.execute(f"CREATE TABLE kauri_rows (kauri_number INTEGER, {', '.join(columns)})")
    marks = ", ".join("?" * (len(columns) + 1))
    rows = [[number, *row] for number, row in enumerate(test.rows)]
    connection.executemany(f"INSERT INTO kauri_rows VALUES ({marks})", rows)
    done = connection.execute(test.statement)
    names = [description[0] for description in done.description]
    found = sorted(done.fetchall(), key=lambda row: row[names.index("kauri_number")])
    return _columns(names, found, "kauri_margin"), _columns(names, found, "kauri_value")


def _columns(names: list[str], rows: list[tuple[Any, ...]], prefix: str) -> np.ndarray:
    places = [place for place, name in enumerate(names) if name == prefix or name.startswith(f"{prefix}_")]
    cells = [[math.nan if row[place] is None else float(row[place]) for place in places] for row in rows]
    return np.array(cells, float).astype(np.float32)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _number(cell: Any) -> float:
    return float(cell)


def _cell(cell: Any, kind: str) -> Any:
    return float(cell) if kind == "number" and cell is not None else cell
