"""Who frees what the library made."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from . import library as _lib


class SoleOwner:
    """The only owner of a handle: a copy or a pickle would free it a second time, so neither is made."""

    handle: _lib.Handle | None
    _INSTEAD: ClassVar[str]

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        """Refuse: copy.copy, copy.deepcopy and pickle all come here."""
        raise TypeError(f"a {type(self).__name__} can be neither copied nor pickled; {self._INSTEAD}.")
