"""The project's files, for the checks in this folder."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CPP_FOLDERS = ("include", "src", "plugin", "tests", "demo")
CPP_SUFFIXES = {".h", ".cc", ".c", ".cu", ".cuh"}
TEXT_SUFFIXES = CPP_SUFFIXES | {".py", ".md", ".txt", ".cmake", ".json", ".toml", ".ini", ".conf", ".sh", ".in", ""}
DATA = ("demo/data/", "tests/fuzz/corpus/", "tests/fuzz/regressions/")
COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def is_folder_of_ours(name: str) -> bool:
    """Return whether a folder of this name holds sources, neither built nor installed."""
    return name not in {"dist", "__pycache__"} and not name.startswith(("build", "."))


def files_below(folder: Path) -> Iterator[Path]:
    """Yield the files of the project below a folder. Builds and environments, which are far larger, are not entered."""
    for place, folders, names in os.walk(folder):
        folders[:] = filter(is_folder_of_ours, folders)
        yield from (Path(place, name) for name in names)


@cache
def cpp_files(*folders: str) -> list[Path]:
    """Return every C, C++ and CUDA source below the folders (all folders of the project by default)."""
    found = [path for folder in folders or CPP_FOLDERS for path in files_below(ROOT / folder)]
    return sorted(path for path in found if path.suffix in CPP_SUFFIXES)


def python_files(*folders: str) -> list[Path]:
    """Return every Python source below the folders (the whole project by default)."""
    return sorted(path for folder in folders or ("",) for path in files_below(ROOT / folder) if path.suffix == ".py")


def text_files() -> list[Path]:
    """Return every text file of the project except data."""
    found = (path for path in files_below(ROOT) if path.suffix in TEXT_SUFFIXES)
    kept = (path for path in found if path.is_file() and path.name != ".git")  # in a worktree .git is a file
    return sorted(path for path in kept if not relative(path).startswith(DATA))


@cache
def code_of(path: Path) -> str:
    """Return the text without comments and strings; line numbers stay the same."""

    def blank(match: re.Match[str]) -> str:
        return "\n" * match.group().count("\n")

    return COMMENT_OR_STRING.sub(blank, path.read_text(encoding="utf-8"))


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def matches(pattern: str, files: list[Path], allowed: tuple[str, ...] = ()) -> list[str]:
    """Return `file:line: text` for every match in code; `allowed` are prefixes of relative paths to skip."""
    expression = re.compile(pattern)
    return [
        f"{relative(path)}:{number}: {line.strip()}"
        for path in files
        if not relative(path).startswith(allowed or ("\0",)) and expression.search(code_of(path))
        for number, line in enumerate(code_of(path).split("\n"), 1)
        if expression.search(line)
    ]
