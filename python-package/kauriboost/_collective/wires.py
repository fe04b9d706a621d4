"""Messages over connected sockets, written and read by the waiting thread itself.

Vocabulary. A wire is this rank's end of a connection to another rank. A message is a header and its payload; the header
identifies the collective call, and has the length of the payload.

Numbers go from their memory to the socket, and from the socket to memory that is reused for all messages. Nothing is
copied in between, and no other thread has to wake up. Simultaneous sends and receives alternate, so two ranks that send
each other more than their sockets hold do not deadlock.
"""

from __future__ import annotations

import selectors
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from .._binding.errors import CollectiveError
from .messages import Header

_MAGIC = b"kbw1"
_HEADER = struct.Struct("<4s8sqqqqq")  # magic, operation, epoch, sequence, step, bytes of the numbers, of the payload
_BYTES_AT_ONCE = 1 << 20  # maximum per call of a socket, which bounds the time that closing a wire waits
_MOST_EXTRA = 1 << 16  # maximum excess of a payload over its numbers
_Selector: type[selectors.BaseSelector] = getattr(selectors, "PollSelector", selectors.SelectSelector)


class Wire:
    """One end of a connection, used by one thread; another thread may close it.

    Parameters
    ----------
    connection
        A connected, non-blocking socket.
    close
        Closes the connection.
    """

    def __init__(self, connection: socket.socket, close: Callable[[], None]) -> None:
        self.connection = connection
        self._close = close
        self._lock = threading.Lock()  # after closing, the descriptor may be reused
        self._is_open = True

    def send(self, data: memoryview) -> int:
        """Send some of the bytes; return how many."""
        with self._lock:
            self._require_open()
            return self.connection.send(data[:_BYTES_AT_ONCE])

    def receive(self, buffer: memoryview) -> int:
        """Receive some bytes; return how many."""
        with self._lock:
            self._require_open()
            n_bytes = self.connection.recv_into(buffer[:_BYTES_AT_ONCE])
        if n_bytes == 0:
            raise ConnectionResetError("the other side has closed the connection")
        return n_bytes

    def close(self) -> None:
        """Close the connection, once."""
        with self._lock:
            if self._is_open:
                self._is_open = False
                self._close()

    def _require_open(self) -> None:
        if not self._is_open:
            raise ConnectionResetError("the connection is closed")


class _Transfer:
    """Bytes to be moved over one wire in one direction."""

    def __init__(self, wire: Wire, move: Callable[[memoryview], int], waits_for: int) -> None:
        self.wire, self.waits_for = wire, waits_for  # the event that the socket must be ready for
        self._move, self._usually = move, waits_for
        self._left: list[memoryview] = []

    def add(self, data: memoryview) -> None:
        """Queue more bytes to move."""
        if data.nbytes > 0:
            self._left.append(data)

    @property
    def is_done(self) -> bool:
        return not self._left

    def go_on(self) -> bool:
        """Move bytes until the socket would block; return whether any were moved."""
        has_moved = False
        while self._left:
            try:
                n_bytes = self._move(self._left[0])
            except ssl.SSLWantReadError:
                self.waits_for = selectors.EVENT_READ
                return has_moved
            except ssl.SSLWantWriteError:
                self.waits_for = selectors.EVENT_WRITE
                return has_moved
            except BlockingIOError:
                self.waits_for = self._usually
                return has_moved
            has_moved = True
            self._left[0] = self._left[0][n_bytes:]
            if self._left[0].nbytes == 0:
                self._left.pop(0)
        return has_moved


class Sent(NamedTuple):
    """A message to send, and its wire."""

    wire: Wire
    header: Header
    payload: np.ndarray  # uint8


class Received(NamedTuple):
    """The wire of an expected message."""

    wire: Wire
    check: Callable[[Header], None]  # raises for the header of an unexpected message


class Exchange:
    """Sends and receives messages over the wires of one rank.

    Parameters
    ----------
    timeout
        Seconds without any byte after which a call fails.
    """

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._wakes, self._woken = socket.socketpair()
        self._wakes.setblocking(False)
        self._why: str | None = None
        # reused, because allocating fresh memory costs as much as processing it
        self._buffer = np.empty(0, dtype=np.uint8)
        self._head = bytearray(_HEADER.size)

    def end(self, why: str) -> None:
        """Make current and later calls fail; callable from any thread."""
        if self._why is None:
            self._why = why
            self._wakes.send(b"!")

    def close(self) -> None:
        """Close the sockets that wake a call."""
        self._wakes.close()
        self._woken.close()

    def send_greeting(self, wire: Wire) -> None:
        """Tell the other side that this side now reads only through its wire, so it may send."""
        self._run([_sending(wire, memoryview(_MAGIC))])

    def receive_greeting(self, wire: Wire) -> None:
        """Wait for the other side's greeting."""
        self._run([_receiving(wire, memoryview(bytearray(len(_MAGIC))))])

    def swap(self, send: Sent | None, receive: Received | None) -> np.ndarray:
        """Send a message and receive another one at the same time; either may be None.

        Returns
        -------
        numpy.ndarray
            The received bytes, valid until the next call.

        Raises
        ------
        TimeoutError
            Nothing arrived in time.
        OSError
            A connection is lost.
        CollectiveError
            `end` was called, or a message is malformed.
        """
        transfers = []
        if send is not None:
            transfers.append(_sending(send.wire, memoryview(_packed(send.header, send.payload.nbytes))))
            transfers[0].add(send.payload.data)
        if receive is None:
            self._run(transfers)
            return self._buffer[:0]
        head = _receiving(receive.wire, memoryview(self._head))
        self._run([*transfers, head], until=head)
        header, n_bytes = _unpacked(self._head)
        receive.check(header)
        if not 0 <= n_bytes <= 2 * header.n_bytes + _MOST_EXTRA:
            raise CollectiveError(
                f"a message header announces {n_bytes} bytes for {header}; run the same version on all ranks."
            )
        received = self._buffer_for(n_bytes)
        self._run([*transfers, _receiving(receive.wire, received.data)])
        return received

    def _buffer_for(self, n_bytes: int) -> np.ndarray:
        if len(self._buffer) < n_bytes:
            self._buffer = np.empty(n_bytes, dtype=np.uint8)
        return self._buffer[:n_bytes]

    def _run(self, transfers: Sequence[_Transfer], until: _Transfer | None = None) -> None:
        """Continue transfers until all are done, or until `until` is done."""
        end = time.monotonic() + self._timeout
        while self._why is None:
            has_moved = False
            for transfer in transfers:
                has_moved |= transfer.go_on()
            if all(transfer.is_done for transfer in transfers) or (until is not None and until.is_done):
                return
            if has_moved:
                end = time.monotonic() + self._timeout
            else:
                self._wait([transfer for transfer in transfers if not transfer.is_done], end)
        raise CollectiveError(self._why)

    def _wait(self, transfers: Sequence[_Transfer], end: float) -> None:
        """Wait until a socket is ready, or `end` is called. Raises TimeoutError."""
        waits_for = {self._woken: selectors.EVENT_READ}
        for transfer in transfers:
            connection = transfer.wire.connection
            if connection.fileno() < 0:
                raise ConnectionResetError("the connection is closed")
            waits_for[connection] = waits_for.get(connection, 0) | transfer.waits_for
        with _Selector() as selector:
            for connection, events in waits_for.items():
                selector.register(connection, events)
            if not selector.select(max(0.0, end - time.monotonic())) and time.monotonic() >= end:
                raise TimeoutError


def _sending(wire: Wire, data: memoryview) -> _Transfer:
    transfer = _Transfer(wire, wire.send, selectors.EVENT_WRITE)
    transfer.add(data)
    return transfer


def _receiving(wire: Wire, buffer: memoryview) -> _Transfer:
    transfer = _Transfer(wire, wire.receive, selectors.EVENT_READ)
    transfer.add(buffer)
    return transfer


def _packed(header: Header, n_bytes: int) -> bytes:
    numbers = (header.epoch, header.sequence, header.step, header.n_bytes)
    return _HEADER.pack(_MAGIC, header.operation.encode(), *numbers, n_bytes)


def _unpacked(data: bytearray) -> tuple[Header, int]:
    magic, operation, epoch, sequence, step, n_numbers, n_bytes = _HEADER.unpack(data)
    if magic != _MAGIC:
        raise CollectiveError(
            f"expected a message that begins with {_MAGIC!r}, got {bytes(magic)!r}; run the same version on all ranks."
        )
    return Header(epoch, sequence, operation.rstrip(b"\0").decode(errors="replace"), step, n_numbers), n_bytes
