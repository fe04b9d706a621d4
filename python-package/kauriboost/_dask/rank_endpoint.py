"""The endpoint of one rank of a training, used by the transports of its messages."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from .._collective.messages import Header
from .engine import event_loop
from .worker_endpoint import ABORT, WorkerEndpoint

_Result = TypeVar("_Result")


class RankEndpoint:
    """One rank of one epoch.

    Parameters
    ----------
    worker
        The endpoint of its worker.
    training_id, epoch
        Identifiers of the training and the epoch. Raises CollectiveError if the epoch is over.
    """

    def __init__(self, worker: WorkerEndpoint, training_id: str, epoch: int) -> None:
        self.worker, self.training_id, self.epoch = worker, training_id, epoch
        self.inbox = worker.inbox(training_id, epoch)
        self.addresses = self.inbox.addresses
        self.rank = self.addresses.index(worker.worker.address)
        self._loop = event_loop(worker.worker)

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
            f"{self.name()} waited {self.inbox.timeout:g} s {what} in {expected}. A worker that needs longer"
            " for its rows needs a larger `timeout`."
        )

    def end(self, why: str) -> None:
        """End the epoch here and, without waiting, at all reachable ranks."""
        self._loop.call_soon_threadsafe(self.end_in_loop, why)

    def end_in_loop(self, why: str) -> None:
        """End the epoch; called in the event loop."""
        self.inbox.end(why)
        for rank, address in enumerate(self.addresses):
            if rank != self.rank:
                self.worker.tell(address, ABORT, training_id=self.training_id, epoch=self.epoch, why=why)
