"""Reference pages of the command line and of names (objectives, metrics, ...), made from `kauri help all`."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass

from blocks import BUILD

ENTRY = re.compile(r"^ {2}(?P<name>\S+)(?: \((?P<detail>.*)\))?\n(?P<text>(?: {6}.*\n)*)", re.MULTILINE)
NAMES = ("Objectives", "Metrics", "Boosters", "Tree methods", "Updaters", "Data formats")
DATA_KEYS = "Data keys of "
OTHER_NAMES = re.compile(r"^Other libraries' names of (?P<kind>.*)\n(?P<entries>(?: {2}.*\n)+)", re.MULTILINE)
OTHER_ENTRY = re.compile(r"(?P<names>(?:^ {2}\S.*\n)+)(?P<cure>(?:^ {6}.*\n)+)", re.MULTILINE)


@dataclass(frozen=True)
class Entry:
    """One name and its description."""

    name: str
    detail: str
    text: str


def help_text() -> str:
    """Return everything that the program prints about itself."""
    command = [str(BUILD / "bin" / "kauri"), "help", "all"]
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


def other_names() -> dict[str, list[tuple[list[str], str]]]:
    """Return for each kind of name ("parameters", "metrics", ...) other libraries' names and the advice on them."""
    return {
        part["kind"]: [
            (" ".join(entry["names"].split()).split(", "), " ".join(entry["cure"].split()))
            for entry in OTHER_ENTRY.finditer(part["entries"])
        ]
        for part in OTHER_NAMES.finditer(help_text())
    }


def table_of_other_names(kind: str) -> str:
    """Return a table of names of XGBoost's former versions, LightGBM, CatBoost and scikit-learn, and what to do."""
    rows = [f"| {', '.join(f'`{name}`' for name in names)} | {escaped(cure)} |" for names, cure in other_names()[kind]]
    return "\n".join(["| name elsewhere | here |", "|---|---|", *rows])


def escaped(text: str) -> str:
    """Return the text with the special characters of Markdown escaped."""
    return re.sub(r"([*<_\[\]{}|])", r"\\\1", text)


def command_line_page() -> str:
    """Return the page of the program's own keys."""
    text = help_text()
    usage, about = text.split("\n\n")[:2]  # before the tasks
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
    parts += [
        "## Names in other libraries",
        "An unknown name is an error. For the names of LightGBM, CatBoost, scikit-learn and former versions of XGBoost "
        "below, the message says what to write instead. The page of [parameters](parameters.md) has the names of "
        "parameters.",
    ]
    for kind in ("objectives", "metrics", "tree methods", "boosters"):
        parts += [f"### Other names of {kind}", table_of_other_names(kind)]
    return "\n\n".join(parts) + "\n"
