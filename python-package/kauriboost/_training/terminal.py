"""How much of a text fits into a line of a terminal."""

from __future__ import annotations

import os
import shutil
import unicodedata
from typing import TextIO

_EMOJI = "\ufe0f"  # makes an emoji of the character before it, which then takes two columns


def room_of(stream: TextIO) -> int:
    """Return the columns of a line, without the last: some terminals go to the next line after it."""
    try:
        columns = os.get_terminal_size(stream.fileno()).columns
    except (AttributeError, OSError, ValueError):  # no terminal
        columns = 0
    return (columns or shutil.get_terminal_size().columns) - 1


def width_of(text: str) -> int:
    """Return the columns that a text takes: two for a wide character, none for a mark on the one before it."""
    return sum(map(_columns_of, text))


def _columns_of(character: str) -> int:
    if character == _EMOJI:
        return 1
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def cut(text: str, room: int) -> str:
    """Return as much of a text as fits, with an ellipsis where something is left out."""
    if width_of(text) <= room:
        return text
    end = 0
    while width_of(text[: end + 1]) < room:
        end += 1
    return f"{text[:end]}…" if room > 0 else ""
