"""Source files of the site's pages, and conversion of links between files to links between pages.

Pages are Markdown files that people also read in the repository, so their links name files, relative to the page. The
site is built from a flat copy of the pages, where such a link names another page, or a file of the project to download.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from blocks import FENCE, GUIDE, ROOT

PICTURES = ROOT / "demo" / "pictures"
LINK = re.compile(r"(?P<text>!?\[(?:[^\[\]]|\[[^\]]*\])*\])\((?P<path>[^()#\s:]*)(?P<anchor>#[^()\s]*)?\)")


@dataclass(frozen=True)
class Source:
    """A file, or one section of it, by its heading."""

    path: Path
    section: str = ""

    def text(self) -> str:
        """Return the Markdown; a section's heading becomes the title. Raises ValueError if the section is missing."""
        text = self.path.read_text(encoding="utf-8")
        if not self.section:
            return text
        found = re.search(rf"^#(# {re.escape(self.section)}\n.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
        if found is None:
            raise ValueError(f"{self.path} has no section '{self.section}'")
        return found[1]

    def address(self) -> tuple[Path, str]:
        """Return the file and the anchor that a link to this source names."""
        return self.path, f"#{anchor_of(self.section)}" if self.section else ""


# Pages that stand elsewhere in the project, by their names on the site.
ELSEWHERE = {
    "beside-xgboost": Source(ROOT / "python-package" / "README.md", "Beside XGBoost"),
    "changes": Source(ROOT / "CHANGELOG.md"),
    "from-c": Source(ROOT / "demo" / "c-api" / "README.md"),
    "inside": Source(ROOT / "src" / "README.md"),
    "many-workers": Source(ROOT / "demo" / "dask" / "README.md"),
}


# Notes for engineers; the site has a page of results instead.
FIGURES = ROOT / "tests" / "benchmark" / "README.md"
# Pages that only the site has: section of demo/guide/reference.md -> page and anchor.
REFERENCE = GUIDE / "reference.md"
MADE = {
    "": "reference/parameters.md",
    "#parameters": "reference/parameters.md",
    "#objectives-and-metrics": "reference/names.md",
    "#python": "reference/python-training.md",
    "#c": "reference/c.md",
    "#command-line": "reference/command-line.md",
    "#keys-of-data": "reference/command-line.md#keys-of-data",
}


def anchor_of(heading: str) -> str:
    """Return the anchor of a heading, as repositories and the site make it."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def sources() -> dict[str, Source]:
    """Return the name on the site -> source of every page."""
    guide = {path.relative_to(GUIDE).with_suffix("").as_posix(): Source(path) for path in sorted(GUIDE.rglob("*.md"))}
    return ELSEWHERE | {name: source for name, source in guide.items() if source.path != REFERENCE}


def pages_to_run() -> dict[str, Path]:
    """Return name -> file of all files with blocks to run: whole pages, and files of which the site shows sections."""
    whole = {name: source.path for name, source in sources().items() if not source.section}
    whole["figures"] = FIGURES
    return whole | {
        "README": ROOT / "README.md",
        "reference": REFERENCE,
        "python-package": ROOT / "python-package" / "README.md",
    }


def outside_of_code(text: str, change: Callable[[re.Match[str]], str]) -> str:
    """Return the text with its links changed, except in code blocks."""
    parts, end = [], 0
    for fence in FENCE.finditer(text):
        parts += [LINK.sub(change, text[end : fence.start()]), fence.group()]
        end = fence.end()
    return "".join([*parts, LINK.sub(change, text[end:])])


def staged(source: Source, stage: Path) -> str:
    """Return the text of a page with the site's links. Raises ValueError for a link to a missing file."""
    names = {other.address(): name for name, other in sources().items()}

    def link(match: re.Match[str]) -> str:
        anchor = match["anchor"] or ""
        target = (source.path.parent / match["path"]).resolve() if match["path"] else source.path
        if match["text"].startswith("!"):
            return f"{match['text']}(pictures/{target.name})"
        if target == FIGURES:
            return f"{match['text']}(results.md)"
        if target == REFERENCE:
            return f"{match['text']}({MADE[anchor]})"
        if (target, anchor) in names and anchor:
            to, anchor = f"{names[target, anchor]}.md", ""
        elif target == source.path:
            to = ""
        elif (target, "") in names:
            to = f"{names[target, '']}.md"
        elif target.is_file():
            to, anchor = os.path.relpath(target, stage), ""
        else:
            raise ValueError(f"{source.path}: the link to {match['path']} leads to no file")
        return f"{match['text']}({to}{anchor})"

    return outside_of_code(source.text(), link)


def stage_pages(stage: Path) -> None:
    """Write every page into the folder."""
    stage.mkdir(parents=True)
    for name, source in sources().items():
        (stage / f"{name}.md").write_text(staged(source, stage), encoding="utf-8")
    shutil.copytree(PICTURES, stage / "pictures", ignore=shutil.ignore_patterns("*.py"))


def pictures(source: Source) -> list[str]:
    """Return the names of the files in demo/pictures that a page shows."""
    return [Path(match["path"]).name for match in LINK.finditer(source.text()) if match["text"].startswith("!")]
