"""How users know a class: under which name, wherever its code lies, and by what it says of itself in a line."""

from __future__ import annotations

import inspect
import reprlib
from typing import Any, Callable, TypeVar

_Named = TypeVar("_Named", bound=Any)

_SHORT = reprlib.Repr()  # the first names of a long list, the ends of a long text
_SHORT.maxlist, _SHORT.maxstring, _SHORT.maxother = 4, 40, 60


def public(module: str) -> Callable[[_Named], _Named]:
    """Say that users import a class from `module`.

    Messages and pickles name that module and not the room of the code, so files outlive a move of the code.
    """

    def named(known: _Named) -> _Named:
        known.__module__ = module
        return known

    return named


def described(thing: object, **members: Any) -> str:
    """Return ``Class(member=value, ...)`` without the members that are None or empty."""
    texts = [f"{name}={_SHORT.repr(value)}" for name, value in members.items() if value is not None and value != []]
    return f"{type(thing).__name__}({', '.join(texts)})"


def described_by_arguments(thing: object) -> str:
    """Return the class with those arguments of its constructor that it keeps and that are not the default."""
    defaults = {name: parameter.default for name, parameter in inspect.signature(type(thing)).parameters.items()}
    kept = {name: getattr(thing, name, default) for name, default in defaults.items()}
    return described(thing, **{name: value for name, value in kept.items() if value is not defaults[name]})
