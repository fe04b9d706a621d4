"""A rank of a group of Dask workers."""

from __future__ import annotations

import numpy as np

from .._binding.errors import CollectiveError
from .._collective.messages import Awaited, MessageCollective, Outgoing
from .engine import have_sockets
from .letters import Letters
from .lines import Lines
from .seat import Seat
from .station import Station


class DaskRank(MessageCollective):
    """Sends messages through a worker's own connections, with its encryption and network and no additional port.

    Its methods are called from the thread of a task.
    """

    def __init__(self, station: Station, group: str, epoch: int) -> None:
        self._seat = Seat(station, group, epoch)
        self._carrier = Lines(self._seat) if have_sockets(self._seat.addresses) else Letters(self._seat)
        super().__init__(self._seat.rank, len(self._seat.addresses), epoch)

    def swap(self, outgoing: Outgoing | None, awaited: Awaited | None) -> np.ndarray:
        """Implement `MessageCollective.swap`."""
        try:
            with self._seat.mailbox.at_work():
                return self._carrier.swap(outgoing, awaited)
        except CollectiveError as error:
            self.abort(str(error))
            raise

    def name(self) -> str:
        """Return this rank's name in messages."""
        return self._seat.name()

    def abort(self, why: str) -> None:
        """Implement `Collective.abort`."""
        self._seat.end(why)
