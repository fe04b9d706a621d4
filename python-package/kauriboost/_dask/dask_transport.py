"""Transport over Dask messages, for workers whose connections have no sockets, for example threads.

The thread of a task passes messages to the worker's event loop, which sends and receives them, and waits.
"""

from __future__ import annotations

import asyncio

import numpy as np

from .._binding.errors import CollectiveError
from .._collective.messages import Awaited, Header, Outgoing, require_same
from .rank_endpoint import RankEndpoint


class DaskTransport:
    """Sends and receives the messages of one rank."""

    def __init__(self, endpoint: RankEndpoint) -> None:
        self._endpoint = endpoint
        self._sending: asyncio.Future[None] | None = None

    def swap(self, outgoing: Outgoing | None, awaited: Awaited | None) -> np.ndarray:
        """Implement `MessageCollective.swap`."""
        payload = b"" if outgoing is None else outgoing.payload.tobytes()
        return self._endpoint.in_loop(self._swap(outgoing, payload, awaited))

    async def _swap(self, outgoing: Outgoing | None, payload: bytes, awaited: Awaited | None) -> np.ndarray:
        if self._sending is not None:  # keeps messages to a rank in order
            await self._endpoint.inbox.wait_for(self._sending)
        if outgoing is not None:
            self._sending = asyncio.ensure_future(self._post(outgoing.to, payload, outgoing.header))
            self._sending.add_done_callback(_retrieve_exception)
        return np.empty(0, dtype=np.uint8) if awaited is None else await self._fetch(*awaited)

    async def _post(self, to: int, payload: bytes, header: Header) -> None:
        """Send a message. The next one does not wait for its receipt; a failure ends the epoch."""
        endpoint = self._endpoint
        sending = endpoint.worker.send(endpoint.addresses[to], endpoint.training_id, endpoint.rank, header, payload)
        try:
            await asyncio.wait_for(sending, endpoint.inbox.timeout)
        except (asyncio.TimeoutError, TimeoutError):
            error = CollectiveError(endpoint.waited(f"to send to {endpoint.name(to)}", header))
            endpoint.end_in_loop(str(error))
            raise error from None
        except CollectiveError as error:
            endpoint.end_in_loop(str(error))
            raise

    async def _fetch(self, source: int, expected: Header) -> np.ndarray:
        endpoint = self._endpoint
        try:
            header, payload = await endpoint.inbox.take(source)
        except (asyncio.TimeoutError, TimeoutError):
            raise CollectiveError(endpoint.waited(f"for {endpoint.name(source)}", expected)) from None
        require_same(expected, header, endpoint.name(), endpoint.name(source))
        return payload


def _retrieve_exception(sent: asyncio.Future[None]) -> None:
    """Retrieve the exception of a sent message, which may be the last: an unretrieved one causes a warning."""
    if not sent.cancelled():
        sent.exception()
