"""Messages over sockets, between two ends in one process."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import pytest
from kauriboost._collective.messages import Header, require_same
from kauriboost._collective.wires import Exchange, Received, Sent, Wire
from kauriboost.collective import CollectiveError


class End(NamedTuple):
    """One of two ranks."""

    wire: Wire
    exchange: Exchange
    connection: socket.socket

    def swap(self, header: Header, payload: np.ndarray, expected: Header | None = None) -> np.ndarray:
        def check(seen: Header) -> None:
            require_same(expected or header, seen, "this rank", "the other")

        return self.exchange.swap(Sent(self.wire, header, payload), Received(self.wire, check)).copy()


@pytest.fixture
def ends() -> Iterator[tuple[End, End]]:
    pair = socket.socketpair()
    made = []
    for connection in pair:
        connection.setblocking(False)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)  # less than a message
        made.append(End(Wire(connection, connection.close), Exchange(10.0), connection))
    yield made[0], made[1]
    for end in made:
        end.wire.close()
        end.exchange.end("over")
        end.exchange.close()


def header_of(n_bytes: int, sequence: int = 1) -> Header:
    return Header(0, sequence, "sum", 0, n_bytes)


def payload_of(end: int, n_bytes: int) -> np.ndarray:
    return np.random.default_rng((end, n_bytes)).integers(0, 256, n_bytes, dtype=np.uint8)


def both(ends: tuple[End, End], run: Any) -> list[Any]:
    def kept(number: int) -> Any:
        try:
            return run(ends[number], number)
        except Exception as error:
            return error

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(kept, (0, 1)))


def test_messages_of_all_sizes_cross(ends: tuple[End, End]) -> None:
    """Messages may exceed the sockets' buffers in both directions at once."""

    def run(end: End, number: int) -> list[np.ndarray]:
        sizes = [0, 1, 47, 48, 49, 4096, 3_000_001, 5, 0, 100_000]
        return [end.swap(header_of(n, at), payload_of(number, n)) for at, n in enumerate(sizes)]

    for number, received in enumerate(both(ends, run)):
        for payload in received:
            np.testing.assert_array_equal(payload, payload_of(1 - number, payload.nbytes))


def test_the_header_counts_numbers_and_the_payload_may_be_shorter(ends: tuple[End, End]) -> None:
    received = both(ends, lambda end, number: end.swap(header_of(800), payload_of(number, 3 + number)))
    assert [len(payload) for payload in received] == [4, 3]


def test_one_way_and_nothing(ends: tuple[End, End]) -> None:
    first, second = ends
    assert first.exchange.swap(Sent(first.wire, header_of(3), payload_of(0, 3)), None).nbytes == 0
    assert second.exchange.swap(None, None).nbytes == 0
    received = second.exchange.swap(None, Received(second.wire, lambda seen: None))
    np.testing.assert_array_equal(received, payload_of(0, 3))


def test_ranks_that_have_lost_step(ends: tuple[End, End]) -> None:
    errors = both(ends, lambda end, number: end.swap(header_of(8, sequence=number), payload_of(number, 8)))
    for error in errors:
        assert isinstance(error, CollectiveError)
        assert "call 0 (sum" in str(error)
        assert "call 1 (sum" in str(error)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"GET / HTTP/1.1\r\n" + b"\r\n" * 20, "expected a message that begins with"),
        (b"kbw1sum\0\0\0\0\0" + np.array([0, 1, 0, 8, 2**62], dtype=np.int64).tobytes(), "announces 4611"),
        (b"kbw1sum\0\0\0\0\0" + np.array([0, 1, 0, 8, -1], dtype=np.int64).tobytes(), "announces -1 bytes"),
        (b"kbw1\xff\xfe\0\0\0\0\0\0" + np.array([0, 1, 0, 8, 8], dtype=np.int64).tobytes(), "lost step"),
    ],
)
def test_bytes_that_are_no_message(ends: tuple[End, End], data: bytes, message: str) -> None:
    ends[1].connection.sendall(data)
    with pytest.raises(CollectiveError, match=message):
        ends[0].swap(header_of(8), payload_of(0, 8))


def test_a_lost_connection(ends: tuple[End, End]) -> None:
    ends[1].connection.sendall(b"kbw1")
    ends[1].wire.close()
    with pytest.raises(OSError, match=r"closed|reset|pipe"):
        ends[0].swap(header_of(8), payload_of(0, 8))


def test_time_without_a_byte(ends: tuple[End, End]) -> None:
    hasty = Exchange(0.3)
    begin = time.monotonic()
    with pytest.raises(TimeoutError):
        hasty.swap(None, Received(ends[0].wire, lambda seen: None))
    assert 0.3 <= time.monotonic() - begin < 5


def test_another_thread_ends_a_call_that_waits(ends: tuple[End, End]) -> None:
    end = ends[0]
    threading.Timer(0.2, lambda: end.exchange.end("no room on the disk")).start()
    with pytest.raises(CollectiveError, match="no room on the disk"):
        end.swap(header_of(3_000_000), payload_of(0, 3_000_000))
    with pytest.raises(CollectiveError, match="no room on the disk"):
        end.swap(header_of(3), payload_of(0, 3))


def test_a_wire_that_is_closed_here(ends: tuple[End, End]) -> None:
    ends[0].wire.close()
    ends[0].wire.close()
    with pytest.raises(OSError, match="closed"):
        ends[0].swap(header_of(8), payload_of(0, 8))


def test_a_socket_that_somebody_else_closes(ends: tuple[End, End]) -> None:
    """Dask does this for a worker that is shut down, possibly while a call waits."""
    threading.Timer(0.2, ends[0].connection.close).start()
    threading.Timer(0.4, ends[0].exchange.end, ["the worker is closed"]).start()
    with pytest.raises((OSError, CollectiveError), match="closed"):
        ends[0].swap(header_of(8), payload_of(0, 8))
    with pytest.raises((OSError, CollectiveError), match="closed"):
        ends[0].swap(header_of(8), payload_of(0, 8))


def test_greetings(ends: tuple[End, End]) -> None:
    def run(end: End, number: int) -> np.ndarray:
        if number == 0:
            end.exchange.send_greeting(end.wire)
        else:
            end.exchange.receive_greeting(end.wire)
        return end.swap(header_of(9), payload_of(number, 9))

    np.testing.assert_array_equal(both(ends, run)[0], payload_of(1, 9))
