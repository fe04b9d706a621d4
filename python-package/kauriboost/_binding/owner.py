"""Who frees what the library made."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from .library import Function
from .signatures import Handle


class Owner:
    """Frees a handle of the library with itself. The handle is there from the end of the constructor on."""

    handle: Handle
    _FREE: ClassVar[Function]

    def __del__(self) -> None:
        handle = self.__dict__.pop("handle", None)  # a constructor that raised leaves none
        if handle is not None:
            self._FREE(handle)


class SoleOwner(Owner):
    """The only owner of a handle: a copy or a pickle would free it a second time, so neither is made."""

    _INSTEAD: ClassVar[str]

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        """Refuse: copy.copy, copy.deepcopy and pickle all come here."""
        raise TypeError(f"a {type(self).__name__} can be neither copied nor pickled; {self._INSTEAD}.")
