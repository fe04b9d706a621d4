"""One rank of a group whose ranks are workers of Dask."""

from __future__ import annotations

import asyncio

import numpy as np

from .._binding.errors import CollectiveError
from .._collective.messages import Header, MessageCollective, require_same
from .engine import event_loop
from .station import ABORT, Station


class DaskRank(MessageCollective):
    """Sends messages through a worker's own connections: its encryption, its network, no port besides.

    Calls come from the thread of a task and wait for the worker's event loop to send and receive.
    """

    def __init__(self, station: Station, group: str, epoch: int) -> None:
        self._mailbox = station.mailbox(group, epoch)
        self._station, self._group = station, group
        self._loop = event_loop(station.worker)
        self._sending: asyncio.Future[None] | None = None
        addresses = self._mailbox.addresses
        super().__init__(addresses.index(station.worker.address), len(addresses), epoch)

    def swap(self, to: int | None, outgoing: np.ndarray | None, source: int | None, expected: Header) -> np.ndarray:
        """As in `MessageCollective`."""
        step = self._swap_in_loop(to, None if outgoing is None else outgoing.tobytes(), source, expected)
        return asyncio.run_coroutine_threadsafe(step, self._loop).result()

    async def _swap_in_loop(
        self, to: int | None, outgoing: bytes | None, source: int | None, expected: Header
    ) -> np.ndarray:
        try:
            if self._sending is not None:  # messages to a rank arrive in their order
                await self._mailbox.wait_for(self._sending)
            if to is not None and outgoing is not None:
                self._sending = asyncio.ensure_future(self._post(to, outgoing, expected))
                self._sending.add_done_callback(_look_at)
            return np.empty(0, dtype=np.uint8) if source is None else await self._fetch(source, expected)
        except CollectiveError as error:
            self._tell_all(str(error))
            raise

    async def _post(self, to: int, outgoing: bytes, expected: Header) -> None:
        """Send a message. Nobody waits for its receipt before the next one; a failure ends the epoch."""
        header = expected._replace(n_bytes=len(outgoing))
        sending = self._station.send(self._mailbox.addresses[to], self._group, self.rank, header, outgoing)
        try:
            await asyncio.wait_for(sending, self._mailbox.timeout)
        except (asyncio.TimeoutError, TimeoutError):
            error = CollectiveError(self._waited(f"to send to {self.name(to)}", expected))
            self._tell_all(str(error))
            raise error from None
        except CollectiveError as error:
            self._tell_all(str(error))
            raise

    async def _fetch(self, source: int, expected: Header) -> np.ndarray:
        try:
            header, payload = await self._mailbox.take(source)
        except (asyncio.TimeoutError, TimeoutError):
            raise CollectiveError(self._waited(f"for {self.name(source)}", expected)) from None
        require_same(expected, header, self.name(), self.name(source))
        return payload

    def name(self, rank: int | None = None) -> str:
        """Return how messages call a rank; this one if none is given."""
        number = self.rank if rank is None else rank
        return f"rank {number} ({self._mailbox.addresses[number]})"

    def _waited(self, what: str, expected: Header) -> str:
        return (
            f"{self.name()} waited {self._mailbox.timeout:g} s {what} in {expected}. A worker that needs longer"
            " for its rows needs a larger `timeout`."
        )

    def _tell_all(self, why: str) -> None:
        """End the epoch here and, as far as they can be reached, at the others, for whose answers nobody waits."""
        self._mailbox.end(why)
        for rank, address in enumerate(self._mailbox.addresses):
            if rank != self.rank:
                self._station.tell(address, ABORT, group=self._group, epoch=self.epoch, why=why)

    def abort(self, why: str) -> None:
        """As in `Collective`."""
        self._loop.call_soon_threadsafe(self._tell_all, why)


def _look_at(sent: asyncio.Future[None]) -> None:
    """Take note of what came of a message, which may be the last: an exception that nobody looks at is a warning."""
    if not sent.cancelled():
        sent.exception()
