"""nvforest_compare.py: a line for each kind of rows, and an error when the predictions differ."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import kauriboost as kb
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmark"))
import nvforest_compare

WORDS = ["--device", "cpu", "--rows", "300", "--rounds", "2", "--repeats", "1", "--depths", "3"]


class Peer:
    """A model of nvForest, reduced to the members that the script uses."""

    layout = "depth_first"
    default_chunk_size = 1

    def __init__(self, path: Path, error: float) -> None:
        self.booster = kb.Booster(model_file=path)
        self.error = error

    def optimize(self, data: Any, timeout: float) -> Peer:
        return self

    def predict(self, rows: np.ndarray) -> np.ndarray:
        return self.booster.inplace_predict(rows).reshape(-1, 1) + np.float32(self.error)


def install(monkeypatch: pytest.MonkeyPatch, error: float) -> None:
    module: Any = ModuleType("nvforest")
    module.load_model = lambda path, model_type, device: Peer(path, error)
    monkeypatch.setitem(sys.modules, "nvforest", module)


def test_every_kind_of_rows_has_a_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    install(monkeypatch, 0.0)
    nvforest_compare.main(WORDS)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(", ")[2].split(":")[0] for line in lines] == ["300 rows of the host", "1 one row of the host"]
    assert all("ratio" in line and "nvForest" in line for line in lines)


def test_predictions_that_differ_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, 0.5)
    with pytest.raises(AssertionError, match="Not equal"):
        nvforest_compare.main(WORDS)


def test_rows_of_the_device_are_brought_home() -> None:
    there = SimpleNamespace(get=lambda: np.ones((2, 1), np.float32))
    np.testing.assert_array_equal(nvforest_compare.on_host(there), [1, 1])
