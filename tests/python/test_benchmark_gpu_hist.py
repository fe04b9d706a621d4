"""gpu_hist.py at toy sizes on the CPU, and its arithmetic."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmark"))
import gpu_hist
from hist_cases.works import UNITS, WORKS, chosen

TOY = ["--device", "cpu", "--rows", "400", "--rounds", "3", "--repeats", "1", "--threads", "1", "--libraries", "kauri"]


def test_a_line_per_work(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(
        "KAURI_DATA", str(tmp_path)
    )  # has no Covertype, of which 400 rows would be left; reading it takes 10 s
    out = tmp_path / "numbers.json"
    names = ["trees", "leaves", "classes", "onehot", "rows1k", "matrix"]
    assert gpu_hist.main([*names, *TOY, "--out", str(out)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sorted(line.split(":")[0] for line in lines) == sorted(names)
    for result in json.loads(out.read_text()):
        answer = result["found"]["kauri"]
        assert len(answer["runs"]) == 1
        assert f"kauri {answer['value']:.3f}"[:8] in " ".join(lines)
        assert result["ratios"] == {}


def test_what_needs_a_device_is_left_out_without_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert gpu_hist.main(["memory", "matrix-device", *TOY]) == 0
    assert capsys.readouterr().out == ""


def test_a_limit_ends_a_process(capsys: pytest.CaptureFixture[str]) -> None:
    assert gpu_hist.main(["trees", *TOY, "--limit", "0.05"]) == 1
    assert "kauri (over 0.05 s)" in capsys.readouterr().out


def test_ratios() -> None:
    found = {"kauri": {"value": 2.0, "construction": 4.0}, "xgboost": {"value": 5.0, "construction": 1.0}}
    assert gpu_hist.ratios(found) == {"value": 2.5, "construction": 0.25}
    assert gpu_hist.ratios({"kauri": {"error": "x"}, "xgboost": {"value": 5.0}}) == {}
    assert gpu_hist.ratios({"kauri": {"value": 0.0}, "xgboost": {"value": 5.0}}) == {}


def test_other_bytes_are_wrong() -> None:
    assert gpu_hist.is_wrong({"kauri": {"value": 1.0, "equal_bytes": False}})
    assert not gpu_hist.is_wrong({"kauri": {"value": 1.0, "equal_bytes": True}, "xgboost": {"error": "x"}})


def test_works() -> None:
    assert all(work.measure in UNITS for work in WORKS.values())
    assert [work.rows for work in chosen(["trees", "rows1k"], {"rows": 7, "depth": None})] == [7, 7]
    assert chosen([], {})[0].depth == 6
    on_one_matrix = {WORKS[name].data_key() for name in ("trees", "depth8", "depth12", "leaves")}
    assert len(on_one_matrix) == 1


def test_unknown_works_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        gpu_hist.main(["treees"])
    assert "there are trees, depth8" in capsys.readouterr().err
