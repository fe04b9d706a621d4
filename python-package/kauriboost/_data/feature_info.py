"""Names and types of columns, common to data and boosters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from .._binding.calls import call_strings, count_strings, strings_in
from .._binding.errors import DataError
from .._binding.library import Function, check
from .._binding.owner import Owner


class FeatureInfo(Owner):
    """Base of objects with a handle whose columns have names and types."""

    _GET_STRINGS: ClassVar[Function]
    _SET_STRINGS: ClassVar[Function]

    def _strings(self, field: bytes) -> list[str] | None:
        return call_strings(self._GET_STRINGS, self.handle, field) or None

    def _set_strings(self, field: bytes, values: Sequence[str] | None) -> None:
        strings = [] if values is None else feature_strings(values)
        check(self._SET_STRINGS(self.handle, field, strings_in(strings), len(strings)))

    def _has_names(self) -> bool:
        """Return whether the columns have names; faster than fetching them."""
        return count_strings(self._GET_STRINGS, self.handle, b"feature_name") > 0

    def _set_types(self, types: str | Sequence[str] | None) -> None:
        self._set_strings(b"feature_type", types)

    @property
    def feature_names(self) -> list[str] | None:
        """The names of the columns, or None."""
        return self._strings(b"feature_name")

    @feature_names.setter
    def feature_names(self, names: Sequence[str] | None) -> None:
        if names is not None:
            check_names(names)
        self._set_strings(b"feature_name", names)

    @property
    def feature_types(self) -> list[str] | None:
        """The types of the columns, or None."""
        return self._strings(b"feature_type")

    @feature_types.setter
    def feature_types(self, types: str | Sequence[str] | None) -> None:
        self._set_types(types)


def feature_strings(values: Sequence[str]) -> list[str]:
    """Return a list of strings. Raises DataError for anything else."""
    strings = list(values)
    for value in strings:
        if not isinstance(value, str):
            raise DataError(f"feature names and types must be strings, got {value!r}.")
    return strings


def check_names(names: Sequence[str]) -> None:
    """Raise DataError for names that cannot be written in a dump of the model."""
    for name in feature_strings(names):
        if any(char in name for char in "[]<"):
            raise DataError(f"the feature name {name!r} holds '[', ']' or '<', which text dumps need; rename it.")
