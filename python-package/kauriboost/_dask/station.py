"""Where the messages of groups arrive at a worker of Dask: handlers beside Dask's own, on the connections that it has.

Vocabulary. A group is one training; an epoch is one attempt of it, which ends when a worker is lost. A mailbox holds
what has arrived for one epoch and nobody has taken yet.

Everything here runs in the worker's event loop and never blocks it.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from distributed import Worker
from distributed.diagnostics.plugin import WorkerPlugin

from .._binding.errors import CollectiveError
from .._collective.messages import Header
from .engine import as_frames

_MESSAGE = "kauriboost_message"
OPEN = "kauriboost_open"
ABORT = "kauriboost_abort"
CLOSE = "kauriboost_close"
_SECONDS_TO_TELL = 30.0


class Mailbox:
    """What has arrived for one epoch of a group at one of its ranks.

    Parameters
    ----------
    addresses
        Of the workers, by rank.
    timeout
        Seconds without a message after which one that is waited for fails.
    """

    def __init__(self, epoch: int, addresses: Sequence[str], timeout: float) -> None:
        self.epoch, self.addresses, self.timeout = epoch, list(addresses), timeout
        self.why: str | None = None  # the epoch has ended
        self._messages: defaultdict[int, deque[tuple[Header, np.ndarray]]] = defaultdict(deque)
        self._waiting: dict[int, asyncio.Future[None]] = {}
        self._ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def put(self, sender: int, header: Header, payload: np.ndarray) -> None:
        """Add a message."""
        self._messages[sender].append((header, payload))
        self._wake(sender)

    def end(self, why: str) -> None:
        """Make every call fail that waits or will wait."""
        if self.why is None:
            self.why = why
            self._ended.set_result(None)
        for sender in list(self._waiting):
            self._wake(sender)

    @property
    def is_waited_at(self) -> bool:
        """Whether the rank waits for a message."""
        return bool(self._waiting)

    def _wake(self, sender: int) -> None:
        waiting = self._waiting.pop(sender, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(None)

    def require_alive(self) -> None:
        """Raise CollectiveError if the epoch has ended."""
        if self.why is not None:
            raise CollectiveError(self.why)

    async def wait_for(self, job: asyncio.Future[None]) -> None:
        """Wait for something to be done, or for the end of the epoch: that raises CollectiveError."""
        await asyncio.wait({job, self._ended}, return_when=asyncio.FIRST_COMPLETED)
        self.require_alive()
        job.result()

    async def take(self, sender: int) -> tuple[Header, np.ndarray]:
        """Wait for the next message of a rank. Raises TimeoutError, or CollectiveError when the epoch ends."""
        while not self._messages[sender]:
            self.require_alive()
            self._waiting[sender] = asyncio.get_running_loop().create_future()
            try:
                await asyncio.wait_for(self._waiting[sender], self.timeout)
            finally:
                self._waiting.pop(sender, None)
        self.require_alive()
        return self._messages[sender].popleft()


class Station:
    """The mailboxes of one worker, and what its trainings keep between segments."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self._mailboxes: dict[str, Mailbox] = {}
        self._kept: dict[tuple[str, int], Any] = {}  # by group and epoch
        self._used: dict[str, float] = {}  # when a group was last heard of
        self._background: set[asyncio.Task[None]] = set()

    # ---- handlers ----

    async def open(self, group: str, epoch: int, addresses: list[str], timeout: float) -> str:
        """Begin an epoch; what an earlier one left is dropped."""
        if (old := self._mailboxes.get(group)) is not None:
            old.end(f"epoch {old.epoch} of the training is over.")
        self._drop(group)
        self._mailboxes[group] = Mailbox(epoch, addresses, timeout)
        self._touch(group)
        asyncio.get_running_loop().call_later(timeout, self._close_idle, group)
        return "OK"

    async def message(self, group: str, sender: int, header: list[Any], payload: Any) -> str:
        """Take a message; the answer says whether there is a group that it is for."""
        mailbox = self._mailboxes.get(group)
        received = Header(*header)
        if mailbox is None or mailbox.epoch != received.epoch:
            return f"there is no epoch {received.epoch} of the training at {self.worker.address}: it is over there."
        self._touch(group)
        mailbox.put(sender, received, np.frombuffer(payload, dtype=np.uint8))
        return mailbox.why or "OK"

    async def abort(self, group: str, epoch: int, why: str) -> str:
        """End an epoch, if it is still the one."""
        mailbox = self._mailboxes.get(group)
        if mailbox is not None and mailbox.epoch == epoch:
            mailbox.end(why)
        return "OK"

    async def close(self, group: str) -> str:
        """Forget a group."""
        self._forget(group)
        return "OK"

    def _forget(self, group: str) -> None:
        mailbox = self._mailboxes.pop(group, None)
        if mailbox is not None:
            mailbox.end("the training is over.")
        self._drop(group)
        self._used.pop(group, None)

    def _drop(self, group: str) -> None:
        for key in [key for key in self._kept if key[0] == group]:
            del self._kept[key]

    def _touch(self, group: str) -> None:
        self._used[group] = asyncio.get_running_loop().time()

    def _close_idle(self, group: str) -> None:
        """Forget a group that nobody has spoken of for its timeout and that does nothing: its client is gone."""
        mailbox = self._mailboxes.get(group)
        if mailbox is None:
            return
        loop = asyncio.get_running_loop()
        left = self._used[group] + mailbox.timeout - loop.time()
        if left > 0 or mailbox.is_waited_at or self._is_running(group, mailbox.epoch):
            loop.call_later(max(left, mailbox.timeout), self._close_idle, group)
        else:
            self._forget(group)

    def _is_running(self, group: str, epoch: int) -> bool:
        return getattr(self._kept.get((group, epoch)), "is_running", False)

    # ---- for the tasks of this worker; from their threads ----

    def mailbox(self, group: str, epoch: int) -> Mailbox:
        """Return that of an epoch. Raises CollectiveError when it is over."""
        mailbox = self._mailboxes.get(group)
        if mailbox is None or mailbox.epoch != epoch:
            raise CollectiveError(f"epoch {epoch} of the training is over at {self.worker.address}.")
        return mailbox

    def keep(self, group: str, epoch: int, state: Any) -> None:
        """Keep something as long as the epoch lasts. Raises CollectiveError when it is over."""
        self.mailbox(group, epoch)
        self._kept[group, epoch] = state

    def kept(self, group: str, epoch: int) -> Any:
        """Return what is kept. Raises CollectiveError when the epoch is over."""
        self.mailbox(group, epoch)
        return self._kept[group, epoch]

    async def send(self, address: str, group: str, sender: int, header: Header, payload: bytes) -> None:
        """Send a message to another worker. Raises CollectiveError if it cannot be delivered."""
        try:
            handler = getattr(self.worker.rpc(address), _MESSAGE)
            answer = await handler(group=group, sender=sender, header=list(header), payload=as_frames(payload))
        except OSError as error:
            raise CollectiveError(f"the worker {address} cannot be reached ({error}).") from error
        if answer != "OK":
            raise CollectiveError(str(answer))

    def tell(self, address: str, operation: str, **arguments: Any) -> None:
        """Say something to another worker, in the background; one that is gone need not hear it."""
        task = asyncio.ensure_future(self._tell(address, operation, arguments))
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def _tell(self, address: str, operation: str, arguments: dict[str, Any]) -> None:
        with suppress(OSError, asyncio.TimeoutError):
            await asyncio.wait_for(getattr(self.worker.rpc(address), operation)(**arguments), _SECONDS_TO_TELL)


class StationPlugin(WorkerPlugin):
    """Gives every worker of a cluster a station, those that come later as well."""

    name = "kauriboost"

    def setup(self, worker: Worker) -> None:
        """Add the handlers, unless they are there: a plugin that is registered again finds trainings at work."""
        if OPEN in worker.handlers:
            return
        station = Station(worker)
        worker.handlers.update(
            {_MESSAGE: station.message, OPEN: station.open, ABORT: station.abort, CLOSE: station.close}
        )


def station_of(worker: Worker) -> Station:
    """Return the station of a worker."""
    handler: Any | None = worker.handlers.get(OPEN)
    if handler is None:
        raise CollectiveError(f"the worker {worker.address} has no station for messages; train() registers it.")
    station: Station = handler.__self__
    return station
