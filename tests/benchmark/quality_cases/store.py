"""Measurements in a file, a JSON object a line, so that a run can be continued, extended and merged.

A line is appended as soon as it is measured. A line is found again by its set, entrant, split and settings (KEY).
If several lines have the same key, the last one counts, also over several files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Line = dict[str, Any]
KEY = ("set", "entrant", "split", "rows", "stopping", "threads")


def key_of(line: Line) -> tuple[Any, ...]:
    """Return what a line is found by."""
    return tuple(line[name] for name in KEY)


def read(paths: Iterable[Path]) -> list[Line]:
    """Return the lines of files, the last of each key. A last line that was cut off, by a kill, is left out."""
    found: dict[tuple[Any, ...], Line] = {}
    for path in paths:
        texts = path.read_text(encoding="utf-8").split("\n")
        for number, text in enumerate(texts):
            if not text:
                continue
            try:
                line = json.loads(text)
            except json.JSONDecodeError:
                if number != len(texts) - 1:
                    raise ValueError(f"{path}, line {number + 1} is no JSON: {text[:60]!r}") from None
                continue
            found[key_of(line)] = line
    return list(found.values())


class Store:
    """The measurements of a run. Without a path they are kept in memory only."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        lines = read([path]) if path is not None and path.is_file() else []
        self._lines = {key_of(line): line for line in lines}
        if path is not None and path.is_file():
            self._end_last_line(path)

    def find(self, line: Line) -> Line | None:
        """Return the measurement with the key of `line`, if there is one."""
        return self._lines.get(key_of(line))

    def add(self, line: Line) -> None:
        """Keep a measurement."""
        self._lines[key_of(line)] = line
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line, separators=(",", ":")) + "\n")

    @staticmethod
    def _end_last_line(path: Path) -> None:
        """Remove a last line that was cut off."""
        content = path.read_bytes()
        if content and not content.endswith(b"\n"):
            path.write_bytes(content[: content.rfind(b"\n") + 1])
