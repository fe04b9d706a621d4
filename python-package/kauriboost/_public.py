"""The public name of a class, independent of its file, and its one-line representation."""

from __future__ import annotations

import inspect
import reprlib
from typing import Any, Callable, TypeVar

_Named = TypeVar("_Named", bound=Any)

_SHORT = reprlib.Repr()  # the first names of a long list, the ends of a long text
_SHORT.maxlist, _SHORT.maxstring, _SHORT.maxother = 4, 40, 60


def public(module: str) -> Callable[[_Named], _Named]:
    """Declare that users import a class from `module`.

    Messages and pickles name that module instead of the file of the code, so pickles survive a move of the code.
    """

    def named(known: _Named) -> _Named:
        known.__module__ = module
        return known

    return named


def described(thing: object, **members: Any) -> str:
    """Return ``Class(member=value, ...)``, leaving out members that are None or empty."""
    texts = [f"{name}={_SHORT.repr(value)}" for name, value in members.items() if value is not None and value != []]
    return f"{type(thing).__name__}({', '.join(texts)})"


def described_by_arguments(thing: object) -> str:
    """Return the class with the constructor arguments that it keeps and that differ from their defaults."""
    defaults = {name: parameter.default for name, parameter in inspect.signature(type(thing)).parameters.items()}
    kept = {name: getattr(thing, name, default) for name, default in defaults.items()}
    return described(thing, **{name: value for name, value in kept.items() if value is not defaults[name]})
