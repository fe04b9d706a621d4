"""The callbacks through which the library communicates with other ranks."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, byref, c_int64, c_uint8, c_uint64, cast, create_string_buffer
from typing import Any, Callable, Protocol

import numpy as np

from .calls import call_handle
from .library import LIB
from .owner import Owner
from .signatures import (
    AbortCallback,
    CollectiveCalls,
    ErrorCallback,
    GatherCallback,
    MaxCallback,
    SumCallback,
    SumPartsCallback,
)


class Ranks(Protocol):
    """The methods that the library calls; see `kauriboost.collective.Collective`."""

    rank: int
    size: int

    def sum(self, values: np.ndarray) -> None:
        """Sum values over the ranks, in place."""

    def sum_parts(self, values: np.ndarray, begins: np.ndarray) -> None:
        """Sum this rank's part over the ranks, in place."""

    def max(self, values: np.ndarray) -> None:
        """Take the maximum over the ranks, in place."""

    def gather(self, mine: np.ndarray, sizes: np.ndarray, everything: np.ndarray) -> None:
        """Collect the bytes of all ranks."""

    def abort(self, why: str) -> None:
        """End the calls of all ranks."""


def _array(pointer: Any, count: int, kind: Any) -> np.ndarray:
    """Return `count` numbers of C memory as an array."""
    if count == 0:
        return np.empty(0, dtype=np.dtype(kind))
    return np.ctypeslib.as_array(cast(pointer, POINTER(kind)), shape=(count,))


class LibraryCollective(Owner):
    """A communicator in the library's form; a booster that trains with it keeps it alive.

    Attributes
    ----------
    raised
        The exception raised by a call; the library's error quotes it.
    """

    _FREE = LIB.KauriCollectiveFree

    def __init__(self, ranks: Ranks) -> None:
        self.raised: BaseException | None = None
        self._ranks = ranks
        self._message = create_string_buffer(b"")
        self._functions = (
            SumCallback(lambda _, values, n: self._guarded(lambda: ranks.sum(_array(values, n, c_int64)))),
            MaxCallback(lambda _, values, n: self._guarded(lambda: ranks.max(_array(values, n, c_uint64)))),
            GatherCallback(lambda _, *given: self._guarded(lambda: self._gather(*given))),
            AbortCallback(
                lambda _, why: self._guarded(lambda: ranks.abort((why or b"").decode(errors="replace"))) and None
            ),
            ErrorCallback(lambda _: ctypes.addressof(self._message)),
            SumPartsCallback(lambda _, *given: self._guarded(lambda: self._sum_parts(*given))),
        )
        calls = CollectiveCalls(ctypes.sizeof(CollectiveCalls), *self._functions)
        self.handle = call_handle(LIB.KauriCollectiveCreate, byref(calls), None, ranks.rank, ranks.size)

    def _sum_parts(self, values: Any, begins: Any) -> None:
        ends = _array(begins, self._ranks.size + 1, c_uint64).astype(np.int64)
        self._ranks.sum_parts(_array(values, int(ends[-1]), c_int64), ends)

    def _gather(self, mine: int | None, sizes: Any, everything: int | None) -> None:
        lengths = _array(sizes, self._ranks.size, c_uint64).astype(np.int64)
        own = _array(mine, int(lengths[self._ranks.rank]), c_uint8)
        self._ranks.gather(own, lengths, _array(everything, int(lengths.sum()), c_uint8))

    def _guarded(self, call: Callable[[], None]) -> int:
        """Return 0, or 1 if the call raised an exception, because exceptions must not pass through the library."""
        try:
            call()
        except BaseException as error:  # also an interrupt
            self.raised = error
            self._message = create_string_buffer((str(error) or type(error).__name__).encode())
            return 1
        return 0
