"""The SQL statement for PostgreSQL, run by a server that the test starts."""

from __future__ import annotations

import csv
import io
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import export_models as models
import numpy as np
import pytest
from kauriboost._export.check import ulps
from kauriboost._export.sql import read_test

FOLDERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
TYPES = {"number": "REAL", "text": "TEXT", "integer": "BIGINT"}
pytestmark = pytest.mark.skipif(
    not FOLDERS or shutil.which("psql") is None or shutil.which("runuser") is None, reason="there is no PostgreSQL"
)


@pytest.fixture(scope="module")
def run() -> Iterator[Callable[[str], list[dict[str, str]]]]:
    """Return a function that runs statements and returns the rows of the last result."""
    as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []  # the server refuses root
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if as_user:
            shutil.chown(folder, "postgres")
        control = [*as_user, FOLDERS[-1] / "pg_ctl", "-D", folder / "data", "-w", "-s"]
        subprocess.run([*control, "init", "-o", "-A trust -U kauri -E UTF8 -N"], check=True, cwd=folder)
        options = f"-k {folder} -h '' -c fsync=off"
        subprocess.run([*control, "start", "-o", options, "-l", folder / "log"], check=True, cwd=folder)
        psql = ["psql", "-X", "-q", "--csv", "-v", "ON_ERROR_STOP=1", "-h", name, "-U", "kauri", "postgres"]

        def query(text: str) -> list[dict[str, str]]:
            done = subprocess.run(psql, input=text, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            return list(csv.DictReader(io.StringIO(done.stdout)))

        try:
            yield query
        finally:
            subprocess.run([*control, "stop", "-m", "immediate"], check=True, cwd=folder)


def literal(cell: Any) -> str:
    return "NULL" if cell is None else "'" + str(cell).replace("'", "''") + "'"


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@pytest.mark.parametrize(
    "name", ["binary:logistic", "softprob", "quantiles", "expectiles", "vector leaves", "refused", "awkward names"]
)
def test_postgresql_passes_the_test_of_the_file(name: str, run: Callable[[str], list], tmp_path: Path) -> None:
    models.model(name).export(tmp_path / "model.sql", "postgresql")
    test = read_test(tmp_path / "model.sql")
    columns = ", ".join(f"{quoted(column)} {TYPES[kind]}" for column, kind in test.columns)
    rows = ", ".join(f"({', '.join(map(literal, [i, *row]))})" for i, row in enumerate(test.rows))
    found = run(
        f"DROP TABLE IF EXISTS kauri_rows; CREATE TABLE kauri_rows (kauri_number INTEGER, {columns});\n"
        f"INSERT INTO kauri_rows VALUES {rows};\n{test.statement}"
    )
    found.sort(key=lambda row: int(row["kauri_number"]))
    for prefix, expected in (("kauri_margin", test.margins), ("kauri_value", test.values)):
        cells = [[float(cell) for key, cell in row.items() if key.startswith(prefix)] for row in found]
        distance = ulps(np.array(cells, np.float32), expected)
        assert distance.max() <= (0 if prefix == "kauri_margin" else 4)
