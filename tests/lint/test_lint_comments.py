"""Comments only name functions, types, constants and files that exist.

The check covers words that look like code: `MixedCase`, `kConstant`, `member_`, a name before `()` or `::`, text in
backquotes, and paths of sources. A name exists if it occurs in the code of any source of the project, including
strings.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from lint_sources import ROOT, cpp_files, python_files, relative

COMMENT = re.compile(r'("(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\')|(//[^\n]*|/\*.*?\*/)', re.DOTALL)
FILE = re.compile(r"(?<![\w./])[\w./-]+\.(?:h|cc|cu|cuh|py)\b")
NAME = re.compile(
    r"(?<![\w./-])(?:"
    r"[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+"  # MixedCase
    r"|k[A-Z]\w+"  # kConstant
    r"|[a-z][a-z0-9_]*_(?!\w)"  # member_
    r"|\w+(?=\(\)|::\w)"  # Name() and Name::
    r"|(?<=::)\w+"
    r"|(?<=`)[A-Za-z_]\w*(?=`)"  # `name`
    r")"
)
# Foreign names in comments, and words that look like names.
FOREIGN = {
    *("GiB", "KiB", "MiB", "NaNs"),
    *("QuickScorer", "RankNet", "SplitMix64"),  # from papers
    *("CompressStore", "foreach_target.h", "hwy/foreach_target.h"),  # Highway's
    "bool_constant",  # the standard library's
    "prod_",  # from formulas
    *("SetData", "SliceDMatrixEx", "kRtEps"),  # XGBoost's
    "openmp",  # a build option's value
}


def comments_and_code(text: str) -> tuple[list[tuple[int, str]], str]:
    """Return the comments with their lines, and the text without them."""
    comments = []
    for match in COMMENT.finditer(text):
        if match[2]:
            comments.append((text.count("\n", 0, match.start()) + 1, match[2]))
    return comments, COMMENT.sub(lambda match: match[1] or " ", text)


@cache
def comments_and_code_of(path: Path) -> tuple[list[tuple[int, str]], str]:
    return comments_and_code(path.read_text(encoding="utf-8"))


@cache
def known() -> tuple[frozenset[str], frozenset[str]]:
    """Return every word of code, and every path of a source with all its suffixes: a/b.h, b.h."""
    words: set[str] = set()
    files: set[str] = set()
    for path in cpp_files():
        words |= set(re.findall(r"\w+", comments_and_code_of(path)[1]))
    for path in python_files():
        words |= set(re.findall(r"\w+", path.read_text(encoding="utf-8")))
    for path in [*cpp_files(), *python_files(), ROOT / "kauri/version.h"]:
        parts = relative(path).split("/")
        files |= {"/".join(parts[i:]) for i in range(len(parts))}
    return frozenset(words), frozenset(files)


def dead_names(comment: str, words: frozenset[str], files: frozenset[str]) -> list[str]:
    found = [name for name in FILE.findall(comment) if name not in files and name not in FOREIGN]
    names = NAME.findall(FILE.sub(" ", comment))
    return found + [name for name in names if name not in words and name not in FOREIGN]


def test_comments_name_what_exists() -> None:
    words, files = known()
    found = [
        f"{relative(path)}:{line}: {name}"
        for path in cpp_files("include", "src", "plugin")
        for line, comment in comments_and_code_of(path)[0]
        for name in dead_names(comment, words, files)
    ]
    assert not found, "no code has these names; say what is there now, or add another's name to FOREIGN:\n" + "\n".join(
        found
    )


def test_foreign_names_are_spoken_of() -> None:
    comments = "\n".join(
        comment for path in cpp_files("include", "src", "plugin") for _, comment in comments_and_code_of(path)[0]
    )
    unused = sorted(name for name in FOREIGN if name not in comments)
    assert not unused, f"delete from FOREIGN: {unused}"


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("/// As Grow() does for trees of TreeParam, with kNoNode and rows_ of data/slice.h.", []),
        ("/// As Shrink() does.", ["Shrink"]),
        ("/// ScanKernel sums up.", ["ScanKernel"]),
        ("// kTableFeatures of them", ["kTableFeatures"]),
        ("// those of lost_", ["lost_"]),
        ("// see data/gone.h and `nothing`", ["data/gone.h", "nothing"]),
        ("// Written by a person from New Zealand, as it were.", []),
    ],
)
def test_dead_names_are_found(comment: str, expected: list[str]) -> None:
    words = frozenset({"Grow", "TreeParam", "kNoNode", "rows_"})
    assert dead_names(comment, words, frozenset({"data/slice.h", "slice.h"})) == expected


def test_strings_are_no_comments() -> None:
    comments, code = comments_and_code('auto a = "// no";  // yes\nint b;')
    assert comments == [(1, "// yes")]
    assert '"// no"' in code
    assert Path(__file__).name not in code
