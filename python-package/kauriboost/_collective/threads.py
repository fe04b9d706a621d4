"""Ranks that are threads of one process."""

from __future__ import annotations

import queue
import threading
from typing import Union

import numpy as np

from .._binding.errors import CollectiveError
from .messages import Awaited, Header, MessageCollective, Outgoing, require_same

_Message = Union[tuple[Header, bytes], None]  # None: the group has ended


class _Room:
    """State shared by the ranks of a group."""

    def __init__(self, size: int) -> None:
        self.queues: dict[tuple[int, int], queue.SimpleQueue[_Message]] = {
            (source, to): queue.SimpleQueue() for source in range(size) for to in range(size)
        }
        self.lock = threading.Lock()
        self.why: str | None = None


class ThreadRank(MessageCollective):
    """A rank that runs in a thread; see `thread_group`."""

    def __init__(self, rank: int, size: int, room: _Room, timeout: float) -> None:
        super().__init__(rank, size)
        self._room, self._timeout = room, timeout

    def swap(self, outgoing: Outgoing | None, awaited: Awaited | None) -> np.ndarray:
        """Implement `MessageCollective.swap`."""
        self._require_alive()
        if outgoing is not None:
            self._room.queues[self.rank, outgoing.to].put((outgoing.header, outgoing.payload.tobytes()))
        if awaited is None:
            return np.empty(0, dtype=np.uint8)
        source, expected = awaited
        try:
            message = self._room.queues[source, self.rank].get(timeout=self._timeout)
        except queue.Empty:
            self.abort(f"rank {self.rank} waited {self._timeout:g} s for rank {source} in {expected}.")
            message = None
        if message is None:
            self._require_alive()
            raise CollectiveError("the group has ended.")
        try:
            require_same(expected, message[0], f"rank {self.rank}", f"rank {source}")
        except CollectiveError as error:
            self.abort(str(error))
            raise
        return np.frombuffer(message[1], dtype=np.uint8)

    def _require_alive(self) -> None:
        if self._room.why is not None:
            raise CollectiveError(self._room.why)

    def abort(self, why: str) -> None:
        """Implement `Collective.abort`."""
        with self._room.lock:
            if self._room.why is None:
                self._room.why = why
        for waiting in self._room.queues.values():
            waiting.put(None)


def thread_group(size: int, timeout: float = 300.0) -> list[ThreadRank]:
    """Return the ranks of a group of threads; a call waits up to `timeout` seconds for another rank."""
    room = _Room(size)
    return [ThreadRank(rank, size, room, timeout) for rank in range(size)]
