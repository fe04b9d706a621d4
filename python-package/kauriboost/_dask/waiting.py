"""Waiting for results of a cluster that may have lost all of its workers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar

from .._binding.errors import DataError

_SECONDS_BETWEEN_CHECKS = 0.5
_T = TypeVar("_T")


async def while_there_are_workers(client: Any, work: Awaitable[_T], timeout: float) -> _T:
    """Return the result of an awaitable.

    Raises
    ------
    DataError
        The cluster has had no workers for `timeout` seconds; Dask would wait forever for a new one.
    """
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    seen = loop.time()
    try:
        while True:
            done, _ = await asyncio.wait({task}, timeout=_SECONDS_BETWEEN_CHECKS)
            if done:
                return task.result()
            if await client.scheduler.ncores(workers=None):
                seen = loop.time()
            elif loop.time() - seen >= timeout:
                raise DataError(
                    f"the cluster has had no workers for {timeout:g} seconds, so nobody holds the partitions; start "
                    "some, or give timeout= more seconds."
                )
    finally:
        task.cancel()
