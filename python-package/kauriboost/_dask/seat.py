"""The place of one rank at its worker's station: what it shares with whatever carries its messages."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from .._collective.messages import Header
from .engine import event_loop
from .station import ABORT, Station

_Result = TypeVar("_Result")


class Seat:
    """One rank of one epoch.

    Parameters
    ----------
    station
        Of its worker.
    group, epoch
        Their names. Raises CollectiveError when the epoch is over.
    """

    def __init__(self, station: Station, group: str, epoch: int) -> None:
        self.station, self.group, self.epoch = station, group, epoch
        self.mailbox = station.mailbox(group, epoch)
        self.addresses = self.mailbox.addresses
        self.rank = self.addresses.index(station.worker.address)
        self._loop = event_loop(station.worker)

    def in_loop(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        """Have the worker's event loop do something, and wait for what comes of it; from the thread of a task."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def name(self, rank: int | None = None) -> str:
        """Return how messages call a rank; this one if none is given."""
        number = self.rank if rank is None else rank
        return f"rank {number} ({self.addresses[number]})"

    def waited(self, what: str, expected: Header) -> str:
        """Return what an error says of a message that did not come in time."""
        return (
            f"{self.name()} waited {self.mailbox.timeout:g} s {what} in {expected}. A worker that needs longer"
            " for its rows needs a larger `timeout`."
        )

    def end(self, why: str) -> None:
        """End the epoch here and, as far as they can be reached, at the others, for whose answers nobody waits."""
        self._loop.call_soon_threadsafe(self.end_in_loop, why)

    def end_in_loop(self, why: str) -> None:
        """`end`, from the event loop."""
        self.mailbox.end(why)
        for rank, address in enumerate(self.addresses):
            if rank != self.rank:
                self.station.tell(address, ABORT, group=self.group, epoch=self.epoch, why=why)
