"""No two files of a folder define a function or type of their own by the same name.

A name in an unnamed namespace, or a static one, is seen by its file alone, until KAURI_UNITS compiles the files of a
folder as one. Then two types of one name clash. Two functions of one name become overloads: a call with arguments that
need a conversion may take the other file's function, without a word. KauriUnits.cmake puts files that define the same
name into different units, but only where it sees them when the build is configured. Constants cannot be overloaded, so
the compiler finds them.

A function of namespace kauri that no other file names should be the file's own, too: it clashes with any other of its
name and parameters in the whole library.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

from declarations import Declared, declarations_in
from lint_sources import code_of, cpp_files, relative

LIBRARY = ("src", "plugin")  # the tests are left to KauriUnits.cmake
SUFFIXES = {".cc", ".cu"}
CONSTANT = re.compile(r"k[A-Z]")
WORD = re.compile(r"\b[A-Z]\w*")


def clashes(files: dict[str, list[Declared]]) -> list[str]:
    """Return `FOLDER: NAME in FILES` for the own functions and types of one name in several files of a folder."""
    places: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for file, declared in files.items():
        folder, _, name = file.rpartition("/")
        for each in declared:
            if each.is_own and not CONSTANT.match(each.name):
                places[folder, each.namespace, each.name].add(name)
    return [
        f"{folder}: {name} in {', '.join(sorted(found))}"
        for (folder, _, name), found in sorted(places.items())
        if len(found) > 1
    ]


def unnamed_elsewhere(sources: dict[str, list[Declared]], words: dict[str, set[str]]) -> list[str]:
    """Return `FILE: NAME` for the functions that could be the file's own. words: the identifiers of every file."""
    files_with = Counter(word for found in words.values() for word in found)
    # KAURI_DECLARE_ENTRY and its like paste the name of a table's entry behind "Register".
    files_with.update(f"Register{word}" for word in list(files_with))
    return [
        f"{file}: {each.name}"
        for file, found in sorted(sources.items())
        for each in found
        if each.is_function and each.is_body and not each.is_own and files_with[each.name] < 2
        if "HWY_NAMESPACE" not in each.namespace  # Highway's, of each kind of processor
    ]


@cache
def declared_by(path: Path) -> list[Declared]:
    return list(declarations_in(path.read_text(encoding="utf-8")))


def sources_of(*folders: str) -> dict[str, list[Declared]]:
    return {relative(path): declared_by(path) for path in cpp_files(*folders) if path.suffix in SUFFIXES}


def test_own_names_differ_within_a_folder() -> None:
    sources = sources_of(*LIBRARY)
    assert sum(each.is_own for found in sources.values() for each in found) > 1000
    found = clashes(sources)
    assert not found, "give one of them another name, or share it by a header:\n" + "\n".join(found)


def test_functions_that_no_other_file_names_are_their_files_own() -> None:
    words = {relative(path): set(WORD.findall(code_of(path))) for path in cpp_files("include", "src")}
    found = unnamed_elsewhere(sources_of("src"), words)
    assert not found, "move into the unnamed namespace:\n" + "\n".join(found)


def declared_in_text(code: str) -> list[Declared]:
    return list(declarations_in(f"namespace kauri {{\n{code}\n}}  // namespace kauri\n"))


def test_the_rule_finds_functions_types_and_aliases() -> None:
    first = declared_in_text(
        "namespace {\nint Read(int a) { return a; }\nstruct Row {};\nusing Rows = int;\nconstexpr int kMost = 1;\n}\n"
        "static int Count(long n) { return 0; }\nint Shared(int a) { return a; }"
    )
    second = declared_in_text(
        "namespace {\nint Read(long a) { return 2; }\nclass Row { int Count(); };\nusing Rows = long;\n"
        "constexpr int kMost = 2;\n}\nint Count(long n);\nint Shared(long a) { return 1; }"
    )
    found = clashes({"src/a/one.cc": first, "src/a/two.cc": second})
    assert found == [f"src/a: {name} in one.cc, two.cc" for name in ("Read", "Row", "Rows")]
    assert clashes({"src/a/one.cc": first, "src/b/two.cc": second}) == []


def test_the_rule_knows_static_and_templates() -> None:
    code = "template <typename T>\nstatic T Of(T a) { return a; }"
    assert clashes({"src/a/one.cc": declared_in_text(code), "src/a/two.cc": declared_in_text(code)})
    nested = declared_in_text("namespace detail {\nnamespace {\nint Read() { return 1; }\n}\n}")
    assert clashes({"src/a/one.cc": nested, "src/a/two.cc": declared_in_text("static int Read() { return 1; }")}) == []


def test_the_rule_of_functions_that_no_other_file_names() -> None:
    code = declared_in_text(
        "void Register(int a) { Add(a); }\nvoid Row::Write() { }\nstruct Param {};\nint Of() { return 1; }"
    )
    words = {"a.cc": {"Register", "Row", "Write", "Param", "Of"}, "registry.cc": {"Register"}}
    assert unnamed_elsewhere({"a.cc": code}, words) == ["a.cc: Of"]
    assert unnamed_elsewhere({"a.cc": code}, {**words, "a.h": {"Of"}}) == []
    pasted = declared_in_text("void RegisterAft(int a) { Add(a); }")
    assert unnamed_elsewhere({"a.cc": pasted}, {"a.cc": {"RegisterAft"}, "table.h": {"Aft"}}) == []
