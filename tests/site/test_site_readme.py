"""The front page is short, and its example prints what it shows; charts have the recorded figures, pictures are new."""

from __future__ import annotations

import importlib.util
import re
import shutil
import sys
from pathlib import Path
from types import ModuleType

import blocks
import numpy as np
import pages
import pytest
from blocks import ROOT
from PIL import Image

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
    (example,) = [block for block in blocks.blocks_of(README) if block.language == "python"]
    assert example.output is not None
    assert example.output in (ran / "README.log").read_text()


def test_its_example_is_the_model_of_its_picture() -> None:
    (example,) = [block.code for block in blocks.blocks_of(README) if block.language == "python"]
    (model,) = re.findall(r"kb\.fit_best\(.*?\)", example)
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
    drawn = [*draw.TRAINING, *draw.EXPLAINING, *draw.ON_DEVICE]
    assert len(drawn) == 13
    for figure in drawn:
        section = pages.Source(page, figure.section).text()
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in section.split("\n")]
        found = [row for row in rows if row[:1] == [figure.row] and is_in_order(figure.cells(), row)]
        assert found, f"{page} has no row '{figure.row}' with {figure.cells()}"


def test_the_chart_of_quality_has_the_recorded_losses(draw: ModuleType) -> None:
    section = pages.Source(ROOT / "tests" / "benchmark" / "README.md", "The same quality").text()
    lines = section[section.index(f"### {draw.QUALITY}\n") :].split("\n")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    assert len(draw.CHOOSING) + len(draw.CONFIRMING) == 19
    for losses in [*draw.CHOOSING, *draw.CONFIRMING]:
        numbers = [losses.best, losses.lightgbm, losses.catboost]
        assert any(row[:1] == [losses.row] and is_in_order(numbers, row) for row in rows), losses


def is_in_order(numbers: list[str], row: list[str]) -> bool:
    """Whether the cells, between others, have these numbers one after the other."""
    return any(row[begin : begin + len(numbers)] == numbers for begin in range(len(row)))


def test_the_charts_can_be_drawn_again(tmp_path: Path, draw: ModuleType) -> None:
    draw.draw_front(tmp_path)
    drawn = {path.name for path in tmp_path.iterdir()}
    shown = {
        Path(match["path"]).name for match in pages.LINK.finditer(README.read_text()) if match["text"].startswith("!")
    }
    assert {"speed.svg", "explanation.png"} == shown
    assert drawn == draw.FRONT - {"report.png"}
    for name in drawn:
        assert (pages.PICTURES / name).stat().st_size > 5000
        assert (tmp_path / name).stat().st_size > 5000


@pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no Chromium")
def test_the_picture_of_the_report_can_be_drawn_again(tmp_path: Path, draw: ModuleType) -> None:
    draw.draw_report(tmp_path / "report.png")
    assert np.abs(seen(tmp_path / "report.png") - seen(pages.PICTURES / "report.png")).max() < 20


def seen(path: Path) -> np.ndarray:
    """Return a picture as a few hundred grey values, as one sees it from afar."""
    with Image.open(path) as image:
        return np.asarray(image.convert("L").resize((24, 16), Image.Resampling.BOX), dtype=float)


def test_pictures_of_the_guide_are_those_that_its_blocks_draw(ran: Path, draw: ModuleType) -> None:
    shown = {
        (name, at) for name, source in pages.sources().items() for at in pages.pictures(source) if at not in draw.FRONT
    }
    assert {at for _, at in shown} == {path.name for path in pages.PICTURES.glob("*.*g")} - draw.FRONT
    for page, name in shown:
        difference = np.abs(seen(pages.PICTURES / name) - seen(ran / page / name)).max()
        assert difference < 20, f"{name} is out of date: run demo/pictures/draw.py"
        assert (pages.PICTURES / name).stat().st_size < 100_000


def test_every_picture_that_a_page_shows_is_there() -> None:
    for path in (ROOT / "demo" / "guide").glob("*.md"):
        for match in pages.LINK.finditer(path.read_text(encoding="utf-8")):
            if match["text"].startswith("!"):
                assert (path.parent / match["path"]).is_file(), f"{path.name}: {match['path']}"
                assert len(match["text"]) > 20, f"{path.name}: {match['path']} needs words for those who do not see it"
