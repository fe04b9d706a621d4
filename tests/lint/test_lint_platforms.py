"""Differences between operating systems are behind the headers of src/common/platform.

No other file of the library includes a header of a system, asks by a macro which system it is compiled for, or calls
what only one of them has. `EXCEPTIONS` has the files that may, each with its reason.
"""

from __future__ import annotations

import re

import pytest
from lint_sources import ROOT, code_of, cpp_files, relative

SEAM = "src/common/platform/"
HEADERS = (
    r"#\s*include\s*<((sys|linux|mach|net|netinet|arpa)/[\w./]+|unistd\.h|dlfcn\.h|fcntl\.h|poll\.h|pthread\.h|sched\.h"
    r"|signal\.h|malloc\.h|dirent\.h|glob\.h|spawn\.h|termios\.h|windows\.h|io\.h|process\.h|direct\.h)>"
)
MACROS = r"\b(_WIN32|_WIN64|__MINGW\w+__|__linux__|__APPLE__|__GLIBC__|__unix__|__EMSCRIPTEN__|__wasm\w*__|__ELF__)\b"
CALLS = r"(?<![\w.:>])(::)?(fork|getpid|mmap|madvise|dlopen|dlsym|sigaction|pthread_\w+|sched_\w+|syscall)\s*\("
SHARED_WITH_WASI = ("posix/file.cc", "posix/random.cc")
FORMS = {"header": HEADERS, "macro": MACROS, "call": CALLS}
EXCEPTIONS = {
    "include/kauri/c_api.h": "the marks of exported functions, in a header for C programs",
    "src/common/threads/openmp_team.cc": "compiled with OpenMP only, for a comparison on Linux",
}


def forms_in(text: str) -> set[str]:
    """Return the kinds of what a file would have to leave to the seam."""
    return {kind for kind, pattern in FORMS.items() if re.search(pattern, text)}


def offenders() -> dict[str, set[str]]:
    """Return the files outside the seam that have such forms."""
    found = {relative(path): forms_in(code_of(path)) for path in cpp_files("include", "src")}
    return {name: forms for name, forms in found.items() if forms and not name.startswith(SEAM)}


def test_platforms_are_behind_one_seam() -> None:
    found = {name: sorted(forms) for name, forms in offenders().items() if name not in EXCEPTIONS}
    assert not found, f"move what differs between systems behind {SEAM}: {found}"


def test_every_exception_excepts_something() -> None:
    assert set(EXCEPTIONS) <= set(offenders())


def test_headers_of_the_seam_include_no_system() -> None:
    headers = [path for path in cpp_files(SEAM.rstrip("/")) if path.suffix == ".h"]
    assert headers
    assert not [relative(path) for path in headers if re.search(HEADERS, code_of(path))]


def test_every_system_implements_every_function() -> None:
    """A header's functions are in windows/, in posix/ or both linux/ and plain/, and in what WASI takes."""
    declared = re.compile(r"^(?!using|struct|class|enum)[\w:<>*& ]+?[ *&](\w+)\([^;{}]*\);$", re.MULTILINE)
    for header in (ROOT / SEAM).glob("*.h"):
        names = set(declared.findall(header.read_text(encoding="utf-8")))
        assert names, header
        for systems in (("windows",), ("posix", "linux"), ("posix", "plain"), ("wasi", "plain", *SHARED_WITH_WASI)):
            places = [ROOT / SEAM / system for system in systems]
            sources = [path for place in places for path in ([place] if place.is_file() else place.glob("*.cc"))]
            text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
            missing = sorted(name for name in names if not re.search(rf"\b{name}\(", text))
            assert not missing, f"{header.name}: {missing} in none of {systems}"


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("#include <unistd.h>\n", {"header"}),
        ("#include <sys/mman.h>\n", {"header"}),
        ("#ifdef __linux__\n", {"macro"}),
        ("auto const id = ::getpid();\n", {"call"}),
        ("  return fork();\n", {"call"}),
        ("#include <csignal>\n#if defined(__GNUC__)\nnodes[i].fork(x); KeepAfterFork();\n", set()),
    ],
)
def test_the_search_finds_them(text: str, forms: set[str]) -> None:
    assert forms_in(text) == forms
