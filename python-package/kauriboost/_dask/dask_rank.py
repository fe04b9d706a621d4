"""A rank that runs in a task of a Dask worker."""

from __future__ import annotations

import numpy as np

from .._binding.errors import CollectiveError
from .._collective.messages import Awaited, MessageCollective, Outgoing
from .dask_transport import DaskTransport
from .engine import have_sockets
from .rank_endpoint import RankEndpoint
from .socket_transport import SocketTransport
from .worker_endpoint import WorkerEndpoint


class DaskRank(MessageCollective):
    """Sends messages through a worker's own connections, with its encryption and network and no additional port.

    Its methods are called from the thread of a task.
    """

    def __init__(self, worker: WorkerEndpoint, training_id: str, epoch: int) -> None:
        self._endpoint = RankEndpoint(worker, training_id, epoch)
        self._transport = (
            SocketTransport(self._endpoint) if have_sockets(self._endpoint.addresses) else DaskTransport(self._endpoint)
        )
        super().__init__(self._endpoint.rank, len(self._endpoint.addresses), epoch)

    def swap(self, outgoing: Outgoing | None, awaited: Awaited | None) -> np.ndarray:
        """Implement `MessageCollective.swap`."""
        try:
            with self._endpoint.inbox.at_work():
                return self._transport.swap(outgoing, awaited)
        except CollectiveError as error:
            self.abort(str(error))
            raise

    def name(self) -> str:
        """Return this rank's name in messages."""
        return self._endpoint.name()

    def abort(self, why: str) -> None:
        """Implement `Collective.abort`."""
        self._endpoint.end(why)
