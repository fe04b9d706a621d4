"""device_rows.py: its commands exist, fit into five minutes, and say what was not measured."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).resolve().parents[1] / "benchmark"
sys.path.insert(0, str(BENCHMARK))
import device_rows  # noqa: E402
import shap_tables  # noqa: E402


def test_the_commands_take_five_minutes_at_most() -> None:
    assert sum(step.seconds for step in device_rows.STEPS) <= 300


def test_the_commands_exist(capsys: pytest.CaptureFixture[str]) -> None:
    assert device_rows.main(["--show", "--build", "B", "--data", "D"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(device_rows.STEPS)
    for step in device_rows.STEPS:
        script, *words = step.words
        assert (BENCHMARK / script).is_file()
        if script == "shap_tables.py":
            assert shap_tables.make_parser().parse_args([*words, "--data", "D"]).only == ["fashion_mnist-large"]


def test_what_fails_or_takes_too_long_is_not_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "wait.py").write_text("import sys, time\nprint('began', flush=True)\ntime.sleep(float(sys.argv[1]))\n")
    (tmp_path / "fail.py").write_text("raise SystemExit('error: there is no device')\n")
    monkeypatch.setattr(device_rows, "HERE", tmp_path)
    monkeypatch.setenv("KAURI_DATA", "data")
    steps = [
        device_rows.Step("quick", 60, ("wait.py", "0")),
        device_rows.Step("slow", 1, ("wait.py", "60")),
        device_rows.Step("wrong", 60, ("fail.py",)),
    ]
    assert device_rows.main([], (steps[0],)) == 0
    assert device_rows.main([], tuple(steps)) == 1
    printed = capfd.readouterr()
    assert "== measured" in printed.out
    assert "not measured: it took longer than 1 s" in printed.out
    assert "not measured: status 1" in printed.out
    assert "no device" in printed.err
