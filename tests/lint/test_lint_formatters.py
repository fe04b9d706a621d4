"""clang-format, clang-tidy and ruff over everything."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from lint_sources import ROOT, cpp_files, relative

BUILD = Path(os.environ.get("KAURI_BUILD_DIR", ROOT / "build"))


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


def test_clang_tidy() -> None:
    """Each C++ source of the library and of its plug-ins that the build directory compiles.

    clang reads CUDA's own files only beside a CUDA release that it knows: .cu files stay out; headers are read through
    the .cc files that include them.
    """
    database = BUILD / "compile_commands.json"
    if not database.is_file():
        pytest.skip(f"no {database.name}: configure the build first")
    compiled = {Path(entry["file"]) for entry in json.loads(database.read_text())}
    sources = [path for path in cpp_files("src", "plugin") if path.suffix == ".cc" and path in compiled]
    assert sources
    tidy = require("clang-tidy")

    def check(path: Path) -> str:
        status, output = output_of(tidy, "--quiet", "-p", BUILD, path)
        return f"{relative(path)}:\n{output}" if status else ""

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
