"""The page on the papers: every command that it names exists, knows the table or figure, and has a test."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "demo" / "guide" / "papers.md"
COMMAND = re.compile(r"`([\w/]+\.py)((?: --\w[\w-]*(?: \d+)?)*)`((?:, `--\w+ \d+`)*)")
OPTION = re.compile(r"--(\w[\w-]*)(?: (\d+))?")


def tables() -> list[list[list[str]]]:
    """Return the page's tables: rows of cells, without their heads."""
    found = [
        block.splitlines() for block in re.findall(r"(?:^\|.*\n)+", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    return [[[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]] for lines in found]


def commands() -> dict[str, set[tuple[str, str]]]:
    """Return the options, with their numbers, of each script."""
    found: dict[str, set[tuple[str, str]]] = {}
    _, results, every = tables()
    for cells in [*results, *every]:
        cell = cells[-1] if cells in results else cells[-2]
        match = COMMAND.fullmatch(cell)
        assert match, f"no command: {cell!r}"
        found.setdefault(match[1], set()).update(OPTION.findall(match[2] + match[3]))
    return found


def test_every_figure_has_a_command() -> None:
    _, results, _ = tables()
    assert len(results) > 20
    assert {len(cells) for cells in results} == {6}
    assert all(cells[4] for cells in results)  # the machine


@pytest.mark.parametrize("script", sorted(commands()))
def test_commands_know_what_the_page_asks_for(script: str) -> None:
    path = ROOT / "tests" / "benchmark" / script
    done = subprocess.run([sys.executable, str(path), "--help"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for option, number in commands()[script]:
        choices = re.search(rf"--{option}[ \[]*\{{([\d,]+)\}}", done.stdout)
        assert choices, f"{script} --help does not list --{option}"
        assert number in choices[1].split(","), f"{script} has no --{option} {number}"


def test_every_command_has_a_test() -> None:
    *_, every = tables()
    assert {cells[-1].strip("`") for cells in every} >= {"test_benchmark_sketch_tables.py", "test_benchmark_tables.py"}
    for cells in every:
        text = (ROOT / "tests" / "python" / cells[-1].strip("`")).read_text(encoding="utf-8")
        script = COMMAND.fullmatch(cells[-2])
        assert script
        assert f"import {Path(script[1]).stem}" in text or f"{Path(script[1]).stem}.main" in text
    assert set(commands()) <= {COMMAND.fullmatch(cells[-2])[1] for cells in every}
