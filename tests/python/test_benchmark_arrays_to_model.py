"""arrays_to_model.py: a line of times and losses for each size and way, within the budget."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmark"))
import arrays_to_model


def run(path: Path, *words: str) -> list[dict]:
    common = ["--device", "cpu", "--rounds", "3", "--repeats", "1", "--shapes", "6", "255-leaves", "--out", str(path)]
    assert arrays_to_model.main([*common, *words]) == 0
    return json.loads(path.read_text())


def test_every_size_and_way_has_its_times(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = run(tmp_path / "cells.json", "--rows", "400", "3000", "--large", "3000")
    ways = {"Kauri, DMatrix", "Kauri, QuantileDMatrix", "XGBoost, QuantileDMatrix"}
    assert {(cell["rows"], cell["way"], cell["shape"]) for cell in cells} == {
        (rows, way, shape) for rows in (400, 3000) for way in ways for shape in ("6", "255-leaves")
    }
    assert all(cell["seconds"] > 0 and 0 < cell["loss"] < 0.7 for cell in cells)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "| rows | way | 6 | 255-leaves | losses |"
    assert len(lines) == 2 + 2 * len(ways)
    assert all(line.count("|") == 6 for line in lines)


def test_what_would_exceed_the_budget_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = run(tmp_path / "cells.json", "--rows", "400", "800", "--large", "1", "--budget", "0", "--libraries")
    assert all(cell["error"] == "-" for cell in cells if "seconds" not in cell)
    assert "| - | - |" in capsys.readouterr().out


def test_a_worse_model_is_reported() -> None:
    table = arrays_to_model.Table(argparse.Namespace(device="cpu", budget=1.0), {})
    table.cells = [
        {"way": "XGBoost, QuantileDMatrix", "shape": "6", "rows": 9, "loss": 0.5},
        {"way": "Kauri, DMatrix", "shape": "6", "rows": 9, "loss": 0.505},
        {"way": "Kauri, QuantileDMatrix", "shape": "6", "rows": 9, "loss": 0.52},
        {"way": "Kauri, DMatrix", "shape": "8", "rows": 9, "loss": 0.9},
    ]
    assert [cell["loss"] for cell in table.worse()] == [0.52]
