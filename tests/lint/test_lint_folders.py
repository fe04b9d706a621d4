"""No two folders of the library depend on each other, including sub-folders."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from folder_graph import cycles, demangled, describe, folder_of_object, includes, symbols, without_loops
from lint_sources import ROOT

BUILD = Path(os.environ.get("KAURI_BUILD_DIR", ROOT / "build"))
CURE = "\nMove the code that is asked for to a folder below both, or the code that asks to one above both."
# Functions that the top of the library defines and lower folders call: access to objects known only at run time.
DOORS = {
    "GetCudaPluginStatus": "looks for the plug-in when its predictor is asked for by name",
    "GetRegistries": "the table of contents, which names every component",
    "RequireCudaDevice": "loads the plug-in when a device is first asked for",
    "RequireCudaDevices": "the same, for several devices",
    "RequireDeviceMemory": "the same, for rows that lie on a device",
}


def name_of(symbol: str) -> str:
    """Return the last part of a mangled C++ symbol's name."""
    return demangled(symbol).split("[")[0].split("::")[-1]


def test_includes_make_no_cycle() -> None:
    arrows = includes()
    found = [describe(arrows, group) for group in cycles(arrows)]
    assert not found, "\n".join(found) + CURE


def test_symbols_make_no_cycle() -> None:
    """A symbol that is declared in one folder and defined in another belongs to the folder that defines it."""
    if not (BUILD / "src").is_dir() or shutil.which("nm") is None:
        pytest.skip("no objects of a build, or no nm")
    arrows = symbols(BUILD)
    top = {pair: made_of for pair, made_of in arrows.items() if pair[1] == "src"}
    through_doors = {name_of(symbol) for made_of in top.values() for symbol in made_of} & set(DOORS)
    assert through_doors == set(DOORS), f"doors that nobody takes: {set(DOORS) - through_doors}"
    for pair, made_of in top.items():
        arrows[pair] = [symbol for symbol in made_of if name_of(symbol) not in DOORS]
    arrows = {pair: made_of for pair, made_of in arrows.items() if made_of}
    found = [describe(arrows, group) for group in cycles(arrows)]
    assert not found, "\n".join(found) + CURE


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([("a", "b"), ("b", "c"), ("a", "c")], []),
        ([("a", "b"), ("b", "a")], [["a", "b"]]),
        ([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e"), ("e", "d")], [["a", "b", "c"], ["d", "e"]]),
        ([("a", "a/b"), ("a/b", "a")], [["a", "a/b"]]),
    ],
)
def test_a_cycle_is_found(pairs: list[tuple[str, str]], expected: list[list[str]]) -> None:
    assert cycles({pair: ["x"] for pair in pairs}) == expected


def test_a_folder_may_need_itself() -> None:
    assert without_loops({("a", "a"): ["x"], ("a", "b"): ["y"]}) == {("a", "b"): ["y"]}


def test_objects_know_their_folder() -> None:
    build = Path("build")
    path = build / "src/CMakeFiles/kauri_tree.dir/tree/exact/exact_builder.cc.o"
    assert folder_of_object(path, build) == "src/tree/exact"
    assert folder_of_object(build / "src/CMakeFiles/kauri.dir/registry.cc.o", build) == "src"
