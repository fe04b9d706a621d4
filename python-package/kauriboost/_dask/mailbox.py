"""What has arrived at a rank for one epoch and nobody has taken yet: messages, and connections for messages.

Everything here runs in the worker's event loop and never blocks it, but for what says otherwise.
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


class Mailbox:
    """What has arrived for one epoch of a group at one of its ranks.

    Parameters
    ----------
    addresses
        Of the workers, by rank.
    timeout
        Seconds without a message after which one that is waited for fails.

    Attributes
    ----------
    exchange
        For messages over connections of the rank's own.
    is_at_work
        Whether the rank is in a call.
    """

    def __init__(self, epoch: int, addresses: Sequence[str], timeout: float) -> None:
        self.epoch, self.addresses, self.timeout = epoch, list(addresses), timeout
        self.why: str | None = None  # the epoch has ended
        self.exchange = Exchange(timeout)
        self.is_at_work = False
        self.used = time.monotonic()  # when the group was last heard of
        self._messages: defaultdict[int, deque[tuple[Header, np.ndarray]]] = defaultdict(deque)
        self._wires: dict[int, Wire] = {}  # those that others have made, by sender
        self._open: list[Wire] = []  # all
        self._waiting: dict[int, asyncio.Future[None]] = {}
        self._ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def put(self, sender: int, header: Header, payload: np.ndarray) -> None:
        """Add a message."""
        self._messages[sender].append((header, payload))
        self._wake(sender)

    async def put_wire(self, sender: int, wire: Wire) -> None:
        """Add a connection that another rank has made, and wait until the mailbox is closed."""
        self.hold(wire)
        self._wires[sender] = wire
        self._wake(sender)
        await asyncio.shield(self._closed)

    def hold(self, wire: Wire) -> None:
        """Have a connection closed with the mailbox."""
        if self._closed.done():
            wire.close()
        else:
            self._open.append(wire)

    def end(self, why: str) -> None:
        """Make every call fail that waits or will wait."""
        if self.why is None:
            self.why = why
            self._ended.set_result(None)
            self.exchange.end(why)
        for sender in list(self._waiting):
            self._wake(sender)

    def close(self, why: str) -> None:
        """End, and give up what was held. Connections stay until then, so that ranks are told of an end before."""
        self.end(why)
        for wire in self._open:
            wire.close()
        self.exchange.close()
        self._closed.set_result(None)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Around a call of the rank, in its thread."""
        self.is_at_work = True
        try:
            yield
        finally:
            self.is_at_work = False
            self.used = time.monotonic()

    def _wake(self, sender: int) -> None:
        waiting = self._waiting.pop(sender, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(None)

    def require_alive(self) -> None:
        """Raise CollectiveError if the epoch has ended."""
        if self.why is not None:
            raise CollectiveError(self.why)

    async def wait_for(self, job: asyncio.Future[_Result]) -> _Result:
        """Wait for something to be done, or for the end of the epoch: that raises CollectiveError."""
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
        """Wait for the connection that a rank makes. Raises as `take`."""
        while sender not in self._wires:
            await self._wait_to_wake(sender)
        self.require_alive()
        return self._wires[sender]

    async def _wait_to_wake(self, sender: int) -> None:
        self.require_alive()
        self._waiting[sender] = asyncio.get_running_loop().create_future()
        try:
            await asyncio.wait_for(self._waiting[sender], self.timeout)
        finally:
            self._waiting.pop(sender, None)
