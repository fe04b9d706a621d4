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
    assert len(re.findall(r"^  [+-]\d\.\d{3} from \w+, \w+, \w+$", out, re.MULTILINE)) == 3
    for name in ("importance", "pairs", "row"):
        assert (tmp_path / f"{name}.png").stat().st_size > 5000


def test_dependence(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python-package")}
    command = [sys.executable, str(ROOT / "demo" / "dependence.py"), str(tmp_path)]
    out = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    assert re.search(r"^the strongest interaction is of \w+ and \w+$", out, re.MULTILINE)
    assert float(re.findall(r"differ by at most (\S+)", out)[0]) < 1e-5
    for name in ("curve", "pair", "interactions", "effect", "local"):
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


def test_first_model() -> None:
    pytest.importorskip("sklearn")
    pytest.importorskip("pandas")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python-package")}
    command = [sys.executable, str(ROOT / "demo" / "first_model.py")]
    out = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    accuracy = re.findall(r"accuracy on 143 other rows: (\d\.\d+)", out)
    assert float(accuracy[0]) > 0.9
    assert re.search(r"strongest features: [\w ]+ \(\d+%\)", out)


def test_the_last_lines_of_the_quickstart_run(tmp_path: Path) -> None:
    """Run what `demo/quickstart` says to try next, with the Python and the program of the tests."""
    pytest.importorskip("matplotlib")
    build = os.environ.get("KAURI_BUILD_DIR", str(ROOT / "build-test"))
    kauri = Path(build) / "bin" / "kauri"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python-package"), "KAURI_PYTHON": sys.executable}
    script = (ROOT / "demo" / "quickstart").read_text()
    lines = re.findall(r'^  "(\.venv/bin/.*)"', script[script.index('heading "Try next"') :], re.MULTILINE)
    assert len(lines) == 3
    model = tmp_path / "model.json"
    subprocess.run([kauri, "demo/cli/breast_cancer.conf", f"model_out={model}"], cwd=ROOT, check=True)
    for line in lines:
        for name, value in {
            ".venv/bin/kauri": str(kauri),
            ".venv/bin/python": sys.executable,
            "$model": str(model),
            "$out": str(tmp_path),
        }.items():
            line = line.replace(name, value)
        subprocess.run(["bash", "-c", line], cwd=ROOT, check=True, env=environment)
    assert (tmp_path / "report.html").stat().st_size > 10000
    assert (tmp_path / "row.png").exists()
