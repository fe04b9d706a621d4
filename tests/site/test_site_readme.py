"""The front page: short, its example prints what it shows, and its chart has the recorded figures."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import blocks
import pages
import pytest
from blocks import ROOT

README = ROOT / "README.md"
DRAW = ROOT / "demo" / "pictures" / "draw.py"


def words_before_first_import(text: str) -> int:
    """Words of prose; code, comments and pictures are none."""
    before = text[: text.index("import kauriboost")]
    for left_out in (r"<!--.*?-->", r"```sh\n.*?```", r"!\[.*?\]\(.*?\)", r"```python\n"):
        before = re.sub(left_out, "", before, flags=re.DOTALL)
    return len(re.findall(r"[\w.']+", before))


def test_it_is_short() -> None:
    text = README.read_text(encoding="utf-8")
    assert text.count("\n") <= 100
    assert words_before_first_import(text) <= 100


def test_it_shows_what_its_example_prints(ran: Path) -> None:
    shown = [block.code for block in blocks.blocks_of(README) if block.language == "text"]
    assert len(shown) == 1
    assert shown[0] in (ran / "README.log").read_text()


def test_its_example_is_the_model_of_its_picture() -> None:
    (example,) = [block.code for block in blocks.blocks_of(README) if block.language == "python"]
    (model,) = re.findall(r"kb\.KauriClassifier\(.*?\)", example)
    assert model in DRAW.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def draw() -> ModuleType:
    pytest.importorskip("matplotlib")
    spec = importlib.util.spec_from_file_location("draw", DRAW)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["draw"] = module  # where dataclasses look for the names of annotations
    spec.loader.exec_module(module)
    return module


def test_the_chart_has_the_recorded_figures(draw: ModuleType) -> None:
    page = ROOT / "tests" / "benchmark" / "README.md"
    drawn = [*draw.TRAINING, *draw.EXPLAINING]
    assert len(drawn) == 8
    for figure in drawn:
        section = pages.Source(page, figure.section).text()
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in section.split("\n")]
        numbers = [figure.kauri, figure.xgboost, *([figure.lightgbm] if figure.lightgbm else [])]
        found = [row for row in rows if row[:1] == [figure.row] and is_in_order(numbers, row)]
        assert found, f"{page} has no row '{figure.row}' with {numbers}"


def is_in_order(numbers: list[str], row: list[str]) -> bool:
    """Whether the cells, between others, have these numbers one after the other."""
    return any(row[begin : begin + len(numbers)] == numbers for begin in range(len(row)))


def test_its_pictures_can_be_drawn_again(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(DRAW), str(tmp_path)], check=True, timeout=120)
    shown = [match["path"] for match in pages.LINK.finditer(README.read_text()) if match["text"].startswith("!")]
    assert sorted(Path(path).name for path in shown) == sorted(path.name for path in tmp_path.iterdir())
    for path in shown:
        assert (ROOT / path).stat().st_size > 5000
        assert (tmp_path / Path(path).name).stat().st_size > 5000
