"""The project's files, for the checks beside this one."""

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
    """Whether `path` is a source and neither built nor installed."""
    parts = path.relative_to(ROOT).parts
    return not any(part in {"dist", "__pycache__"} or part.startswith(("build", ".")) for part in parts[:-1])


def cpp_files(*folders: str) -> list[Path]:
    """Every C, C++ and CUDA source below the folders (all folders of the project when none is given)."""
    found = [path for folder in folders or CPP_FOLDERS for path in (ROOT / folder).rglob("*")]
    return sorted(path for path in found if path.suffix in CPP_SUFFIXES and is_ours(path))


def text_files() -> list[Path]:
    """Every text file of the project, data apart."""
    found = (path for path in ROOT.rglob("*") if path.suffix in TEXT_SUFFIXES and is_ours(path))
    kept = (path for path in found if path.is_file() and path.name != ".git")  # which a worktree has as a file
    return sorted(path for path in kept if not relative(path).startswith(DATA))


def code_of(path: Path) -> str:
    """The text without comments and strings; line numbers stay."""

    def blank(match: re.Match[str]) -> str:
        return "\n" * match.group().count("\n")

    return COMMENT_OR_STRING.sub(blank, path.read_text(encoding="utf-8"))


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def matches(pattern: str, files: list[Path], allowed: tuple[str, ...] = ()) -> list[str]:
    """`file:line: text` wherever the pattern stands in code; `allowed` are prefixes of relative paths to leave out."""
    expression = re.compile(pattern)
    return [
        f"{relative(path)}:{number}: {line.strip()}"
        for path in files
        if not relative(path).startswith(allowed or ("\0",))
        for number, line in enumerate(code_of(path).split("\n"), 1)
        if expression.search(line)
    ]
