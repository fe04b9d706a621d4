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
from .rank_endpoint import RankEndpoint


class SocketTransport:
    """Sends and receives the messages of one rank."""

    def __init__(self, endpoint: RankEndpoint) -> None:
        self._endpoint = endpoint
        self._wires: dict[int, Wire] = {}

    def swap(self, outgoing: Outgoing | None, awaited: Awaited | None) -> np.ndarray:
        """Implement `MessageCollective.swap`."""
        try:
            send = outgoing and Sent(self._wire(outgoing.to), outgoing.header, outgoing.payload)
            receive = awaited and Received(self._wire(awaited.source), partial(self._check, awaited))
            return self._endpoint.inbox.exchange.swap(send, receive)
        except (asyncio.TimeoutError, TimeoutError):
            raise CollectiveError(self._endpoint.waited(*self._what(outgoing, awaited))) from None
        except OSError as error:
            what, header = self._what(outgoing, awaited)
            raise CollectiveError(f"{self._endpoint.name()} waited {what} in {header}: {error}.") from error

    def _what(self, outgoing: Outgoing | None, awaited: Awaited | None) -> tuple[str, Header]:
        """Return a text naming the ranks that this rank waits for, and the header of the call."""
        ranks, headers = [], []
        if outgoing is not None:
            ranks.append(outgoing.to)
            headers.append(outgoing.header)
        if awaited is not None:
            ranks.append(awaited.source)
            headers.append(awaited.header)
        return "for " + " and ".join(map(self._endpoint.name, dict.fromkeys(ranks))), headers[-1]

    def _check(self, awaited: Awaited, header: Header) -> None:
        require_same(awaited.header, header, self._endpoint.name(), self._endpoint.name(awaited.source))

    def _wire(self, rank: int) -> Wire:
        """Return the connection to a rank, making it if there is none yet."""
        wire = self._wires.get(rank)
        if wire is None:
            endpoint = self._endpoint
            if endpoint.rank < rank:
                wire = endpoint.in_loop(self._connect(rank))
                endpoint.inbox.exchange.send_greeting(wire)
            else:
                wire = endpoint.in_loop(endpoint.inbox.wire_of(rank))
                endpoint.inbox.exchange.receive_greeting(wire)
            self._wires[rank] = wire
        return wire

    async def _connect(self, rank: int) -> Wire:
        endpoint = self._endpoint
        connecting = asyncio.ensure_future(
            endpoint.worker.connect(endpoint.addresses[rank], endpoint.training_id, endpoint.epoch, endpoint.rank)
        )
        try:
            wire = await endpoint.inbox.wait_for(connecting)
        finally:
            connecting.cancel()
        endpoint.inbox.hold(wire)
        return wire
