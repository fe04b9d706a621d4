"""Reference page of C functions, made from the doc blocks and declarations of include/kauri/c_api.h."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from blocks import ROOT

HEADER = ROOT / "include" / "kauri" / "c_api.h"
SECTION = re.compile(r"/\* ---- (.*?) -+ \*/")
PIECE = re.compile(
    r"(?P<doc>/\*\*.*?\*/)|(?P<comment>/\*.*?\*/)|(?P<directive>#[^\n]*)"
    r"|(?P<declaration>[A-Za-z](?:[^;{]|\{[^}]*\})*;)",
    re.DOTALL,
)


@dataclass
class Entry:
    """Declarations that share one description."""

    text: str
    declarations: list[str] = field(default_factory=list)


@dataclass
class Section:
    """The text and declarations below one heading of the header."""

    title: str
    text: str = ""
    entries: list[Entry] = field(default_factory=list)


def plain(comment: str) -> str:
    """Return a comment without its comment marks. Blank lines are kept."""
    lines = [re.sub(r"^ ?\* ?", "", line.strip()) for line in comment.strip("/").strip("*").split("\n")]
    return "\n".join(lines).strip()


def head(text: str) -> str:
    """Return the header's first doc block, which describes all functions."""
    paragraphs = plain(text[: text.index("*/") + 2]).removeprefix("\\file ").split("\n\n")
    return "\n\n".join(paragraph for paragraph in paragraphs if not paragraph.startswith("Longer than"))


def sections_of(text: str) -> list[Section]:
    """Return the header's declarations by heading. A declaration right below another one shares its text."""
    sections: list[Section] = []
    doc, end = None, 0
    for piece in PIECE.finditer(text, SECTION.search(text).start()):  # type: ignore[union-attr]
        if heading := SECTION.fullmatch(piece.group()):
            sections.append(Section(heading[1]))
        elif piece["doc"]:
            doc = plain(piece["doc"])
        elif piece["comment"]:
            sections[-1].text = plain(piece["comment"])
        elif piece["declaration"] and not re.fullmatch(r"struct \w+;", piece.group()):
            entries = sections[-1].entries
            if doc is not None or "\n\n" in text[end : piece.start()] or not entries:
                entries.append(Entry(doc or ""))
            entries[-1].declarations.append(piece["declaration"])
            doc, end = None, piece.end()
    return sections


def markdown_of(text: str, functions: set[str]) -> str:
    """Return a comment's text with a link for every function name."""
    text = re.sub(r"([*<\[\]])", r"\\\1", text)
    text = re.sub(r"`([^`]*)`", lambda match: "`" + match[1].replace("\\", "") + "`", text)
    words = re.compile(r"`[^`]*`|\b((?:XG|Kauri)\w+)\b(?:\(\))?")
    return words.sub(lambda word: f"{{c:func}}`{word[1]}`" if word[1] in functions else word[0], text)


def signature(declaration: str) -> str:
    """Return the declaration of a function in one line, as Sphinx reads it."""
    return re.sub(r"\s+", " ", declaration.removeprefix("KAURI_API ").rstrip(";"))


def name_of(declaration: str) -> str:
    """Return the name that a declaration declares."""
    if match := re.match(r"enum (\w+)|typedef [\w ]+?(\w+)\(|.*?(\w+)\(", declaration.split("{")[0], re.DOTALL):
        return next(name for name in match.groups() if name)
    return re.search(r"(\w+)\s*;$", declaration)[1]  # type: ignore[index]


def rendered(entry: Entry, functions: set[str]) -> str:
    """Return one entry in Markdown: functions with their text, or a type with its C code."""
    first = entry.declarations[0]
    text = markdown_of(entry.text, functions)
    if first.startswith("KAURI_API"):
        texts = [text] + [f"As {{c:func}}`{name_of(first)}`, above."] * (len(entry.declarations) - 1)
        told = zip(entry.declarations, texts, strict=True)
        return "\n".join(f":::{{c:function}} {signature(line)}\n\n{about}\n:::\n" for line, about in told)
    kind = "enum" if first.startswith("enum") else "type"
    return f"::::{{c:{kind}}} {name_of(first)}\n\n{text}\n\n```c\n{first}\n```\n::::\n"


def c_page() -> str:
    """Return the page in Markdown."""
    text = HEADER.read_text(encoding="utf-8")
    sections = sections_of(text)
    entries = [entry for section in sections for entry in section.entries]
    functions = {name_of(line) for entry in entries for line in entry.declarations if line.startswith("KAURI_API")}
    about = re.sub(r"^(\w+\.) ", r"**\1** ", markdown_of(head(text), functions), flags=re.MULTILINE)
    parts = ["# C functions", about]
    for section in sections:
        parts += [f"## {section.title}", markdown_of(section.text, functions)]
        parts += [rendered(entry, functions) for entry in section.entries]
    return "\n\n".join(parts) + "\n"
