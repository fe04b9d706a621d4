"""The endpoint of trainings at a Dask worker: message handlers beside Dask's own, on its connections.

Vocabulary. A training has the same identifier at all its workers. An epoch is one attempt of it, which ends when a
worker is lost.

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
from .inbox import Inbox

_MESSAGE = "kauriboost_message"
_WIRE = "kauriboost_wire"
OPEN = "kauriboost_open"
ABORT = "kauriboost_abort"
CLOSE = "kauriboost_close"
_SECONDS_TO_TELL = 30.0


class WorkerEndpoint:
    """The inboxes of one worker, and the state that its trainings keep between segments."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self._inboxes: dict[str, Inbox] = {}
        self._kept: dict[tuple[str, int], Any] = {}  # by training and epoch
        self._background: set[asyncio.Task[None]] = set()

    # ---- handlers ----

    async def open(self, training_id: str, epoch: int, addresses: list[str], timeout: float) -> str:
        """Begin an epoch; state of an earlier one is dropped."""
        if (old := self._inboxes.get(training_id)) is not None:
            old.close(f"epoch {old.epoch} of the training is over.")
        self._drop(training_id)
        self._inboxes[training_id] = Inbox(epoch, addresses, timeout)
        asyncio.get_running_loop().call_later(timeout, self._close_idle, training_id)
        return "OK"

    async def message(self, training_id: str, sender: int, header: list[Any], payload: Any) -> str:
        """Accept a message; the answer says whether its training exists."""
        received = Header(*header)
        inbox = self._inboxes.get(training_id)
        if inbox is None or inbox.epoch != received.epoch:
            return self._over(received.epoch)
        inbox.put(sender, received, np.frombuffer(payload, dtype=np.uint8))
        return inbox.why or "OK"

    async def wire(self, comm: Any, training_id: str, epoch: int, sender: int) -> Any:
        """Accept a connection for messages of one rank, and keep it from Dask until the epoch is over."""
        inbox = self._inboxes.get(training_id)
        if inbox is None or inbox.epoch != epoch:
            return self._over(epoch)
        await comm.write("OK")
        try:
            await inbox.put_wire(sender, take_over(comm))
        except asyncio.CancelledError:  # the worker is closing, and the connection with it
            inbox.end(f"the worker {self.worker.address} is being closed.")
            raise
        return DONT_REPLY

    def _over(self, epoch: int) -> str:
        return f"there is no epoch {epoch} of the training at {self.worker.address}: it is over there."

    async def abort(self, training_id: str, epoch: int, why: str) -> str:
        """End an epoch if it is the current one."""
        inbox = self._inboxes.get(training_id)
        if inbox is not None and inbox.epoch == epoch:
            inbox.end(why)
        return "OK"

    async def close(self, training_id: str) -> str:
        """Forget a training."""
        self._forget(training_id)
        return "OK"

    def _forget(self, training_id: str) -> None:
        inbox = self._inboxes.pop(training_id, None)
        if inbox is not None:
            inbox.close("the training is over.")
        self._drop(training_id)

    def _drop(self, training_id: str) -> None:
        for key in [key for key in self._kept if key[0] == training_id]:
            del self._kept[key]

    def _close_idle(self, training_id: str) -> None:
        """Forget a training that has been idle for long, because its client is gone.

        This happens after twice the timeout, when a rank that waits for one that sends nothing has given up.
        """
        inbox = self._inboxes.get(training_id)
        if inbox is None:
            return
        left = inbox.used + 2 * inbox.timeout - time.monotonic()
        if left > 0 or inbox.is_at_work or self._is_running(training_id, inbox.epoch):
            asyncio.get_running_loop().call_later(max(left, inbox.timeout), self._close_idle, training_id)
        else:
            self._forget(training_id)

    def _is_running(self, training_id: str, epoch: int) -> bool:
        return getattr(self._kept.get((training_id, epoch)), "is_running", False)

    # ---- for the tasks of this worker; from their threads ----

    def inbox(self, training_id: str, epoch: int) -> Inbox:
        """Return the inbox of an epoch. Raises CollectiveError if the epoch is over."""
        inbox = self._inboxes.get(training_id)
        if inbox is None or inbox.epoch != epoch:
            raise CollectiveError(f"epoch {epoch} of the training is over at {self.worker.address}.")
        return inbox

    def keep(self, training_id: str, epoch: int, state: Any) -> None:
        """Keep `state` for the duration of the epoch. Raises CollectiveError if it is over."""
        self.inbox(training_id, epoch)
        self._kept[training_id, epoch] = state

    def kept(self, training_id: str, epoch: int) -> Any:
        """Return the kept state. Raises CollectiveError if the epoch is over."""
        self.inbox(training_id, epoch)
        return self._kept[training_id, epoch]

    async def send(self, address: str, training_id: str, sender: int, header: Header, payload: bytes) -> None:
        """Send a message to another worker. Raises CollectiveError if it cannot be delivered."""
        try:
            handler = getattr(self.worker.rpc(address), _MESSAGE)
            answer = await handler(
                training_id=training_id, sender=sender, header=list(header), payload=as_frames(payload)
            )
        except OSError as error:
            raise CollectiveError(f"the worker {address} cannot be reached ({error}).") from error
        if answer != "OK":
            raise CollectiveError(str(answer))

    async def connect(self, address: str, training_id: str, epoch: int, sender: int) -> Wire:
        """Connect to another worker for the messages of one rank. Raises CollectiveError on failure."""
        try:
            comm = await connect(self.worker, address)
            await comm.write({"op": _WIRE, "training_id": training_id, "epoch": epoch, "sender": sender})
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


class EndpointPlugin(WorkerPlugin):
    """Gives every worker of a cluster an endpoint, including workers that join later."""

    name = "kauriboost"

    def setup(self, worker: Worker) -> None:
        """Add the handlers unless they exist, because a plugin registered again must not disturb running trainings."""
        if OPEN in worker.handlers:
            return
        endpoint = WorkerEndpoint(worker)
        worker.handlers.update(
            {
                _MESSAGE: endpoint.message,
                _WIRE: endpoint.wire,
                OPEN: endpoint.open,
                ABORT: endpoint.abort,
                CLOSE: endpoint.close,
            }
        )


def endpoint_of(worker: Worker) -> WorkerEndpoint:
    """Return the endpoint of a worker."""
    handler: Any | None = worker.handlers.get(OPEN)
    if handler is None:
        raise CollectiveError(
            f"the worker {worker.address} cannot receive messages of a training; start the training with train()."
        )
    endpoint: WorkerEndpoint = handler.__self__
    return endpoint
