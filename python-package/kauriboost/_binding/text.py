"""Conversion of texts for the library and back."""

from __future__ import annotations

import json
import os
from typing import Any


def encode(text: str | os.PathLike[str]) -> bytes:
    """Return a file name as a C string, keeping bytes that are not UTF-8."""
    return os.fsencode(text)


def encode_text(text: str) -> bytes:
    """Return a name or value as a C string; bytes that `decode` escaped because they are not UTF-8 are restored."""
    return text.encode(errors="surrogateescape")


def decode(text: bytes) -> str:
    """Return a text of the library, whose names and attributes may contain any bytes."""
    return text.decode(errors="surrogateescape")


def config(**members: Any) -> bytes:
    """Return a JSON configuration; NaN and infinities are written bare.

    Bytes of file names that are not UTF-8 are kept, which only the library's JSON reader accepts.
    """
    return encode_text(json.dumps(members, ensure_ascii=False))
