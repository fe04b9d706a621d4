"""The reading order of src/README.md: its files exist, once each, and a person can read them in an afternoon."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lint_sources import ROOT

PAGE = ROOT / "src" / "README.md"
ITEM = re.compile(r"^(\d+)\. `([\w/.]+)`: \S.*\.$")
MOST_FILES, MOST_LINES = 40, 8000


def path_of(name: str) -> Path | None:
    return next((ROOT / top / name for top in ("src", "plugin", "include") if (ROOT / top / name).is_file()), None)


def items_of(page: str) -> list[tuple[int, str]]:
    """Return the number and the file of each item below the heading, whose sentence ends on the same line."""
    section = page.split("## The spine", 1)[1].split("\n## ", 1)[0]
    numbered = [line for line in section.split("\n") if re.match(r"\d+\. ", line)]
    matches = [ITEM.match(line) for line in numbered]
    assert all(matches), [line for line, match in zip(numbered, matches, strict=True) if not match]
    return [(int(match[1]), match[2]) for match in matches if match]


def test_the_spine_is_there_and_short() -> None:
    items = items_of(PAGE.read_text(encoding="utf-8"))
    names = [name for _, name in items]
    assert [number for number, _ in items] == list(range(1, len(items) + 1))
    assert len(names) == len(set(names)) <= MOST_FILES
    missing = [name for name in names if path_of(name) is None]
    assert not missing, f"{missing}: name the files that took their place"
    lines = sum(path.read_text(encoding="utf-8").count("\n") for name in names if (path := path_of(name)))
    assert lines <= MOST_LINES, f"the spine has {lines} lines"


def test_an_item_without_a_sentence_is_seen() -> None:
    with pytest.raises(AssertionError, match=r"c\.h"):
        items_of("## The spine\n\n1. `a/b.h`: the first file.\n2. `c.h`\n")
