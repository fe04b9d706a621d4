"""NCCL from Python packages, which the plug-in finds after it is loaded."""

from __future__ import annotations

import importlib.machinery
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kauriboost._binding import nccl


@pytest.fixture(autouse=True)
def _ask_anew() -> Iterator[None]:
    nccl.provide_nccl.cache_clear()
    yield
    nccl.provide_nccl.cache_clear()


def pretend(monkeypatch: pytest.MonkeyPatch, folder: Path | None) -> list[str]:
    """Pretend that the package is in a folder, or missing; return the libraries that are loaded."""
    loaded: list[str] = []

    def find_spec(name: str) -> Any:
        assert name == "nvidia.nccl"
        if folder is None:
            raise ModuleNotFoundError(name)
        spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [str(folder)]
        return spec

    monkeypatch.setattr(nccl.importlib.util, "find_spec", find_spec)
    monkeypatch.setattr(nccl.ctypes, "CDLL", loaded.append)
    return loaded


def test_it_is_loaded_from_the_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    file = tmp_path / "lib" / "libnccl.so.2"
    file.touch()
    loaded = pretend(monkeypatch, tmp_path)
    assert nccl.provide_nccl() == file
    assert nccl.provide_nccl() == file
    assert loaded == [str(file)]


@pytest.mark.parametrize("is_there", [False, True], ids=["no package", "no library in it"])
def test_nothing_is_loaded_without_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, is_there: bool) -> None:
    loaded = pretend(monkeypatch, tmp_path if is_there else None)
    assert nccl.provide_nccl() is None
    assert loaded == []
