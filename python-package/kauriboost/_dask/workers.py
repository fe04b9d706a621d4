"""The workers of one epoch, as seen by the client: their tasks, their presence, and their end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from .._binding.errors import CollectiveError
from .worker_endpoint import ABORT, CLOSE, OPEN

_SECONDS_BETWEEN_CHECKS = 0.5
_SECONDS_TO_NOTICE = 3.0  # maximum time until the scheduler notices that a worker is gone
_SECONDS_TO_END = 30.0  # maximum time for a rank to finish after being told of the end


class WorkerLostError(CollectiveError):
    """A worker was lost, and the epoch with it."""


class Workers:
    """The workers of one epoch of a training.

    Parameters
    ----------
    client
        The Dask client.
    training_id, epoch
        Identifiers of the training and the epoch.
    addresses
        Addresses of the workers, by rank.
    """

    def __init__(self, client: Any, training_id: str, epoch: int, addresses: Sequence[str]) -> None:
        self._client, self._training_id, self._epoch = client, training_id, epoch
        self.addresses = list(addresses)

    async def open(self, timeout: float) -> None:
        """Make the workers expect messages of the epoch."""
        await self._tell(OPEN, epoch=self._epoch, addresses=self.addresses, timeout=timeout)

    async def close(self) -> None:
        """Make the workers forget the training."""
        await self._tell(CLOSE)

    async def _tell(self, operation: str, **arguments: Any) -> None:
        there = list(await self._there())
        message = {"op": operation, "training_id": self._training_id, **arguments}
        await self._client.scheduler.broadcast(msg=message, workers=there, on_error="ignore")

    async def _there(self) -> dict[str, int]:
        """Return the workers that are present."""
        there: dict[str, int] = await self._client.scheduler.ncores(workers=self.addresses)
        return there

    async def run(self, function: Callable[..., Any], arguments: Sequence[Sequence[Any]]) -> list[Any]:
        """Run a function on every rank at the same time; return the results by rank.

        Raises
        ------
        WorkerLostError
            One of the workers has gone.
        Exception
            The exception of the function, from the rank that failed first.
        """
        futures = [
            self._client.submit(
                function,
                self._training_id,
                self._epoch,
                *given,
                workers=[address],
                allow_other_workers=False,
                pure=False,
            )
            for address, given in zip(self.addresses, arguments)
        ]
        results = [asyncio.ensure_future(_result(future)) for future in futures]
        try:
            await self._wait(results)
            return [result.result() for result in results]
        finally:
            for result in results:
                result.cancel()
            await self._client.cancel([future for future in futures if not future.done()], force=True)

    async def _wait(self, results: Sequence[asyncio.Future[Any]]) -> None:
        """Wait for all tasks. Raises as `run` does."""
        pending = set(results)
        while pending:
            done, pending = await asyncio.wait(
                pending, timeout=_SECONDS_BETWEEN_CHECKS, return_when=asyncio.FIRST_EXCEPTION
            )
            if any(result.exception() is not None for result in done):
                await self._end(results, await self._lost(_SECONDS_TO_NOTICE if _are_collective(done) else 0))
            elif pending and (lost := await self._lost(0)):
                await self._end(results, lost)

    async def _lost(self, seconds: float) -> list[str]:
        """Return the lost workers, as soon as there are any or `seconds` seconds have passed."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while True:
            there = await self._there()
            lost = [address for address in self.addresses if address not in there]
            if lost or loop.time() >= end:
                return lost
            await asyncio.sleep(_SECONDS_BETWEEN_CHECKS)

    async def _end(self, results: Sequence[asyncio.Future[Any]], lost: Sequence[str]) -> None:
        """End the epoch at all ranks, wait for the remaining ones, and raise the reason."""
        why = f"the workers {', '.join(lost)} are gone." if lost else "another rank has failed."
        await self._tell(ABORT, epoch=self._epoch, why=why)
        there = [result for address, result in zip(self.addresses, results) if address not in lost]
        if there:
            await asyncio.wait(there, timeout=_SECONDS_TO_END)
        errors = [result.exception() for result in there if result.done() and not result.cancelled()]
        raised = [error for error in errors if error is not None]
        own = [error for error in raised if not isinstance(error, CollectiveError)]
        if lost and not own:
            raise WorkerLostError(why)
        raise [*own, *raised][0]


async def _result(future: Any) -> Any:
    return await future


def _are_collective(done: set[asyncio.Future[Any]]) -> bool:
    errors = [result.exception() for result in done]
    return all(error is None or isinstance(error, CollectiveError) for error in errors)
