"""The endpoint of one rank at its worker's station, used by the transports of its messages."""

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
        The station of its worker.
    group, epoch
        Identifiers of the group and epoch. Raises CollectiveError if the epoch is over.
    """

    def __init__(self, station: Station, group: str, epoch: int) -> None:
        self.station, self.group, self.epoch = station, group, epoch
        self.mailbox = station.mailbox(group, epoch)
        self.addresses = self.mailbox.addresses
        self.rank = self.addresses.index(station.worker.address)
        self._loop = event_loop(station.worker)

    def in_loop(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        """Run a coroutine in the worker's event loop and return its result; called from the thread of a task."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def name(self, rank: int | None = None) -> str:
        """Return the name of a rank in messages; of this rank by default."""
        number = self.rank if rank is None else rank
        return f"rank {number} ({self.addresses[number]})"

    def waited(self, what: str, expected: Header) -> str:
        """Return the error message for a message that did not arrive in time."""
        return (
            f"{self.name()} waited {self.mailbox.timeout:g} s {what} in {expected}. A worker that needs longer"
            " for its rows needs a larger `timeout`."
        )

    def end(self, why: str) -> None:
        """End the epoch here and, without waiting, at all reachable ranks."""
        self._loop.call_soon_threadsafe(self.end_in_loop, why)

    def end_in_loop(self, why: str) -> None:
        """End the epoch; called in the event loop."""
        self.mailbox.end(why)
        for rank, address in enumerate(self.addresses):
            if rank != self.rank:
                self.station.tell(address, ABORT, group=self.group, epoch=self.epoch, why=why)
