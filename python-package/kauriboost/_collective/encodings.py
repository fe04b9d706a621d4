"""Encodings of numbers in messages, and operations on received numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from .._binding.errors import CollectiveError
from .._binding.packing import pack, packed_bytes_at_most, unpack


class Encoding(ABC):
    """Encoding of the messages of one kind of call."""

    @abstractmethod
    def written(self, values: np.ndarray) -> np.ndarray:
        """Return these numbers encoded, uint8, valid until the next call or change of `values`."""

    @abstractmethod
    def combine(self, values: np.ndarray, received: np.ndarray) -> None:
        """Combine `values` with the received numbers in place, by a sum or another operation."""

    @abstractmethod
    def replace(self, values: np.ndarray, received: np.ndarray) -> None:
        """Overwrite `values` with the received numbers."""


class Plain(Encoding):
    """Unencoded numbers, combined by their maximum."""

    def written(self, values: np.ndarray) -> np.ndarray:
        """Implement `Encoding.written`."""
        return values.view(np.uint8)

    def combine(self, values: np.ndarray, received: np.ndarray) -> None:
        """Implement `Encoding.combine`."""
        np.maximum(values, self._numbers(values, received), out=values)

    def replace(self, values: np.ndarray, received: np.ndarray) -> None:
        """Implement `Encoding.replace`."""
        values[:] = self._numbers(values, received)

    @staticmethod
    def _numbers(values: np.ndarray, received: np.ndarray) -> np.ndarray:
        if received.nbytes != values.nbytes:
            raise CollectiveError(f"a message has {received.nbytes} bytes; expected {values.nbytes}.")
        return received.view(values.dtype)


class Packed(Encoding):
    """int64 numbers in as few bytes as they need, combined by their sum. 64 bits suffice for sums over any rows."""

    def __init__(self) -> None:
        self._buffer = np.empty(0, dtype=np.uint8)

    def written(self, values: np.ndarray) -> np.ndarray:
        """Implement `Encoding.written`."""
        if len(self._buffer) < packed_bytes_at_most(len(values)):
            self._buffer = np.empty(packed_bytes_at_most(len(values)), dtype=np.uint8)
        return pack(values, self._buffer)

    def combine(self, values: np.ndarray, received: np.ndarray) -> None:
        """Implement `Encoding.combine`."""
        unpack(received, values, add=True)

    def replace(self, values: np.ndarray, received: np.ndarray) -> None:
        """Implement `Encoding.replace`."""
        unpack(received, values, add=False)
