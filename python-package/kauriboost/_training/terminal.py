"""The width of texts on a terminal."""

from __future__ import annotations

import os
import shutil
import unicodedata
from typing import TextIO

_EMOJI = "\ufe0f"  # turns the previous character into an emoji, which takes two columns


def room_of(stream: TextIO) -> int:
    """Return the columns of a line except the last, after which some terminals wrap."""
    try:
        columns = os.get_terminal_size(stream.fileno()).columns
    except (AttributeError, OSError, ValueError):  # not a terminal
        columns = 0
    return (columns or shutil.get_terminal_size().columns) - 1


def width_of(text: str) -> int:
    """Return the number of columns of a text: two for a wide character, none for a combining mark."""
    return sum(map(_columns_of, text))


def _columns_of(character: str) -> int:
    if character == _EMOJI:
        return 1
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def cut(text: str, room: int) -> str:
    """Return the part of a text that fits, with an ellipsis if something was cut."""
    if width_of(text) <= room:
        return text
    end = 0
    while width_of(text[: end + 1]) < room:
        end += 1
    return f"{text[:end]}…" if room > 0 else ""
