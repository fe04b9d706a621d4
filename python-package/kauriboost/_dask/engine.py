"""Typed wrappers of Dask's untyped functions."""

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


DONT_REPLY: Any = Status.dont_reply  # result of a handler that has answered by itself


async def wait_for_all(futures: Sequence[Any]) -> None:
    """Wait until futures are done, successfully or not."""
    with suppress(FuturesCancelledError):  # for lost futures; their status shows it
        await cast(Callable[..., Any], distributed.wait)(futures)


def as_frames(payload: bytes) -> Any:
    """Wrap bytes so that Dask sends them unpickled, beside the message."""
    return cast(Any, protocol).to_serialize(payload)


def event_loop(worker: Any) -> asyncio.AbstractEventLoop:
    """Return the event loop of a worker's connections."""
    loop: asyncio.AbstractEventLoop = worker.loop.asyncio_loop
    return loop


def have_sockets(addresses: Sequence[str]) -> bool:
    """Return whether connections between workers have sockets for `take_over`; the same on every worker."""
    is_tornado = cast(Any, dask).config.get("distributed.comm.tcp.backend", "tornado") == "tornado"
    return is_tornado and all(address.startswith(("tcp://", "tls://")) for address in addresses)


async def connect(worker: Any, address: str) -> Any:
    """Return a new connection to another worker."""
    return await cast(Any, connect_to)(address, **worker.connection_args)


def take_over(comm: Any) -> Wire:
    """Take the socket away from the event loop, which keeps bytes that it has read, but reads and writes no more."""
    stream = comm.stream
    stream.io_loop.remove_handler(stream.fileno())
    return Wire(stream.socket, comm.abort)
