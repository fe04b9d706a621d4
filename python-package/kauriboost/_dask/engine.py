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
from distributed.comm.core import connect as connect_to
from distributed.core import Status

from .._collective.wires import Wire

secede = cast(Callable[[], None], distributed.secede)
delayed: Callable[..., Any] = cast(Any, dask).delayed
is_dask_collection: Callable[[Any], bool] = cast(Any, dask).is_dask_collection


DONT_REPLY: Any = Status.dont_reply  # what a handler returns that has answered itself


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


def have_sockets(addresses: Sequence[str]) -> bool:
    """Whether connections between workers have sockets that `take_over` can take; each of them finds the same."""
    is_tornado = cast(Any, dask).config.get("distributed.comm.tcp.backend", "tornado") == "tornado"
    return is_tornado and all(address.startswith(("tcp://", "tls://")) for address in addresses)


async def connect(worker: Any, address: str) -> Any:
    """Return a new connection to another worker."""
    return await cast(Any, connect_to)(address, **worker.connection_args)


def take_over(comm: Any) -> Wire:
    """Take the socket out of the event loop's hands. What it has read by now it keeps; it reads and writes no more."""
    stream = comm.stream
    stream.io_loop.remove_handler(stream.fileno())
    return Wire(stream.socket, comm.abort)
