"""Dependencies between the library's folders, and cycles among them.

There are two graphs, because either can miss dependencies. `#include` lines show inline code and templates. Symbols of
object files show functions that are declared in one folder's header and defined in another's source.
"""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from pathlib import Path

from lint_sources import ROOT, cpp_files, relative

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
ROOTS = ("include", "src", "plugin")
STRONG = frozenset("TDBR")  # nm's letters for symbols that exactly one object defines

Arrows = dict[tuple[str, str], list[str]]  # (from, to) -> the reasons for the edge


def includes() -> Arrows:
    """Return the edges between folders from the include lines of all sources."""
    arrows: Arrows = defaultdict(list)
    for path in cpp_files(*ROOTS):
        for include in INCLUDE.findall(path.read_text(encoding="utf-8")):
            target = next((root for root in ROOTS if (ROOT / root / include).is_file()), None)
            if target is not None:
                to = (Path(target) / include).parent.as_posix()
                arrows[relative(path.parent), to].append(f"{path.name} includes {include}")
    return without_loops(arrows)


def source_of_object(path: Path, build: Path) -> Path:
    """Return the source of an object: build/src/CMakeFiles/kauri_tree.dir/tree/exact/x.cc.o comes from
    src/tree/exact/x.cc.

    A unity file (cmake/KauriUnits.cmake) comes from files of one folder and is represented by the first of them.
    """
    if path.parent.name == "Unity":
        included = INCLUDE.search(path.with_suffix("").read_text(encoding="utf-8"))
        return Path(included.group(1)) if included else path
    before, after = path.relative_to(build).as_posix().split("/CMakeFiles/")
    return ROOT / before / Path(after.split("/", 1)[1]).with_suffix("")


def folder_of_object(path: Path, build: Path) -> str:
    return relative(source_of_object(path, build).parent)


def read_symbols(objects: list[Path]) -> list[tuple[Path, str, str]]:
    """Return (object, symbol, nm's letter for it) for all objects."""
    done = subprocess.run(["nm", "-A", "--format=posix", *objects], capture_output=True, text=True, check=True)
    found = []
    for line in done.stdout.splitlines():
        path, symbol = line.split(": ", 1)
        name, letter = symbol.split()[:2]
        found.append((Path(path), name, letter))
    return found


def symbols(build: Path) -> Arrows:
    """Return the edges between folders from the undefined symbols of the objects in `build`."""
    objects = [path for folder in ("src", "plugin/cuda") for path in sorted((build / folder).rglob("*.o"))]
    # Objects of deleted sources stay in the build folder.
    objects = [path for path in objects if source_of_object(path, build).is_file()]
    defined: dict[str, set[str]] = defaultdict(set)
    needed: dict[str, set[str]] = defaultdict(set)
    for path, name, letter in read_symbols(objects):
        if letter in STRONG:
            defined[name].add(folder_of_object(path, build))
        elif letter == "U":
            needed[name].add(folder_of_object(path, build))
    arrows: Arrows = defaultdict(list)
    for name, folders in needed.items():
        if len(defined.get(name, ())) == 1:
            (to,) = defined[name]
            for folder in folders:
                arrows[folder, to].append(name)
    return without_loops(arrows)


def without_loops(arrows: Arrows) -> Arrows:
    return {(folder, to): made_of for (folder, to), made_of in arrows.items() if folder != to}


def cycles(arrows: Arrows) -> list[list[str]]:
    """Return the groups of folders that can all reach each other."""
    next_of: dict[str, set[str]] = defaultdict(set)
    for folder, to in arrows:
        next_of[folder].add(to)

    def reached_from(start: str) -> set[str]:
        seen: set[str] = set()
        waiting = [start]
        while waiting:
            for folder in next_of[waiting.pop()] - seen:
                seen.add(folder)
                waiting.append(folder)
        return seen

    reached = {folder: reached_from(folder) for folder in list(next_of)}
    groups = {
        frozenset(other for other in reached if other in seen and folder in reached[other])
        for folder, seen in reached.items()
        if folder in seen
    }
    return sorted(sorted(group) for group in groups)


def demangled(symbol: str) -> str:
    """Return the C++ name of a symbol; other texts are unchanged."""
    if not symbol.startswith("_Z"):
        return symbol
    return subprocess.run(["c++filt", "-p", symbol], capture_output=True, text=True, check=True).stdout.strip()


def describe(arrows: Arrows, group: list[str]) -> str:
    """Return the edges within a cycle, the weakest first: those are the ones to remove."""
    inside = sorted((len(made_of), pair) for pair, made_of in arrows.items() if set(pair) <= set(group))
    lines = [f"  {pair[0]} -> {pair[1]} ({n}): " + "; ".join(map(demangled, arrows[pair][:3])) for n, pair in inside]
    return "\n".join([f"{' and '.join(group)} need each other:", *lines])
