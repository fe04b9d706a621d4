"""The demo of explanations runs and draws."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_explanations(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python-package")}
    command = [sys.executable, str(ROOT / "demo" / "explanations.py"), str(tmp_path)]
    out = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    assert len(re.findall(r"^  \w+ and \w+: [+-]\d\.\d{3}$", out, re.MULTILINE)) == 3
    assert len(re.findall(r"^  \w+: [+-]\d\.\d{3}$", out, re.MULTILINE)) == 3
    for name in ("importance", "pairs", "row"):
        assert (tmp_path / f"{name}.png").stat().st_size > 5000
