"""The project's files, for the checks in this folder."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CPP_FOLDERS = ("include", "src", "plugin", "tests", "demo")
CPP_SUFFIXES = {".h", ".cc", ".c", ".cu", ".cuh"}
TEXT_SUFFIXES = CPP_SUFFIXES | {".py", ".md", ".txt", ".cmake", ".json", ".toml", ".ini", ".conf", ".sh", ".in", ""}
DATA = ("demo/data/", "tests/fuzz/corpus/", "tests/fuzz/regressions/")
COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def is_ours(path: Path) -> bool:
    """Return whether `path` is a source, neither built nor installed."""
    parts = path.relative_to(ROOT).parts
    return not any(part in {"dist", "__pycache__"} or part.startswith(("build", ".")) for part in parts[:-1])


def cpp_files(*folders: str) -> list[Path]:
    """Return every C, C++ and CUDA source below the folders (all folders of the project by default)."""
    found = [path for folder in folders or CPP_FOLDERS for path in (ROOT / folder).rglob("*")]
    return sorted(path for path in found if path.suffix in CPP_SUFFIXES and is_ours(path))


def text_files() -> list[Path]:
    """Return every text file of the project except data."""
    found = (path for path in ROOT.rglob("*") if path.suffix in TEXT_SUFFIXES and is_ours(path))
    kept = (path for path in found if path.is_file() and path.name != ".git")  # in a worktree .git is a file
    return sorted(path for path in kept if not relative(path).startswith(DATA))


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
        if not relative(path).startswith(allowed or ("\0",))
        for number, line in enumerate(code_of(path).split("\n"), 1)
        if expression.search(line)
    ]
