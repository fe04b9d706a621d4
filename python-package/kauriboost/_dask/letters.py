"""Transport over Dask messages, for workers whose connections have no sockets, for example threads.

The thread of a task passes messages to the worker's event loop, which sends and receives them, and waits.
"""

from __future__ import annotations

import asyncio

import numpy as np

from .._binding.errors import CollectiveError
from .._collective.messages import Awaited, Header, Outgoing, require_same
from .seat import Seat


class Letters:
    """Sends and receives the messages of one rank."""

    def __init__(self, seat: Seat) -> None:
        self._seat = seat
        self._sending: asyncio.Future[None] | None = None

    def swap(self, outgoing: Outgoing | None, awaited: Awaited | None) -> np.ndarray:
        """Implement `MessageCollective.swap`."""
        payload = b"" if outgoing is None else outgoing.payload.tobytes()
        return self._seat.in_loop(self._swap(outgoing, payload, awaited))

    async def _swap(self, outgoing: Outgoing | None, payload: bytes, awaited: Awaited | None) -> np.ndarray:
        if self._sending is not None:  # keeps messages to a rank in order
            await self._seat.mailbox.wait_for(self._sending)
        if outgoing is not None:
            self._sending = asyncio.ensure_future(self._post(outgoing.to, payload, outgoing.header))
            self._sending.add_done_callback(_look_at)
        return np.empty(0, dtype=np.uint8) if awaited is None else await self._fetch(*awaited)

    async def _post(self, to: int, payload: bytes, header: Header) -> None:
        """Send a message. The next one does not wait for its receipt; a failure ends the epoch."""
        seat = self._seat
        sending = seat.station.send(seat.addresses[to], seat.group, seat.rank, header, payload)
        try:
            await asyncio.wait_for(sending, seat.mailbox.timeout)
        except (asyncio.TimeoutError, TimeoutError):
            error = CollectiveError(seat.waited(f"to send to {seat.name(to)}", header))
            seat.end_in_loop(str(error))
            raise error from None
        except CollectiveError as error:
            seat.end_in_loop(str(error))
            raise

    async def _fetch(self, source: int, expected: Header) -> np.ndarray:
        seat = self._seat
        try:
            header, payload = await seat.mailbox.take(source)
        except (asyncio.TimeoutError, TimeoutError):
            raise CollectiveError(seat.waited(f"for {seat.name(source)}", expected)) from None
        require_same(expected, header, seat.name(), seat.name(source))
        return payload


def _look_at(sent: asyncio.Future[None]) -> None:
    """Retrieve the exception of a sent message, which may be the last: an unretrieved one causes a warning."""
    if not sent.cancelled():
        sent.exception()
