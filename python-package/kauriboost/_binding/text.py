"""Texts on their way into the library and out."""

from __future__ import annotations

import json
import os
from typing import Any


def encode(text: str | os.PathLike[str]) -> bytes:
    """Return a C string of a file name, which keeps bytes that are not UTF-8."""
    return os.fsencode(text)


def encode_text(text: str) -> bytes:
    """Return a C string of a name or a value; what `decode` made of bytes that are not UTF-8 becomes them again."""
    return text.encode(errors="surrogateescape")


def decode(text: bytes) -> str:
    """Return a text of the library, whose names and attributes may be any bytes."""
    return text.decode(errors="surrogateescape")


def config(**members: Any) -> bytes:
    """Return a JSON configuration; NaN and infinities are written bare.

    Of a file name, bytes that are not UTF-8 stay what they are; no other reader of JSON would take them.
    """
    return encode_text(json.dumps(members, ensure_ascii=False))
