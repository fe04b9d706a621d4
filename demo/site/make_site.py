"""Builds the site: pages and references; a warning of Sphinx is an error.

usage: make_site.py FOLDER    the site is FOLDER/html; everything else in FOLDER is intermediate files
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from c_reference import c_page
from help_reference import command_line_page, names_page
from pages import stage_pages
from parameter_reference import parameter_page
from python_reference import python_pages

HERE = Path(__file__).resolve().parent


def write_references(folder: Path) -> None:
    """Write the reference pages, which are made from declarations."""
    pages = python_pages()
    pages |= {"parameters": parameter_page(), "names": names_page(), "c": c_page(), "command-line": command_line_page()}
    folder.mkdir(parents=True)
    for name, text in pages.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")


def make_html(folder: Path) -> int:
    """Build FOLDER/html. Returns Sphinx's exit status."""
    for part in ("source", "html", "doctrees"):
        shutil.rmtree(folder / part, ignore_errors=True)
    stage = folder / "source"
    stage_pages(stage)
    write_references(stage / "reference")
    options = ["-b", "html", "-W", "--keep-going", "-q", "-d", str(folder / "doctrees"), "-c", str(HERE)]
    command = [sys.executable, "-m", "sphinx", *options, str(stage), str(folder / "html")]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(make_html(Path(sys.argv[1]).resolve()))
