"""The endpoint of groups at a Dask worker: message handlers beside Dask's own, on its connections.

Vocabulary. A group is one training. An epoch is one attempt of it, which ends when a worker is lost.

Everything here runs in the worker's event loop and never blocks it.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import Any

import numpy as np
from distributed import Worker
from distributed.diagnostics.plugin import WorkerPlugin

from .._binding.errors import CollectiveError
from .._collective.messages import Header
from .._collective.wires import Wire
from .engine import DONT_REPLY, as_frames, connect, take_over
from .mailbox import Mailbox

_MESSAGE = "kauriboost_message"
_WIRE = "kauriboost_wire"
OPEN = "kauriboost_open"
ABORT = "kauriboost_abort"
CLOSE = "kauriboost_close"
_SECONDS_TO_TELL = 30.0


class Station:
    """The mailboxes of one worker, and the state that its trainings keep between segments."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self._mailboxes: dict[str, Mailbox] = {}
        self._kept: dict[tuple[str, int], Any] = {}  # by group and epoch
        self._background: set[asyncio.Task[None]] = set()

    # ---- handlers ----

    async def open(self, group: str, epoch: int, addresses: list[str], timeout: float) -> str:
        """Begin an epoch; state of an earlier one is dropped."""
        if (old := self._mailboxes.get(group)) is not None:
            old.close(f"epoch {old.epoch} of the training is over.")
        self._drop(group)
        self._mailboxes[group] = Mailbox(epoch, addresses, timeout)
        asyncio.get_running_loop().call_later(timeout, self._close_idle, group)
        return "OK"

    async def message(self, group: str, sender: int, header: list[Any], payload: Any) -> str:
        """Accept a message; the answer says whether its group exists."""
        received = Header(*header)
        mailbox = self._mailboxes.get(group)
        if mailbox is None or mailbox.epoch != received.epoch:
            return self._over(received.epoch)
        mailbox.put(sender, received, np.frombuffer(payload, dtype=np.uint8))
        return mailbox.why or "OK"

    async def wire(self, comm: Any, group: str, epoch: int, sender: int) -> Any:
        """Accept a connection for messages of one rank, and keep it from Dask until the epoch is over."""
        mailbox = self._mailboxes.get(group)
        if mailbox is None or mailbox.epoch != epoch:
            return self._over(epoch)
        await comm.write("OK")
        try:
            await mailbox.put_wire(sender, take_over(comm))
        except asyncio.CancelledError:  # the worker is closing, and the connection with it
            mailbox.end(f"the worker {self.worker.address} is being closed.")
            raise
        return DONT_REPLY

    def _over(self, epoch: int) -> str:
        return f"there is no epoch {epoch} of the training at {self.worker.address}: it is over there."

    async def abort(self, group: str, epoch: int, why: str) -> str:
        """End an epoch if it is the current one."""
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
            mailbox.close("the training is over.")
        self._drop(group)

    def _drop(self, group: str) -> None:
        for key in [key for key in self._kept if key[0] == group]:
            del self._kept[key]

    def _close_idle(self, group: str) -> None:
        """Forget a group that has been idle for long, because its client is gone.

        This happens after twice the timeout, when a rank that waits for a silent one has given up.
        """
        mailbox = self._mailboxes.get(group)
        if mailbox is None:
            return
        left = mailbox.used + 2 * mailbox.timeout - time.monotonic()
        if left > 0 or mailbox.is_at_work or self._is_running(group, mailbox.epoch):
            asyncio.get_running_loop().call_later(max(left, mailbox.timeout), self._close_idle, group)
        else:
            self._forget(group)

    def _is_running(self, group: str, epoch: int) -> bool:
        return getattr(self._kept.get((group, epoch)), "is_running", False)

    # ---- for the tasks of this worker; from their threads ----

    def mailbox(self, group: str, epoch: int) -> Mailbox:
        """Return the mailbox of an epoch. Raises CollectiveError if the epoch is over."""
        mailbox = self._mailboxes.get(group)
        if mailbox is None or mailbox.epoch != epoch:
            raise CollectiveError(f"epoch {epoch} of the training is over at {self.worker.address}.")
        return mailbox

    def keep(self, group: str, epoch: int, state: Any) -> None:
        """Keep `state` for the duration of the epoch. Raises CollectiveError if it is over."""
        self.mailbox(group, epoch)
        self._kept[group, epoch] = state

    def kept(self, group: str, epoch: int) -> Any:
        """Return the kept state. Raises CollectiveError if the epoch is over."""
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

    async def connect(self, address: str, group: str, epoch: int, sender: int) -> Wire:
        """Connect to another worker for the messages of one rank. Raises CollectiveError on failure."""
        try:
            comm = await connect(self.worker, address)
            await comm.write({"op": _WIRE, "group": group, "epoch": epoch, "sender": sender})
            answer = await comm.read()
        except OSError as error:
            raise CollectiveError(f"the worker {address} cannot be reached ({error}).") from error
        if answer != "OK":
            comm.abort()
            raise CollectiveError(str(answer))
        return take_over(comm)

    def tell(self, address: str, operation: str, **arguments: Any) -> None:
        """Send a request to another worker in the background; if the worker is gone, this has no effect."""
        task = asyncio.ensure_future(self._tell(address, operation, arguments))
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def _tell(self, address: str, operation: str, arguments: dict[str, Any]) -> None:
        with suppress(OSError, asyncio.TimeoutError):
            await asyncio.wait_for(getattr(self.worker.rpc(address), operation)(**arguments), _SECONDS_TO_TELL)


class StationPlugin(WorkerPlugin):
    """Gives every worker of a cluster a station, including workers that join later."""

    name = "kauriboost"

    def setup(self, worker: Worker) -> None:
        """Add the handlers unless they exist, because a plugin registered again must not disturb running trainings."""
        if OPEN in worker.handlers:
            return
        station = Station(worker)
        worker.handlers.update(
            {
                _MESSAGE: station.message,
                _WIRE: station.wire,
                OPEN: station.open,
                ABORT: station.abort,
                CLOSE: station.close,
            }
        )


def station_of(worker: Worker) -> Station:
    """Return the station of a worker."""
    handler: Any | None = worker.handlers.get(OPEN)
    if handler is None:
        raise CollectiveError(
            f"the worker {worker.address} cannot receive messages of a training; start the training with train()."
        )
    station: Station = handler.__self__
    return station
