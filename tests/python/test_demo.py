"""The demos of explanations run and draw plots."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_explanations(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python-package")}
    command = [sys.executable, str(ROOT / "demo" / "explanations.py"), str(tmp_path)]
    out = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    assert len(re.findall(r"^  \w+ and \w+: [+-]\d\.\d{3}$", out, re.MULTILINE)) == 3
    assert len(re.findall(r"^  \w+: [+-]\d\.\d{3}$", out, re.MULTILINE)) == 3
    for name in ("importance", "pairs", "row"):
        assert (tmp_path / f"{name}.png").stat().st_size > 5000


def test_any_model(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    pytest.importorskip("pandas")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python-package")}
    command = [sys.executable, str(ROOT / "demo" / "explain_any_model.py"), str(tmp_path)]
    out = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    assert len(re.findall(r"^  \w+: [+-]\d\.\d{3} \+- \d\.\d{3}$", out, re.MULTILINE)) == 6
    assert "(exact, 8 sets)" in out
    before, after = map(float, re.findall(r"mean loss from (\d\.\d\d) to (\d\.\d\d)", out)[0])
    assert after < 0.2 < before
    for name in ("function", "loss"):
        assert (tmp_path / f"{name}.png").stat().st_size > 5000
