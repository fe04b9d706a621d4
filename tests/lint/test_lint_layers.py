"""The layering of the folders, checked through their #include lines.

include <- common <- {collective, shapley} <- data <- {tree, objective, metric, predictor} <- engine <- booster
<- research <- src/*.cc <- {c_api, cli};
folders of one layer never include each other. plugin/cuda may include everything left of booster. Only src/registry.cc
includes the research room, and no other folder of the plug-in includes plugin/cuda/research.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lint_sources import ROOT, cpp_files, relative

LAYER = {
    "include": 0,
    "common": 1,
    "collective": 2,
    "shapley": 2,
    "data": 3,
    "tree": 4,
    "objective": 4,
    "metric": 4,
    "predictor": 4,
    "engine": 5,
    "booster": 6,
    "research": 7,
    "top": 8,
    "c_api": 9,
    "cli": 9,
}
RESEARCH = ("research/", "cuda/research/")
REGISTRARS = ("src/registry.cc", "src/research/", "plugin/cuda/research/")  # files that may include the research room
GENERATED = {"kauri/version.h", "kauri/build_id.h"}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def folder_of(path: str) -> str:
    """Return the folder of a source (relative path) or of an include (as written)."""
    parts = Path(path).parts
    if parts[0] in {"include", "kauri"}:
        return "include"
    if parts[0] == "src":
        parts = parts[1:]
    if parts[0] in {"plugin", "cuda"}:
        return "cuda"
    return parts[0] if len(parts) > 1 else "top"


def allowed(source: str, target: str) -> bool:
    """Return whether a file in the folder `source` may include one in the folder `target`."""
    if source == target:
        return True
    if source == "cuda":
        return LAYER[target] < LAYER["booster"]
    return target in LAYER and LAYER[target] < LAYER[source]


def is_core_using_research(source: str, target: str) -> bool:
    """Return whether a file outside the research room includes one in it, and is not the file that registers it."""
    return target.startswith(RESEARCH) and not source.startswith(REGISTRARS)


def library_files() -> list[Path]:
    return [path for path in cpp_files("include", "src", "plugin") if not relative(path).startswith("plugin/example/")]


def test_layers() -> None:
    wrong = []
    for path in library_files():
        source = folder_of(relative(path))
        for include in INCLUDE.findall(path.read_text(encoding="utf-8")):
            if not allowed(source, folder_of(include)):
                wrong.append(f"{relative(path)} ({source}) includes {include} ({folder_of(include)})")
    assert not wrong, "\n".join(wrong)


def test_the_core_does_without_research() -> None:
    wrong = [
        f"{relative(path)} includes {include}; register it by name (src/research/README.md)"
        for path in library_files()
        for include in INCLUDE.findall(path.read_text(encoding="utf-8"))
        if is_core_using_research(relative(path), include)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("src/registry.cc", "research/adaboost/adaboost.h", False),
        ("src/research/sketch/sketches.cc", "research/sketch/kll_sketch.h", False),
        ("plugin/cuda/research/moment_sketch.cu", "cuda/research/moment_sketch.h", False),
        ("src/c_api/data_summary.cc", "research/sketch/sketches.h", True),
        ("src/data/bins/first_pass.cc", "research/sketch/sketches.h", True),
        ("plugin/cuda/plugin_entry.cu", "cuda/research/moment_sketch.h", True),
        ("src/data/bins/first_pass.cc", "data/sketch/sketch_method.h", False),
    ],
)
def test_a_core_that_uses_research_is_seen(source: str, target: str, expected: bool) -> None:
    assert is_core_using_research(source, target) is expected


def test_includes_are_written_from_a_root() -> None:
    """A quoted include names a file below include/, src/ or plugin/."""
    roots = [ROOT / "include", ROOT / "src", ROOT / "plugin"]
    wrong = [
        f"{relative(path)}: {include}"
        for path in library_files()
        for include in INCLUDE.findall(path.read_text(encoding="utf-8"))
        if include not in GENERATED and not any((root / include).is_file() for root in roots)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("src/tree/exact/exact_builder.cc", "kauri/tree.h", True),
        ("src/tree/exact/exact_builder.cc", "data/sorted_columns.h", True),
        ("src/tree/exact/exact_builder.cc", "predictor/paths/tree_paths.h", False),
        ("src/data/text_reader.cc", "tree/split_gain.h", False),
        ("include/kauri/tree.h", "common/math.h", False),
        ("src/engine/cpu_engine.cc", "tree/sampling/sampling.h", True),
        ("src/engine/cpu_engine.cc", "booster/learner.h", False),
        ("src/tree/exact/exact_builder.cc", "engine/cpu_engine.h", False),
        ("src/registry.cc", "booster/boosters/gbtree.h", True),
        ("src/registry.cc", "research/adaboost/adaboost.h", True),
        ("src/research/adaboost/adaboost.cc", "booster/boosters/gbtree.h", True),
        ("src/booster/boosters/gbtree.cc", "research/adaboost/adaboost.h", False),
        ("src/booster/boosters/gbtree.cc", "registry.h", False),
        ("src/cli/main.cc", "c_api/c_api_error.h", False),
        ("src/cli/main.cc", "booster/learner.h", True),
        ("plugin/cuda/exact/builder.cu", "tree/split_gain.h", True),
        ("plugin/cuda/engine/cuda_engine.cc", "engine/margin_cache.h", True),
        ("plugin/cuda/exact/builder.cu", "booster/learner.h", False),
        ("src/tree/exact/exact_builder.cc", "cuda/common/cuda_context.h", False),
    ],
)
def test_the_rule_itself(source: str, target: str, expected: bool) -> None:
    assert allowed(folder_of(source), folder_of(target)) is expected
