"""Calls grouped by the kind of their result: a handle, a number, texts, bytes."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import POINTER, Array, byref, c_char, c_char_p, c_int, c_uint64, string_at
from typing import Any

from .library import Function, check
from .signatures import Handle
from .text import decode, encode_text


def strings_in(strings: Sequence[str]) -> Array[c_char_p]:
    """Return a C array of strings."""
    return (c_char_p * len(strings))(*(encode_text(text) for text in strings))


def handles_in(handles: Sequence[Handle]) -> Array[Handle]:
    """Return a C array of handles."""
    return (Handle * len(handles))(*handles)


def call_handle(function: Function, *args: Any) -> Handle:
    """Call a function whose last argument receives a handle."""
    out = Handle()
    check(function(*args, byref(out)))
    return out


def call_count(function: Function, *args: Any) -> int:
    """Call a function whose last argument receives a count."""
    out = c_uint64()
    check(function(*args, byref(out)))
    return out.value


def call_int(function: Function, *args: Any) -> int:
    """Call a function whose last argument receives an int."""
    out = c_int()
    check(function(*args, byref(out)))
    return out.value


def call_text(function: Function, *args: Any) -> str:
    """Call a function whose last argument receives a text."""
    out = c_char_p()
    check(function(*args, byref(out)))
    return decode(out.value or b"")


def call_texts(function: Function, *args: Any) -> tuple[str, str]:
    """Call a function whose last arguments receive two texts."""
    first, second = c_char_p(), c_char_p()
    check(function(*args, byref(first), byref(second)))
    return decode(first.value or b""), decode(second.value or b"")


def call_bytes(function: Function, *args: Any) -> bytearray:
    """Call a function whose last arguments receive a length and bytes."""
    length = c_uint64()
    out = POINTER(c_char)()
    check(function(*args, byref(length), byref(out)))
    return bytearray(string_at(out, length.value))


def call_strings(function: Function, *args: Any) -> list[str]:
    """Call a function whose last arguments receive a count and strings."""
    length = c_uint64()
    out = POINTER(c_char_p)()
    check(function(*args, byref(length), byref(out)))
    return strings_out(out, length.value)


def count_strings(function: Function, *args: Any) -> int:
    """Call a function whose last arguments receive a count and strings; return only the count."""
    length = c_uint64()
    check(function(*args, byref(length), byref(POINTER(c_char_p)())))
    return length.value


def strings_out(strings: Any, length: int) -> list[str]:
    """Return the strings of a C array."""
    return [decode(strings[i]) for i in range(length)]
