"""Ranks that are threads of one process."""

from __future__ import annotations

import queue
import threading
from typing import Union

import numpy as np

from .._binding.errors import CollectiveError
from .messages import Awaited, Header, MessageCollective, Outgoing, require_same

_Message = Union[tuple[Header, bytes], None]  # None: the communication has ended


class _SharedState:
    """State shared by all ranks."""

    def __init__(self, size: int) -> None:
        self.queues: dict[tuple[int, int], queue.SimpleQueue[_Message]] = {
            (source, to): queue.SimpleQueue() for source in range(size) for to in range(size)
        }
        self.lock = threading.Lock()
        self.why: str | None = None


class ThreadRank(MessageCollective):
    """A rank that runs in a thread; see `thread_group`."""

    def __init__(self, rank: int, size: int, shared: _SharedState, timeout: float) -> None:
        super().__init__(rank, size)
        self._shared, self._timeout = shared, timeout

    def swap(self, outgoing: Outgoing | None, awaited: Awaited | None) -> np.ndarray:
        """Implement `MessageCollective.swap`."""
        self._require_alive()
        if outgoing is not None:
            self._shared.queues[self.rank, outgoing.to].put((outgoing.header, outgoing.payload.tobytes()))
        if awaited is None:
            return np.empty(0, dtype=np.uint8)
        source, expected = awaited
        try:
            message = self._shared.queues[source, self.rank].get(timeout=self._timeout)
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
        if self._shared.why is not None:
            raise CollectiveError(self._shared.why)

    def abort(self, why: str) -> None:
        """Implement `Collective.abort`."""
        with self._shared.lock:
            if self._shared.why is None:
                self._shared.why = why
        for waiting in self._shared.queues.values():
            waiting.put(None)


def thread_group(size: int, timeout: float = 300.0) -> list[ThreadRank]:
    """Return ranks that are threads; a call waits up to `timeout` seconds for another rank."""
    shared = _SharedState(size)
    return [ThreadRank(rank, size, shared, timeout) for rank in range(size)]
