"""All functions of the library with their length and parameters, found by lizard, including CUDA."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import lizard
from lint_sources import ROOT, cpp_files, relative

# Each declaration in a list of parameters with bounds and descriptions is one statement.
DECLARATION_TABLE = "DMLC_DECLARE_PARAMETER"


@dataclass(frozen=True)
class Function:
    """A function definition."""

    file: str  # relative to the project's root
    name: str  # without its namespaces: "Walker::Walk"
    line: int
    length: int
    n_parameters: int


def count_parameters(signature: str) -> int:
    """Return the number of parameters, for example 3 for `f(A<B, C> const& a, int (*g)(int), D d)`."""
    inside = signature[signature.index("(") + 1 : signature.rindex(")")]
    if inside.strip() in {"", "void"}:
        return 0
    depth = 0
    count = 1
    for letter in inside:
        depth += (letter in "<([{") - (letter in ">)]}")
        count += letter == "," and depth == 0
    return count


@cache
def functions_of(text: str, file: str) -> list[Function]:
    """Return the definitions in `text`."""
    # lizard has no suffix for CUDA, but reads it as C++; it would take a qualifier before a name for the name.
    text = re.sub(r"__(?:global|device|host|forceinline|noinline)__|__launch_bounds__\([^)]*\)|KAURI_HD\b", "", text)
    analyser = lizard.FileAnalyzer(lizard.get_extensions([]))
    found = []
    for function in analyser.analyze_source_code("source.cc", text).function_list:
        if DECLARATION_TABLE in function.name:
            continue
        name = re.sub(r"<[^<>]*>", "", function.name)  # for a template's member
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
    """Return the definitions in include, src and plugin."""
    found: list[Function] = []
    for path in cpp_files("include", "src", "plugin"):
        found += functions_of(path.read_text(encoding="utf-8"), relative(path))
    return found


@cache
def c_api_names() -> frozenset[str]:
    """Return the C functions, whose parameters are XGBoost's."""
    header = Path(ROOT / "include" / "kauri" / "c_api.h").read_text(encoding="utf-8")
    return frozenset(re.findall(r"\b((?:XG|Kauri)\w+)\s*\(", header))
