"""Column names in error messages. The library reads arrays, which have no names, and reports column numbers."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from .._binding.errors import DataError, KauriError

_NUMBERED = re.compile(r"\b(column|feature) (\d+)\b(?! \(')")  # only where no name follows
_Method = TypeVar("_Method", bound=Callable[..., Any])


def add_names(error: KauriError, names: Sequence[str] | None) -> None:
    """Add the column's name after each column number in a message."""

    def named(found: re.Match[str]) -> str:
        column = int(found[2])
        return f"{found[0]} ('{names[column]}')" if names is not None and column < len(names) else found[0]

    error.args = (_NUMBERED.sub(named, str(error)),)


@contextmanager
def naming_columns(names: Sequence[str] | None) -> Iterator[None]:
    """Add column names to the library's errors within a ``with`` block."""
    try:
        yield
    except KauriError as error:
        add_names(error, names)
        raise


def names_columns(method: _Method) -> _Method:
    """Add column names to the errors of a method, from its object's `feature_names`."""

    @functools.wraps(method)
    def naming(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return method(self, *args, **kwargs)
        except KauriError as error:
            add_names(error, self.feature_names)
            _recall_categories(error, self)
            raise

    return cast(_Method, naming)


def shown_names(names: Sequence[str]) -> str:
    """Return the first names of a list, quoted, and the number of further ones."""
    return shown_words([repr(name) for name in names])


def shown_words(words: Sequence[str]) -> str:
    """Return the first words of a list, and the number of further ones."""
    most = 10
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more


def _recall_categories(error: KauriError, model: Any) -> None:
    """Add the columns that held categories in training to an error about columns of text."""
    text = str(error)
    if not isinstance(error, DataError) or "not numbers" not in text:
        return
    types = zip(model.feature_names or [], model.feature_types or [])
    categorical = [name for name, kind in types if kind == "c"]
    held = [name for name in categorical if f" {name} (" in text or f"'{name}' holds" in text]
    if held:
        error.args = (
            f"{text} {shown_names(held)} held categories in training; make it such again: .astype('category') in "
            "pandas, .cast(pl.Categorical) in polars.",
        )


@contextmanager
def recalling_categories(model: Any) -> Iterator[None]:
    """Add, within a ``with`` block, the columns that held categories in training to errors about columns of text."""
    try:
        yield
    except KauriError as error:
        _recall_categories(error, model)
        raise


@contextmanager
def hinting_at_order() -> Iterator[None]:
    """Add advice on reordering columns to errors about the columns' order."""
    try:
        yield
    except DataError as error:
        if "in another order" in str(error):
            error.args = (f"{error} X[model.feature_names_in_] has the order of the model.",)
        raise
