"""whole_calls.py: every way from arrays to a model has a line with its times."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmark"))
import whole_calls


def test_every_way_has_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    whole_calls.main(["--device", "cpu", "--rows", "300", "--rounds", "2", "--repeats", "1", "--xgboost"])
    lines = capsys.readouterr().out.splitlines()
    times = {
        line.split(", ", 1)[1].rsplit(":", 1)[0]: len(re.findall(r"\d+", line.rsplit(":", 1)[1])) for line in lines
    }
    assert times == {
        "DMatrix": 3,
        "QuantileDMatrix": 3,
        "fit, labels of float32": 1,
        "fit, labels of int64": 1,
        "XGBoost, DMatrix": 3,
        "XGBoost, QuantileDMatrix": 3,
        "inplace_predict": 1,
    }
