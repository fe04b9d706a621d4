"""How numbers are written in messages, and what becomes of those that arrive."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from .._binding.errors import CollectiveError
from .._binding.packing import pack, packed_room, unpack


class Encoding(ABC):
    """One for the messages of a call."""

    @abstractmethod
    def written(self, values: np.ndarray) -> np.ndarray:
        """Return the bytes of a message with these numbers, uint8, valid until the next call or change of `values`."""

    @abstractmethod
    def combine(self, values: np.ndarray, received: np.ndarray) -> None:
        """Make `values` the sums, or whatever the call is for, of themselves and the numbers that were received."""

    @abstractmethod
    def replace(self, values: np.ndarray, received: np.ndarray) -> None:
        """Make `values` those that were received."""


class Plain(Encoding):
    """Numbers as they are in memory, for their maxima."""

    def written(self, values: np.ndarray) -> np.ndarray:
        """As in `Encoding`."""
        return values.view(np.uint8)

    def combine(self, values: np.ndarray, received: np.ndarray) -> None:
        """As in `Encoding`."""
        np.maximum(values, self._numbers(values, received), out=values)

    def replace(self, values: np.ndarray, received: np.ndarray) -> None:
        """As in `Encoding`."""
        values[:] = self._numbers(values, received)

    @staticmethod
    def _numbers(values: np.ndarray, received: np.ndarray) -> np.ndarray:
        if received.nbytes != values.nbytes:
            raise CollectiveError(f"a message has {received.nbytes} bytes; expected {values.nbytes}.")
        return received.view(values.dtype)


class Packed(Encoding):
    """int64 numbers in as few bytes as they need, for their sums. 64 bits are there for the sums of any rows."""

    def __init__(self) -> None:
        self._room = np.empty(0, dtype=np.uint8)

    def written(self, values: np.ndarray) -> np.ndarray:
        """As in `Encoding`."""
        if len(self._room) < packed_room(len(values)):
            self._room = np.empty(packed_room(len(values)), dtype=np.uint8)
        return pack(values, self._room)

    def combine(self, values: np.ndarray, received: np.ndarray) -> None:
        """As in `Encoding`."""
        unpack(received, values, add=True)

    def replace(self, values: np.ndarray, received: np.ndarray) -> None:
        """As in `Encoding`."""
        unpack(received, values, add=False)
