"""Reference pages of the command line and of names (objectives, metrics, ...), made from the text of `kauri --help`."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass

from blocks import BUILD

ENTRY = re.compile(r"^ {2}(?P<name>\S+)(?: \((?P<detail>.*)\))?\n(?P<text>(?: {6}.*\n)*)", re.MULTILINE)
NAMES = ("Objectives", "Metrics", "Boosters", "Tree methods", "Updaters", "Data formats")
DATA_KEYS = "Data keys of "


@dataclass(frozen=True)
class Entry:
    """One name and its description."""

    name: str
    detail: str
    text: str


def help_text() -> str:
    """Return the text that the program prints."""
    command = [str(BUILD / "bin" / "kauri"), "--help"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def sections_of(text: str) -> dict[str, list[Entry]]:
    """Return heading -> entries, without the text before the first heading."""
    sections = {}
    for part in re.split(r"\n\n(?=\S)", text):
        heading, _, body = part.partition("\n")
        found = [Entry(m["name"], m["detail"] or "", " ".join(m["text"].split())) for m in ENTRY.finditer(f"{body}\n")]
        if found and not heading.startswith("usage"):
            sections[heading] = found
    return sections


def escaped(text: str) -> str:
    """Return the text with the special characters of Markdown escaped."""
    return re.sub(r"([*<_\[\]{}|])", r"\\\1", text)


def command_line_page() -> str:
    """Return the page of the program's own keys."""
    text = help_text()
    usage, about = text.split("\n\n")[:2]
    parts = [
        "# Command line",
        f"```text\n{usage}\n```",
        escaped(" ".join(about.split())),
        "The program knows the keys below besides all [parameters](parameters.md) of the library.",
    ]
    sections = sections_of(text)
    parts += map(option, sections["Command line"])
    parts += [
        "## Keys of data",
        "After the path of text follow a `?` and what is to be known of the text, with `&` between: "
        '`data="houses.csv?format=csv&label_column=sold"`. The same names are paths of '
        "{py:class}`~kauriboost.data.DMatrix`. `format` is one of the [data formats](names.md#data-formats); the "
        "endings `.libsvm`, `.svm` and `.csv`, also before `.gz`, say it by themselves.",
    ]
    for heading in sections:
        if heading.startswith(DATA_KEYS):
            parts += [f"### {heading.removeprefix(DATA_KEYS)}", *map(option, sections[heading])]
    return "\n\n".join(parts) + "\n"


def option(entry: Entry) -> str:
    """Return the Markdown of one key."""
    return f":::{{option}} {entry.name}\n*{escaped(entry.detail)}*\n\n{escaped(entry.text)}\n:::"


def names_page() -> str:
    """Return the page of names that parameters accept."""
    sections = sections_of(help_text())
    parts = [
        "# Names",
        "What `objective`, `eval_metric`, `booster`, `tree_method` and `updater` may be, and `format` of data.",
    ]
    for heading in NAMES:
        rows = [f"| `{entry.name}` | {escaped(entry.text)} |" for entry in sections[heading]]
        parts += [f"## {heading}", "\n".join(["| name | what it is |", "|---|---|", *rows])]
    return "\n\n".join(parts) + "\n"
