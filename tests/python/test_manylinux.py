"""The libraries of an older system, with which cmake/wheels.sh links (cmake/manylinux.py)."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
# It uses what came with GCC 9 (file system), GCC 11 (text of floating-point numbers), and later (assertions).
PROGRAM = r"""
#include <charconv>
#include <condition_variable>
#include <filesystem>
#include <future>
#include <iostream>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <vector>

static std::vector<int> made_before_main{1, 2, 3};

int main(int, char** arguments) {
  char text[64];
  double value = 0;
  auto const end = std::to_chars(text, text + 64, 0.1).ptr;
  std::from_chars(text, end, value);
  auto fails = std::async(std::launch::async, [] { throw std::runtime_error("thrown"); });
  std::string caught;
  try {
    fails.get();
  } catch (std::exception const& error) {
    caught = error.what();
  }
  std::mutex mutex;
  std::unique_lock<std::mutex> lock(mutex);
  std::condition_variable condition;
  auto const status = condition.wait_for(lock, std::chrono::milliseconds(20));
  std::ostringstream out;
  out << std::filesystem::path(arguments[0]).lexically_normal().filename().string();
  std::cout << made_before_main.size() << ' ' << value << ' ' << caught << ' ';
  std::cout << (status == std::cv_status::timeout) << ' ' << out.str() << ' ' << std::uncaught_exceptions() << '\n';
}
"""
WAITS = r"""
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

int main(void) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  pthread_mutex_lock(&mutex);
  for (int milliseconds = -1500; milliseconds <= 60; milliseconds += 780) {
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    long long then = start.tv_sec * 1000000000LL + start.tv_nsec + milliseconds * 1000000LL;
    struct timespec until = {then / 1000000000, then % 1000000000};
    int const result = pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &until);
    clock_gettime(CLOCK_MONOTONIC, &end);
    long long waited = (end.tv_sec - start.tv_sec) * 1000000000LL + end.tv_nsec - start.tv_nsec;
    printf("%d %d %d\n", milliseconds, result == ETIMEDOUT, (int)(waited / 1000000));
  }
}
"""


@pytest.fixture(scope="module")
def manylinux() -> ModuleType:
    """Return the script as a module."""
    spec = importlib.util.spec_from_file_location("manylinux", ROOT / "cmake" / "manylinux.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(*command: object) -> str:
    done = subprocess.run([str(part) for part in command], text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def versions_needed(file: Path) -> dict[str, tuple[int, ...]]:
    """Return the newest version of every family of symbols that a file needs."""
    newest: dict[str, tuple[int, ...]] = {}
    for family, number in re.findall(r"\*UND\*.*?\(([A-Z]+)_([\d.]+)\)", run("objdump", "-T", file)):
        version = tuple(int(part) for part in number.split("."))
        newest[family] = max(newest.get(family, ()), version)
    return newest


def build(program: str, folder: Path, *options: object) -> Path:
    """Compile and link a program."""
    (folder / "program.cc").write_text(program)
    target = folder / "program"
    run("g++", "-std=c++17", "-O1", "-D_GLIBCXX_ASSERTIONS", folder / "program.cc", "-o", target, *options, "-pthread")
    return target


def test_a_program_needs_only_the_older_libstdcxx(manylinux: ModuleType, tmp_path: Path) -> None:
    newest = versions_needed(build(PROGRAM, tmp_path))
    assert newest["GLIBCXX"] > manylinux.NEWEST["GLIBCXX"]  # or there would be nothing to do
    manylinux.make_older_compiler_libraries(tmp_path)
    program = build(PROGRAM, tmp_path, f"-L{tmp_path}", "-Wl,--allow-shlib-undefined")
    newest = versions_needed(program)
    assert newest["GLIBCXX"] <= manylinux.NEWEST["GLIBCXX"]
    assert newest["CXXABI"] <= manylinux.NEWEST["CXXABI"]
    assert newest["GCC"] <= manylinux.NEWEST["GCC"]
    assert run(program).split() == ["3", "0.1", "thrown", "1", "program", "0"]


def test_an_older_library_keeps_names_kinds_and_sizes(manylinux: ModuleType, tmp_path: Path) -> None:
    manylinux.make_older_compiler_libraries(tmp_path)
    library = tmp_path / "libstdc++.so.6"
    older, newer = (manylinux.symbols_until(path) for path in (library, manylinux.of_compiler(library.name)))
    assert older == newer
    assert len(older) > 4000
    assert older["_ZSt4cout"] == ("GLIBCXX_3.4", "object", newer["_ZSt4cout"][2])
    assert older["_ZSt11__once_call"][1] == "tls_object"
    assert "_ZSt8to_charsPcS_d" not in older
    assert "libstdc++.so.6" in re.findall(r"SONAME +(\S+)", run("objdump", "-p", library))


def test_waits_on_the_steady_clock_end_in_time(tmp_path: Path) -> None:
    (tmp_path / "waits.c").write_text(WAITS)
    run("gcc", "-D_GNU_SOURCE", tmp_path / "waits.c", ROOT / "cmake" / "manylinux.c", "-o", tmp_path / "waits")
    rows = [[int(word) for word in line.split()] for line in run(tmp_path / "waits").splitlines()]
    assert [row[:2] for row in rows] == [[-1500, 1], [-720, 1], [60, 1]]
    assert rows[2][2] >= 59


@pytest.mark.skipif(os.environ.get("KAURI_WHEELS") != "all", reason="only with KAURI_WHEELS=all: needs Zig")
def test_a_program_needs_only_the_older_glibc(tmp_path: Path) -> None:
    pytest.importorskip("ziglang")
    run(sys.executable, ROOT / "cmake" / "manylinux.py", tmp_path / "older")
    older = tmp_path / "older"
    options = [f"-B{older}", f"-L{older}", f"-Wl,-rpath-link,{older}", "-Wl,--allow-shlib-undefined,--no-undefined"]
    program = build(PROGRAM, tmp_path, *options)
    assert versions_needed(program)["GLIBC"] <= (2, 28)
    assert run(program).split() == ["3", "0.1", "thrown", "1", "program", "0"]
