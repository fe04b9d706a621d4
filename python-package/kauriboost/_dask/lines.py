"""Transport over dedicated sockets: Dask connections, made through its listeners, with its encryption.

A pair of ranks gets a connection at its first message; the lower rank connects. From then on the thread of the task
reads and writes the socket itself, and the worker's event loop is not involved.
"""

from __future__ import annotations

import asyncio
from functools import partial

import numpy as np

from .._binding.errors import CollectiveError
from .._collective.messages import Awaited, Header, Outgoing, require_same
from .._collective.wires import Received, Sent, Wire
from .seat import Seat


class Lines:
    """Sends and receives the messages of one rank."""

    def __init__(self, seat: Seat) -> None:
        self._seat = seat
        self._wires: dict[int, Wire] = {}

    def swap(self, outgoing: Outgoing | None, awaited: Awaited | None) -> np.ndarray:
        """Implement `MessageCollective.swap`."""
        try:
            send = outgoing and Sent(self._wire(outgoing.to), outgoing.header, outgoing.payload)
            receive = awaited and Received(self._wire(awaited.source), partial(self._check, awaited))
            return self._seat.mailbox.exchange.swap(send, receive)
        except (asyncio.TimeoutError, TimeoutError):
            raise CollectiveError(self._seat.waited(*self._what(outgoing, awaited))) from None
        except OSError as error:
            what, header = self._what(outgoing, awaited)
            raise CollectiveError(f"{self._seat.name()} waited {what} in {header}: {error}.") from error

    def _what(self, outgoing: Outgoing | None, awaited: Awaited | None) -> tuple[str, Header]:
        """Return a text naming the ranks that this rank waits for, and the header of the call."""
        ranks, headers = [], []
        if outgoing is not None:
            ranks.append(outgoing.to)
            headers.append(outgoing.header)
        if awaited is not None:
            ranks.append(awaited.source)
            headers.append(awaited.header)
        return "for " + " and ".join(map(self._seat.name, dict.fromkeys(ranks))), headers[-1]

    def _check(self, awaited: Awaited, header: Header) -> None:
        require_same(awaited.header, header, self._seat.name(), self._seat.name(awaited.source))

    def _wire(self, rank: int) -> Wire:
        """Return the connection to a rank, making it if there is none yet."""
        wire = self._wires.get(rank)
        if wire is None:
            seat = self._seat
            if seat.rank < rank:
                wire = seat.in_loop(self._connect(rank))
                seat.mailbox.exchange.send_greeting(wire)
            else:
                wire = seat.in_loop(seat.mailbox.wire_of(rank))
                seat.mailbox.exchange.receive_greeting(wire)
            self._wires[rank] = wire
        return wire

    async def _connect(self, rank: int) -> Wire:
        seat = self._seat
        connecting = asyncio.ensure_future(
            seat.station.connect(seat.addresses[rank], seat.group, seat.epoch, seat.rank)
        )
        try:
            wire = await seat.mailbox.wait_for(connecting)
        finally:
            connecting.cancel()
        seat.mailbox.hold(wire)
        return wire
