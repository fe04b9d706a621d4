"""clang-format, clang-tidy and ruff on all files."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from lint_sources import ROOT, cpp_files, relative


def output_of(*command: str | Path) -> tuple[int, str]:
    done = subprocess.run([str(part) for part in command], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def require(tool: str) -> str:
    path = shutil.which(tool)
    assert path, f"{tool} is missing; tests/run installs it"
    return path


def test_clang_format() -> None:
    _, output = output_of(require("clang-format"), "--dry-run", *cpp_files())
    wrong = {line.removeprefix(f"{ROOT}/").split(":")[0] for line in output.splitlines() if "-Wclang-format" in line}
    assert not wrong, "run clang-format -i on:\n" + "\n".join(sorted(wrong))


def compile_database(folder: Path) -> dict[Path, str]:
    """Configure a build without unity files; return the command of each file, with paths relative to the checkout."""
    done = subprocess.run(["cmake", "--preset", "release", "-B", folder], cwd=ROOT, text=True, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return {
        Path(entry["file"]): entry["command"].replace(str(folder), "").replace(str(ROOT), "")
        for entry in json.loads((folder / "compile_commands.json").read_text())
    }


GCC_ONLY = ("--extra-arg=-Wno-unknown-warning-option",)  # clang reads the options of GCC builds


@functools.cache
def headers_of(path: Path) -> frozenset[Path]:
    """Return the project's headers that a file includes, directly or indirectly."""
    names = re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE)
    found = {ROOT / folder / name for name in names for folder in ("include", "src", "plugin")}
    direct = {header for header in found if header.is_file()}
    return frozenset(direct.union(*(headers_of(header) for header in direct)))


def digest(path: Path, command: str) -> str:
    """Return a hash of what clang-tidy would read: the file, its headers, its command and the settings."""
    read = [path, *sorted(headers_of(path)), ROOT / ".clang-tidy"]
    return hashlib.sha256("".join([command, *(file.read_text() for file in read)]).encode()).hexdigest()


def test_clang_tidy(tmp_path: Path) -> None:
    """Check each C++ source of the library and of its plug-ins.

    clang reads CUDA's own files only with a CUDA release that it knows, so .cu files are skipped; headers are checked
    through the .cc files that include them. A file that passed is not checked again until it, a header or the settings
    change: its hash is stored in the user's cache folder.
    """
    compiled = compile_database(tmp_path)
    known = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "kauri-clang-tidy"
    known.mkdir(parents=True, exist_ok=True)
    tidy = require("clang-tidy")

    def check(path: Path) -> str:
        mark = known / digest(path, compiled[path])
        if mark.exists():
            return ""
        status, output = output_of(tidy, "--quiet", *GCC_ONLY, "-p", tmp_path, path)
        if status:
            return f"{relative(path)}:\n{output}"
        mark.touch()
        return ""

    sources = [path for path in cpp_files("src", "plugin") if path.suffix == ".cc" and path in compiled]
    assert sources
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        found = [report for report in pool.map(check, sources) if report]
    assert not found, "\n".join(found)[-8000:]


WRONG_NAMES = """
constexpr int most = 1;
enum class Kind { first };
class row_view {
 public:
  int next() const { return Value; }

 private:
  int Value = most;
};
template <int lanes>
int add(int Left) {
  return Left + lanes;
}
"""


def test_clang_tidy_finds_wrong_names(tmp_path: Path) -> None:
    path = tmp_path / "names.cc"
    path.write_text(WRONG_NAMES)
    status, output = output_of(require("clang-tidy"), f"--config-file={ROOT / '.clang-tidy'}", path, "--", "-std=c++17")
    assert status != 0
    for name in ("most", "first", "row_view", "next", "Value", "lanes", "add", "Left"):
        assert f"'{name}' [readability-identifier-naming" in output, name


@pytest.mark.parametrize("mode", [("check",), ("format", "--check")], ids=["check", "format"])
def test_ruff(mode: tuple[str, ...]) -> None:
    status, output = output_of(sys.executable, "-m", "ruff", *mode, "--no-cache", "--output-format=concise", ".")
    assert status == 0, output[-4000:]
