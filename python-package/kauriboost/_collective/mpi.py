"""Ranks that are processes of an MPI job, through mpi4py."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from .._public import public
from .collective import Collective

_logger = logging.getLogger("kauriboost")


@public("kauriboost.collective")
class MpiCollective(Collective):
    """The processes of an MPI communicator.

    MPI calls do not fail when another rank fails. Start the job as ``mpirun python -m mpi4py program.py``, which ends
    the whole job when one rank ends with an exception.

    Parameters
    ----------
    comm
        A communicator of ``mpi4py``; all processes of the job by default. It is duplicated, so that the messages
        do not mix with others.
    """

    def __init__(self, comm: Any = None) -> None:
        from mpi4py import MPI

        self._mpi = MPI
        self._comm = (MPI.COMM_WORLD if comm is None else comm).Dup()
        self.rank, self.size = self._comm.Get_rank(), self._comm.Get_size()

    def sum(self, values: np.ndarray) -> None:
        """Implement `Collective.sum`."""
        self._comm.Allreduce(self._mpi.IN_PLACE, values, op=self._mpi.SUM)

    def sum_parts(self, values: np.ndarray, begins: np.ndarray) -> None:
        """Implement `Collective.sum_parts`."""
        mine = values[begins[self.rank] : begins[self.rank + 1]]
        sums = np.empty_like(mine)
        self._comm.Reduce_scatter(values, sums, np.diff(begins).tolist(), op=self._mpi.SUM)
        mine[:] = sums

    def max(self, values: np.ndarray) -> None:
        """Implement `Collective.max`."""
        self._comm.Allreduce(self._mpi.IN_PLACE, values, op=self._mpi.MAX)

    def gather(self, mine: np.ndarray, sizes: np.ndarray, everything: np.ndarray) -> None:
        """Implement `Collective.gather`."""
        self._comm.Allgatherv(mine, [everything, sizes.tolist(), self._mpi.BYTE])

    def abort(self, why: str) -> None:
        """Log the reason; the other ranks learn of it when this process ends."""
        _logger.error("rank %d of %d: %s", self.rank, self.size, why)
