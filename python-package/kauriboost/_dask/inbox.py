"""Incoming messages and connections of a rank for one epoch, until they are taken.

Everything here runs in the worker's event loop and never blocks it, unless stated otherwise.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from .._binding.errors import CollectiveError
from .._collective.messages import Header
from .._collective.wires import Exchange, Wire

_Result = TypeVar("_Result")


class Inbox:
    """Messages and connections that have arrived at one rank for one epoch of a training.

    Parameters
    ----------
    addresses
        Addresses of the workers, by rank.
    timeout
        Seconds without a message after which waiting for one fails.

    Attributes
    ----------
    exchange
        For messages over the rank's own connections.
    is_at_work
        True while the rank is in a call.
    """

    def __init__(self, epoch: int, addresses: Sequence[str], timeout: float) -> None:
        self.epoch, self.addresses, self.timeout = epoch, list(addresses), timeout
        self.why: str | None = None  # why the epoch has ended; None while it lasts
        self.exchange = Exchange(timeout)
        self.is_at_work = False
        self.used = time.monotonic()  # time of the last activity of the training
        self._messages: defaultdict[int, deque[tuple[Header, np.ndarray]]] = defaultdict(deque)
        self._wires: dict[int, Wire] = {}  # connections made by other ranks, by sender
        self._open: list[Wire] = []  # all connections
        self._waiters: dict[int, asyncio.Future[None]] = {}
        self._ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def put(self, sender: int, header: Header, payload: np.ndarray) -> None:
        """Add a message."""
        self._messages[sender].append((header, payload))
        self._wake(sender)

    async def put_wire(self, sender: int, wire: Wire) -> None:
        """Add a connection made by another rank, and wait until the inbox is closed."""
        self.hold(wire)
        self._wires[sender] = wire
        self._wake(sender)
        await asyncio.shield(self._closed)

    def hold(self, wire: Wire) -> None:
        """Register a connection to be closed with the inbox."""
        if self._closed.done():
            wire.close()
        else:
            self._open.append(wire)

    def end(self, why: str) -> None:
        """Make all current and later calls fail."""
        if self.why is None:
            self.why = why
            self._ended.set_result(None)
            self.exchange.end(why)
        for sender in list(self._waiters):
            self._wake(sender)

    def close(self, why: str) -> None:
        """End the epoch and close its connections. They stay open until now so that ranks are told of the end first."""
        self.end(why)
        for wire in self._open:
            wire.close()
        self.exchange.close()
        self._closed.set_result(None)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Mark the duration of a call of the rank, in its thread."""
        self.is_at_work = True
        try:
            yield
        finally:
            self.is_at_work = False
            self.used = time.monotonic()

    def _wake(self, sender: int) -> None:
        waiting = self._waiters.pop(sender, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(None)

    def require_alive(self) -> None:
        """Raise CollectiveError if the epoch has ended."""
        if self.why is not None:
            raise CollectiveError(self.why)

    async def wait_for(self, job: asyncio.Future[_Result]) -> _Result:
        """Wait for a result, or for the end of the epoch, which raises CollectiveError."""
        waited: set[asyncio.Future[Any]] = {job, self._ended}
        await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        self.require_alive()
        return job.result()

    async def take(self, sender: int) -> tuple[Header, np.ndarray]:
        """Wait for the next message of a rank. Raises TimeoutError, or CollectiveError when the epoch ends."""
        while not self._messages[sender]:
            await self._wait_to_wake(sender)
        self.require_alive()
        return self._messages[sender].popleft()

    async def wire_of(self, sender: int) -> Wire:
        """Wait for the connection made by a rank. Raises as `take`."""
        while sender not in self._wires:
            await self._wait_to_wake(sender)
        self.require_alive()
        return self._wires[sender]

    async def _wait_to_wake(self, sender: int) -> None:
        self.require_alive()
        self._waiters[sender] = asyncio.get_running_loop().create_future()
        try:
            await asyncio.wait_for(self._waiters[sender], self.timeout)
        finally:
            self._waiters.pop(sender, None)
