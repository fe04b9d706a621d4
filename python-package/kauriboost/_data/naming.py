"""Names of columns in messages: the library reads arrays, which have none, and says a column's number."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from .._binding.errors import DataError, KauriError

_NUMBERED = re.compile(r"\b(column|feature) (\d+)\b(?! \(')")  # without a name behind it
_Method = TypeVar("_Method", bound=Callable[..., Any])


def add_names(error: KauriError, names: Sequence[str] | None) -> None:
    """Write the name of each column that a message speaks of behind its number."""

    def named(found: re.Match[str]) -> str:
        column = int(found[2])
        return f"{found[0]} ('{names[column]}')" if names is not None and column < len(names) else found[0]

    error.args = (_NUMBERED.sub(named, str(error)),)


@contextmanager
def naming_columns(names: Sequence[str] | None) -> Iterator[None]:
    """Name columns in the library's errors within a ``with`` block."""
    try:
        yield
    except KauriError as error:
        add_names(error, names)
        raise


def names_columns(method: _Method) -> _Method:
    """Name columns in the errors of a method as its object's `feature_names` do."""

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
    """Return the first names of a list, quoted, and how many more there are."""
    most = 10
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(repr(name) for name in names[:most]) + more


def _recall_categories(error: KauriError, model: Any) -> None:
    """Add to an error about columns of texts which of them held categories when the model was trained."""
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
    """Say within a ``with`` block which columns of texts held categories when the model was trained."""
    try:
        yield
    except KauriError as error:
        _recall_categories(error, model)
        raise
