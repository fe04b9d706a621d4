"""Ownership of the library's objects."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from .library import Function
from .signatures import Handle


class Owner:
    """Frees a handle of the library when it is deleted. The handle exists after the constructor has returned."""

    handle: Handle
    _FREE: ClassVar[Function]

    def __del__(self) -> None:
        handle = self.__dict__.pop("handle", None)  # a constructor that raised leaves none
        if handle is not None:
            self._FREE(handle)


class SoleOwner(Owner):
    """The only owner of a handle; copies and pickles are refused, because they would free it a second time."""

    _INSTEAD: ClassVar[str]

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        """Raise TypeError; copy.copy, copy.deepcopy and pickle all call this."""
        raise TypeError(f"a {type(self).__name__} can be neither copied nor pickled; {self._INSTEAD}.")
