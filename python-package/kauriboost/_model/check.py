"""Validation of model files from any source."""

from __future__ import annotations

import os
from dataclasses import dataclass

from .._binding.errors import DataError, FileError, ModelError, ParameterError
from .._markup.markup import html_of, joined, paragraph, table
from .._public import described, public
from .booster import Booster
from .facts import facts_of
from .system import NO_WAITING

_OF_THE_FILE = ("objective", "booster", "rounds", "best round", "features")


@public("kauriboost.model")
@dataclass(frozen=True, repr=False)
class ModelCheck:
    """The result of `check`; true if the file is a usable model.

    Attributes
    ----------
    problem
        The reason why the file cannot be used; None if it can.
    facts
        Names and values: objective, booster, rounds, features; empty if the file cannot be used.
    attributes
        Names of the model's attributes, which affect nothing unless a program reads them.
    """

    problem: str | None
    facts: dict[str, str]
    attributes: list[str]

    def __bool__(self) -> bool:
        return self.problem is None

    def __repr__(self) -> str:
        return described(self, problem=self.problem, **self.facts, attributes=self.attributes)

    def _repr_html_(self) -> str:
        """Return HTML for notebooks."""
        verdict = paragraph("The model can be used." if self.problem is None else self.problem)
        return html_of(joined([verdict, table([], list(self.facts.items()), n_texts=2)]))


def _open_at_once(path: str, flags: int) -> int:
    """Open without blocking; otherwise a pipe that nobody writes to would block."""
    return os.open(path, flags | NO_WAITING)


def check(path: str | os.PathLike[str]) -> ModelCheck:
    """Return whether a file is a sound model, and of what kind; the file may come from an untrusted source.

    Reading it runs no code and opens no other file. Sizes, types, children of nodes, features and categories are
    checked before they are used. A sound file may still predict anything, and a small file may need much memory.

    Parameters
    ----------
    path
        A file in XGBoost's JSON or UBJSON.

    Raises
    ------
    FileError
        There is no such file, or it cannot be read.
    """
    try:
        with open(path, "rb", opener=_open_at_once):
            pass
    except OSError as error:
        raise FileError(f"cannot read {os.fspath(path)!r}: {error.strerror}; give the path of a model file.") from error
    try:
        booster = Booster(model_file=path)
    except (DataError, FileError, ModelError, ParameterError) as error:
        return ModelCheck(str(error), {}, [])
    facts = {name: value for name, value in facts_of(booster) if name in _OF_THE_FILE}
    return ModelCheck(None, facts, sorted(booster.attributes()))
