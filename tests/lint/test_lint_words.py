"""Comments are written in plain English: they begin with a noun or a verb, and name what they speak of.

Checked over all comments of C++ and CUDA and over the comments and docstrings of Python. The two rates have no
exemptions: "those of" and "that of" make a reader look for the noun, and a comment that begins with "Of" or "Whether"
is no sentence.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from lint_sources import cpp_files, python_files, relative

NEVER_FIRST = re.compile(r"(?:Of|Those|That of|What|As|But for)\b")
FRAGMENT = re.compile(
    NEVER_FIRST.pattern + r"|(?:But|Where|In|Whether|Which|On|At|By|Among|Than|Nor|And|Or|Who|Whose|Whoever|Whatever)\b"
)
PRONOUN_OF = re.compile(r"\b(?:those|that) of\b", re.IGNORECASE)
MOST_PRONOUNS = 0.2  # per 1,000 words
MOST_FRAGMENTS = 0.01  # of all comments
LINE = re.compile(r"^\s*//[/!]?<?[ ]?(.*)$")
TRAILING = re.compile(r"\s//[/<]*\s([^\"]*)$")
FOR_TOOLS = re.compile(r"NOLINT|clang-format|^(?:noqa|type:|namespace )")


class Comment(NamedTuple):
    """Neighbouring lines of comment, as one text."""

    line: int
    text: str


def of_cpp(text: str) -> Iterator[Comment]:
    first, lines = 0, []
    for number, line in enumerate([*text.split("\n"), ""], 1):
        if match := LINE.match(line):
            first = first if lines else number
            lines.append(match[1].strip().removeprefix("\\file "))
            continue
        if lines:
            yield Comment(first, " ".join(lines).strip())
            lines = []
        if match := TRAILING.search(line):
            yield Comment(number, match[1].strip())


def of_python(text: str) -> Iterator[Comment]:
    last = -1
    lines: list[str] = []
    tokens = tokenize.generate_tokens(io.StringIO(text).readline) if "#" in text else ()  # reading them takes long
    for token in tokens:
        if token.type == tokenize.COMMENT and not token.string.startswith("#!"):
            if token.start[0] != last + 1 and lines:
                yield Comment(last, " ".join(lines))
                lines = []
            last = token.start[0]
            lines.append(token.string.lstrip("# "))
    if lines:
        yield Comment(last, " ".join(lines))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            docstring = ast.get_docstring(node)
            if docstring:
                yield Comment(getattr(node, "lineno", 1), docstring)


def sentences(comments: Iterator[Comment]) -> list[Comment]:
    return [comment for comment in comments if comment.text and not FOR_TOOLS.search(comment.text)]


@cache
def of_files(kind: str) -> dict[Path, list[Comment]]:
    if kind == "C++":
        return {path: sentences(of_cpp(path.read_text(encoding="utf-8"))) for path in cpp_files()}
    found = python_files("python-package", "tests", "demo")
    return {path: sentences(of_python(path.read_text(encoding="utf-8"))) for path in found}


@pytest.mark.parametrize("kind", ["C++", "Python"])
def test_no_comment_begins_with_a_pronoun(kind: str) -> None:
    wrong = [
        f"{relative(path)}:{comment.line}: {comment.text.splitlines()[0][:80]}"
        for path, comments in of_files(kind).items()
        for comment in comments
        if NEVER_FIRST.match(comment.text)
    ]
    assert not wrong, "begin with a verb, or with the noun that is meant:\n" + "\n".join(wrong)


@pytest.mark.parametrize("kind", ["C++", "Python"])
def test_rates(kind: str) -> None:
    comments = [(path, comment) for path, found in of_files(kind).items() for comment in found]
    words = sum(len(comment.text.split()) for _, comment in comments)
    pronouns = [(path, comment) for path, comment in comments for _ in PRONOUN_OF.findall(comment.text)]
    fragments = [(path, comment) for path, comment in comments if FRAGMENT.match(comment.text)]
    for found, most in ((pronouns, MOST_PRONOUNS * words / 1000), (fragments, MOST_FRAGMENTS * len(comments))):
        places = "\n".join(
            f"{relative(path)}:{comment.line}: {comment.text.splitlines()[0][:80]}" for path, comment in found
        )
        assert len(found) <= most, f"{len(found)} of at most {most:.0f}:\n{places}"


def test_what_is_a_comment() -> None:
    cpp = '/// Of rows.\n/// More.\nint a;  // those of b\nchar const* b = "// no";\n'
    assert list(of_cpp(cpp)) == [Comment(1, "Of rows. More."), Comment(3, "those of b")]
    python = '"""What it is."""\n\n# As one\n# comment\n\nx = 1  # That of x\n'
    assert {comment.text for comment in of_python(python)} == {"What it is.", "As one comment", "That of x"}
