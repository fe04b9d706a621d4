"""The name under which users know a class, wherever its code lies."""

from __future__ import annotations

from typing import Callable, TypeVar

_Class = TypeVar("_Class", bound=type)


def public(module: str) -> Callable[[_Class], _Class]:
    """Say that users import a class from `module`.

    Messages and pickles name that module and not the room of the code, so files outlive a move of the code.
    """

    def named(known: _Class) -> _Class:
        known.__module__ = module
        return known

    return named
