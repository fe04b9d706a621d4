"""Every function of the library with its length and its parameters, as lizard finds them, CUDA included."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import lizard
from lint_sources import ROOT, cpp_files, relative

# Each of a list that declares parameters with their bounds and meanings is one statement.
DECLARATION_TABLE = "DMLC_DECLARE_PARAMETER"


@dataclass(frozen=True)
class Function:
    """One definition."""

    file: str  # relative to the project's root
    name: str  # without its namespaces: "Walker::Walk"
    line: int
    length: int
    n_parameters: int


def count_parameters(signature: str) -> int:
    """Of `f(A<B, C> const& a, int (*g)(int), D d)`: 3."""
    inside = signature[signature.index("(") + 1 : signature.rindex(")")]
    if inside.strip() in {"", "void"}:
        return 0
    depth = 0
    count = 1
    for letter in inside:
        depth += (letter in "<([{") - (letter in ">)]}")
        count += letter == "," and depth == 0
    return count


def functions_of(text: str, file: str) -> list[Function]:
    """The definitions in `text`."""
    # lizard knows CUDA's files by no suffix, but reads them as C++; a qualifier before a name would be a name to it.
    text = re.sub(r"__(?:global|device|host|forceinline|noinline)__|__launch_bounds__\([^)]*\)|KAURI_HD\b", "", text)
    analyser = lizard.FileAnalyzer(lizard.get_extensions([]))
    found = []
    for function in analyser.analyze_source_code("source.cc", text).function_list:
        if DECLARATION_TABLE in function.name:
            continue
        name = re.sub(r"<[^<>]*>", "", function.name)  # of a template's member
        parts = [part for part in name.split("::") if part[:1].isupper() and not part.isupper()]
        found.append(
            Function(
                file=file,
                name="::".join(parts) or name,
                line=function.start_line,
                length=function.end_line - function.start_line + 1,
                n_parameters=count_parameters(function.long_name),
            )
        )
    return found


@cache
def library_functions() -> list[Function]:
    """Those of include, src and plugin."""
    found: list[Function] = []
    for path in cpp_files("include", "src", "plugin"):
        found += functions_of(path.read_text(encoding="utf-8"), relative(path))
    return found


@cache
def c_api_names() -> frozenset[str]:
    """The C functions, whose parameters are XGBoost's."""
    header = Path(ROOT / "include" / "kauri" / "c_api.h").read_text(encoding="utf-8")
    return frozenset(re.findall(r"\b((?:XG|Kauri)\w+)\s*\(", header))
