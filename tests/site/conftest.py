"""The pages, run and built once for all tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "demo" / "site"
sys.path[:0] = [str(SITE), str(ROOT / "python-package")]
os.environ.setdefault("KAURI_BUILD_DIR", str(ROOT / "build"))
os.environ.setdefault("KAURI_LIBRARY", str(ROOT / "build" / "lib" / "libkauri.so"))
os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "python-package"), os.environ.get("PYTHONPATH", "")])


@pytest.fixture(scope="session")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the output of each page's blocks, and NAME.log with the result of each block."""
    folder = tmp_path_factory.mktemp("ran")
    command = [sys.executable, str(SITE / "run_pages.py"), str(folder)]
    subprocess.run(command, check=False, timeout=1200, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return folder


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the HTML."""
    pytest.importorskip("sphinx")
    from make_site import make_html

    folder = tmp_path_factory.mktemp("site")
    assert make_html(folder) == 0, "Sphinx has warnings or errors; they stand above"
    return folder / "html"
