"""The functions of Dask that have no types, under one roof."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Callable, cast

import dask
import distributed
from distributed import protocol
from distributed.client import FuturesCancelledError

secede = cast(Callable[[], None], distributed.secede)
delayed: Callable[..., Any] = cast(Any, dask).delayed
is_dask_collection: Callable[[Any], bool] = cast(Any, dask).is_dask_collection


async def wait_for_all(futures: Sequence[Any]) -> None:
    """Wait until futures are done, whatever came of them."""
    with suppress(FuturesCancelledError):  # of those that are lost; their status says so
        await cast(Callable[..., Any], distributed.wait)(futures)


def as_frames(payload: bytes) -> Any:
    """Return bytes as Dask sends them: as they are, beside the message and not in a pickle."""
    return cast(Any, protocol).to_serialize(payload)


def event_loop(worker: Any) -> asyncio.AbstractEventLoop:
    """Return the loop that a worker's connections belong to."""
    loop: asyncio.AbstractEventLoop = worker.loop.asyncio_loop
    return loop
