"""Markdown table that grows row by row on standard output, with all of its numbers in a JSON file."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from .machine import describe_machine, versions

Row = dict[str, Any]
# Header, key of the row and format, as "{:.2f}". A row without the key, or with None, shows a dash.
Column = tuple[str, str, str]


class Report:
    """One table.

    Parameters
    ----------
    name
        The JSON file is ``NAME.json`` in the folder ``args.out``.
    title
        Title above the table.
    columns
        Columns of the table. A row may hold more numbers, which only the JSON file keeps.
    args
        The command's arguments. The JSON file keeps them, the machine and the versions beside the numbers.
    """

    def __init__(self, name: str, title: str, columns: list[Column], args: argparse.Namespace) -> None:
        self.columns = columns
        self.rows: list[Row] = []
        self.wrong: list[str] = []
        self.path = Path(args.out) / f"{name}.json"
        settings = {key: value for key, value in vars(args).items() if isinstance(value, (str, int, float))}
        self.document: Row = {
            "name": name,
            "title": title,
            "machine": describe_machine(args.device),
            "settings": settings,
            "rows": self.rows,
            "notes": [],
        }
        machine = self.document["machine"]
        print(f"\n**{title}** ({machine['device']}, {args.threads} threads of {machine['cpu']})\n")
        print("| " + " | ".join(header for header, _, _ in columns) + " |")
        print("|" + "---|" * len(columns), flush=True)

    def add(self, row: Row) -> None:
        """Print a row and save the report. If the row's `equal_bytes` or `right` is False, the command will fail."""
        self.rows.append(row)
        print(markdown_row(self.columns, row), flush=True)
        if row.get("equal_bytes") is False or row.get("right") is False:
            self.wrong.append(str(row.get("name", len(self.rows))))
        self._save()

    def note(self, text: str, **numbers: Any) -> None:
        """Print a line below the table and save it, with its numbers."""
        self.document["notes"].append({"text": text, **numbers})
        print(f"\n{text}", flush=True)
        self._save()

    def finish(self) -> int:
        """Return the exit status: 1 after a wrong answer."""
        print(f"\n{self.path}")
        for name in self.wrong:
            print(f"WRONG: {name}")
        return 1 if self.wrong else 0

    def _save(self) -> None:
        self.document["versions"] = versions()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps(self.document, indent=1) + "\n", encoding="utf-8")


def say(text: str) -> None:
    """Print progress to standard error, so that it stays out of the table."""
    print(text, file=sys.stderr, flush=True)


def markdown_row(columns: list[Column], row: Row) -> str:
    """Return one line of the table."""
    cells = ["-" if row.get(key) is None else form.format(row[key]) for _, key, form in columns]
    return "| " + " | ".join(cells) + " |"
