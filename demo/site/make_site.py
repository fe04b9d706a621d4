"""Builds the site: pages, references, pictures; a warning of Sphinx is an error.

usage: make_site.py FOLDER    the site is FOLDER/html; everything else in FOLDER is on the way to it
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from c_reference import c_page
from help_reference import command_line_page, names_page
from pages import pictures, sources, stage_pages
from parameter_reference import parameter_page
from python_reference import python_pages

HERE = Path(__file__).resolve().parent


def write_references(folder: Path) -> None:
    """What is made of declarations."""
    pages = python_pages()
    pages |= {"parameters": parameter_page(), "names": names_page(), "c": c_page(), "command-line": command_line_page()}
    folder.mkdir(parents=True)
    for name, text in pages.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")


def draw_pictures(work: Path, stage: Path) -> None:
    """Let the blocks of each page that shows pictures draw them."""
    for name, source in sources().items():
        if not pictures(source):
            continue
        folder = work / name
        folder.mkdir(parents=True)
        command = [sys.executable, str(HERE / "run_page.py"), str(source.path), str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"the blocks of {source.path} failed:\n{done.stdout}{done.stderr}")
        for picture in pictures(source):
            shutil.copy(folder / picture, stage / picture)


def main(folder: Path) -> int:
    for part in ("source", "work", "html", "doctrees"):
        shutil.rmtree(folder / part, ignore_errors=True)
    stage = folder / "source"
    stage_pages(stage)
    write_references(stage / "reference")
    draw_pictures(folder / "work", stage)
    options = ["-b", "html", "-W", "--keep-going", "-q", "-d", str(folder / "doctrees"), "-c", str(HERE)]
    return subprocess.run(
        [sys.executable, "-m", "sphinx", *options, str(stage), str(folder / "html")], check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
