"""Locates the package and the library in the checkout; small problems used by several tests."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import IO, Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python-package"))
os.environ.setdefault("KAURI_LIBRARY", str(ROOT / "build" / "lib" / "libkauri.so"))


@pytest.fixture(scope="session")
def binary() -> tuple[np.ndarray, np.ndarray]:
    """Return six features, every tenth value missing; the label depends on three of them."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(600, 6)).astype(np.float32)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(scale=0.3, size=600) > 0).astype(np.float32)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


@pytest.fixture(scope="session")
def regression() -> tuple[np.ndarray, np.ndarray]:
    """Return five features without missing values, and labels."""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(500, 5)).astype(np.float32)
    y = (2 * X[:, 0] - X[:, 1] ** 2 + rng.normal(scale=0.2, size=500)).astype(np.float32)
    return X, y


@pytest.fixture(scope="session")
def multiclass() -> tuple[np.ndarray, np.ndarray]:
    """Return a problem with three classes."""
    rng = np.random.default_rng(9)
    X = rng.normal(size=(450, 4)).astype(np.float32)
    return X, np.digitize(X[:, 0] + 0.5 * X[:, 1], [-0.5, 0.5]).astype(np.float32)


@pytest.fixture
def xgboost_on_kauri(tmp_path: Path) -> Path:
    """Return a folder with XGBoost's Python files and our library under its name."""
    source = Path(pytest.importorskip("xgboost").__file__).parent
    shutil.copytree(source, tmp_path / "xgboost", ignore=shutil.ignore_patterns("lib", "__pycache__"))
    (tmp_path / "xgboost" / "lib").mkdir()
    (tmp_path / "xgboost" / "lib" / "libxgboost.so").symlink_to(Path(os.environ["KAURI_LIBRARY"]).resolve())
    return tmp_path


@pytest.fixture
def unrendered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep Matplotlib from rendering figures, which takes most of the time of a report, for tests of a page's texts.

    All plots are made, but their files are empty.
    """
    figure = pytest.importorskip("matplotlib.figure").Figure

    def save(self: Any, file: IO[bytes], **how: Any) -> None:
        file.write(b"<svg/>")

    monkeypatch.setattr(figure, "savefig", save)
