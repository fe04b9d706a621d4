"""Exported names of libkauri.so: only those in cmake/exports.map.in, which plug-ins and the program need."""

from __future__ import annotations

import os
import re
import subprocess
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("KAURI_BUILD_DIR", ROOT / "build"))
LIST = (ROOT / "cmake" / "exports.map.in").read_text()
C_NAMES = ["XG*", "Kauri*"]


def symbols(library: Path, which: str) -> dict[str, str]:
    """Return a library's symbols without versions: raw names, and demangled ones."""
    table = subprocess.run(["nm", "-D", which, library], text=True, capture_output=True, check=True).stdout
    names = [line.split()[-1].split("@")[0] for line in table.splitlines()]
    meaning = subprocess.run(["c++filt"], input="\n".join(names), text=True, capture_output=True, check=True).stdout
    return dict(zip(names, meaning.splitlines(), strict=True))


def patterns() -> list[str]:
    """Return the C++ part of the list, as patterns for fnmatch."""
    inside = re.sub(r"/\*.*?\*/", "", LIST.split('extern "C++" {')[1].split("@KAURI")[0], flags=re.DOTALL)
    return [pattern.strip() for pattern in inside.split(";") if pattern.strip()]


@pytest.fixture(scope="module")
def shown() -> dict[str, str]:
    return symbols(BUILD / "lib" / "libkauri.so", "--defined-only")


def users() -> list[Path]:
    places = [BUILD / "bin" / "kauri", BUILD / "lib" / "libkauri_cuda.so", BUILD / "example" / "libkauri_example.so"]
    return [place for place in places if place.exists()]


@pytest.mark.parametrize("user", users(), ids=lambda path: path.name)
def test_the_list_has_what_programs_and_plug_ins_use(user: Path, shown: dict[str, str]) -> None:
    used = {meaning for name, meaning in symbols(user, "--undefined-only").items() if name in shown}
    assert any("kauri::" in name for name in used)
    listed = [*patterns(), *C_NAMES]
    missing = sorted(name for name in used if not any(fnmatchcase(name, pattern) for pattern in listed))
    assert not missing, f"cmake/exports.map.in lacks, for {user.name}:\n" + "\n".join(missing)


def test_the_list_has_nothing_that_is_gone(shown: dict[str, str]) -> None:
    idle = [pattern for pattern in patterns() if not any(fnmatchcase(name, pattern) for name in shown.values())]
    assert not idle, f"cmake/exports.map.in shows what there is not: {idle}"


def test_nothing_of_other_libraries_is_shown(shown: dict[str, str]) -> None:
    own = ("XG", "Kauri", "kauri::", *(f"{kind} for kauri::" for kind in ("vtable", "typeinfo", "typeinfo name")))
    assert not [meaning for meaning in shown.values() if not meaning.startswith(own)]


def tls_of(library: Path) -> tuple[int, bool]:
    """Return the bytes of thread-local memory, and whether it is in glibc's reserved space."""
    headers = subprocess.run(["readelf", "-lW", library], text=True, capture_output=True, check=True).stdout
    sizes = [int(line.split()[5], 16) for line in headers.splitlines() if line.split()[:1] == ["TLS"]]
    dynamic = subprocess.run(["readelf", "-dW", library], text=True, capture_output=True, check=True).stdout
    return sum(sizes), "STATIC_TLS" in dynamic


def test_thread_local_memory_fits_beside_that_of_others() -> None:
    """glibc reserves 512 bytes for libraries opened at run time; memory there needs no allocation, which could fail."""
    size, is_static = tls_of(BUILD / "lib" / "libkauri.so")
    assert size <= 448  # 376 of them are a message of dmlc
    assert is_static or size == 0


def test_thread_local_memory_of_the_plug_in_is_not_in_that_room() -> None:
    """The CUDA runtime's memory does not fit there."""
    library = BUILD / "lib" / "libkauri_cuda.so"
    if not library.exists():
        pytest.skip("the CUDA plug-in was not built")
    assert not tls_of(library)[1]


def test_thread_local_variables_are_small_or_on_the_heap() -> None:
    sources = [path for folder in ("src", "plugin/cuda") for path in (ROOT / folder).rglob("*") if path.is_file()]
    words = re.compile(r"^\s*(static )?thread_local ", re.MULTILINE)
    bare = [path.relative_to(ROOT) for path in sources if words.search(path.read_text(errors="replace"))]
    assert not bare, f"thread_local in {bare}; use KAURI_STATIC_THREAD_LOCAL or PerThread (common/threads/per_thread.h)"
