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


GCC_ONLY = ("--extra-arg=-Wno-unknown-warning-option",)  # clang reads the options of builds with GCC
FILES_TOGETHER = 24


def compile_database(folder: Path) -> dict[Path, str]:
    """Configure a build that compiles each file by itself; return the command of each file."""
    done = subprocess.run(["cmake", "--preset", "release", "-B", folder], cwd=ROOT, text=True, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return {
        Path(entry["file"]): entry["command"] for entry in json.loads((folder / "compile_commands.json").read_text())
    }


@functools.cache
def headers_of(path: Path) -> frozenset[Path]:
    """Return the project's headers that a file includes, directly or indirectly."""
    names = re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE)
    found = {ROOT / folder / name for name in names for folder in ("include", "src", "plugin")}
    direct = {header for header in found if header.is_file()}
    return frozenset(direct.union(*(headers_of(header) for header in direct)))


def digest(path: Path, options: str) -> str:
    """Return a name for what clang-tidy would read: the file, its headers, its options and the settings."""
    read = [path, *sorted(headers_of(path)), ROOT / ".clang-tidy"]
    return hashlib.sha256("".join([options, *(file.read_text() for file in read)]).encode()).hexdigest()


def changed_lately() -> set[Path]:
    """Return the files that differ from the last commit or that the commits of its last 24 hours changed.

    Without git, or in a clone without history, all files count as changed.
    """
    status, newest = output_of("git", "log", "-1", "--format=%ct")
    if status:
        return set(cpp_files())
    since = f"--since={int(newest) - 24 * 3600}"
    log = output_of("git", "log", since, "--name-only", "--format=")[1]
    work = output_of("git", "status", "--porcelain", "--no-renames")[1]
    return {ROOT / line for line in log.splitlines()} | {ROOT / line[3:] for line in work.splitlines()}


def to_check(sources: list[Path]) -> list[Path]:
    """Return the sources that changed lately or include a header that did; all of them if KAURI_TIDY=all."""
    if os.environ.get("KAURI_TIDY") == "all":
        return sources
    changed = changed_lately()
    return [path for path in sources if path in changed or headers_of(path) & changed]


def names_of(path: Path) -> set[str]:
    """Return every name that a line of the file which is not indented may define."""
    lines = [line for line in path.read_text().splitlines() if line[:1] not in ("", " ", "/", "}")]
    return {name for line in lines for name in re.findall(r"\b(?:k?[A-Z]\w*|#define \w+)", line.split("(")[0])}


def in_units(options: dict[Path, str]) -> list[list[Path]]:
    """Pack files of the same options that define no name twice: they parse the headers that they share only once."""
    units: list[tuple[str, set[str], list[Path]]] = []
    for path, command in options.items():
        names = names_of(path)
        alone = "foreach_target" in path.read_text()  # Highway includes the file again for every processor
        for unit_command, unit_names, files in units:
            if not alone and unit_command == command and len(files) < FILES_TOGETHER and not names & unit_names:
                files.append(path)
                unit_names |= names
                break
        else:
            units.append(("" if alone else command, names, [path]))
    return [files for _, _, files in units]


def test_clang_tidy(tmp_path: Path) -> None:
    """Check each C++ source of the library and of its plug-ins.

    clang reads CUDA's own files only beside a CUDA release that it knows: .cu files stay out; headers are read through
    the .cc files that include them. Files that did not change lately are left out, unless KAURI_TIDY=all. Most of the
    time goes into the headers that files share, so clang-tidy reads many files as one; where that reports anything,
    each file is read alone. A file that was found right is not read again until it, a header or the settings change:
    its digest is kept in the user's cache folder.
    """
    compiled = compile_database(tmp_path)
    compiled_sources = [path for path in cpp_files("src", "plugin") if path.suffix == ".cc" and path in compiled]
    assert compiled_sources
    sources = to_check(compiled_sources)
    options = {path: re.sub(r" -o .*", "", compiled[path]) for path in sources}
    known = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "kauri-clang-tidy"
    known.mkdir(parents=True, exist_ok=True)
    marks = {
        path: known / digest(path, options[path].replace(str(tmp_path), "").replace(str(ROOT), "")) for path in sources
    }
    unread = {path: options[path] for path in sources if not marks[path].exists()}
    tidy = require("clang-tidy")

    def check(files: list[Path]) -> list[str]:
        if len(files) == 1:
            status, output = output_of(tidy, "--quiet", *GCC_ONLY, "-p", tmp_path, files[0])
        else:
            unit = tmp_path / f"{marks[files[0]].name}.cc"
            unit.write_text("".join(f'#include "{file}"\n' for file in files))
            status, output = output_of(tidy, "--quiet", *GCC_ONLY, unit, "--", *options[files[0]].split()[1:])
        if not status:
            for file in files:
                marks[file].touch()
            return []
        if len(files) > 1:
            return [report for file in files for report in check([file])]
        return [f"{relative(files[0])}:\n{output}"]

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        found = [report for reports in pool.map(check, in_units(unread)) for report in reports]
    assert not found, "\n".join(found)[-8000:]


def test_clang_tidy_reads_what_a_changed_header_reaches(monkeypatch: pytest.MonkeyPatch) -> None:
    sources = [path for path in cpp_files("src") if path.suffix == ".cc"]
    learner = ROOT / "src" / "booster" / "learner.h"
    monkeypatch.setitem(to_check.__globals__, "changed_lately", lambda: {learner})
    chosen = to_check(sources)
    assert ROOT / "src" / "booster" / "learner.cc" in chosen
    assert ROOT / "src" / "metric" / "metrics.cc" not in chosen
    monkeypatch.setenv("KAURI_TIDY", "all")
    assert to_check(sources) == sources


def test_files_of_the_last_commit_changed_lately() -> None:
    status, names = output_of("git", "log", "-1", "--name-only", "--format=")
    if status:
        pytest.skip("not a git checkout")
    assert {ROOT / name for name in names.splitlines()} <= changed_lately()


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


@pytest.mark.parametrize("read", ["names.cc", "unit.cc"])
def test_clang_tidy_finds_wrong_names(read: str, tmp_path: Path) -> None:
    """They are found in a file that is read by itself, and in one that is read with others."""
    path = tmp_path / "src" / "names.cc"
    path.parent.mkdir()
    path.write_text(WRONG_NAMES)
    unit = path.parent / "unit.cc"
    unit.write_text(f'#include "{path}"\n')
    read_path = path.parent / read
    status, output = output_of(
        require("clang-tidy"), f"--config-file={ROOT / '.clang-tidy'}", read_path, "--", "-std=c++17"
    )
    assert status != 0
    for name in ("most", "first", "row_view", "next", "Value", "lanes", "add", "Left"):
        assert f"'{name}' [readability-identifier-naming" in output, name


@pytest.mark.parametrize("mode", [("check",), ("format", "--check")], ids=["check", "format"])
def test_ruff(mode: tuple[str, ...]) -> None:
    status, output = output_of(sys.executable, "-m", "ruff", *mode, "--no-cache", "--output-format=concise", ".")
    assert status == 0, output[-4000:]
