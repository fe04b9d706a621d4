"""Ranks that connect by sockets of their own: sums, strangers, secrets, encryption, losses and deadlines."""

from __future__ import annotations

import contextlib
import datetime
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from kauriboost._collective import sockets
from kauriboost._collective.sockets import Key, Listener, SocketRank, partners_of

SECRET = b"of the test" * 3


def certificate() -> str:
    x509 = pytest.importorskip("cryptography.x509")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.datetime.now(datetime.timezone.utc)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "kauriboost")])
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    day = datetime.timedelta(days=1)
    builder = builder.serial_number(x509.random_serial_number()).not_valid_before(now - day).not_valid_after(now + day)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return (private + builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)).decode()


def run(keys: list[Key], work: Callable[[SocketRank], Any], timeout: float = 20.0) -> list[Any]:
    """Return what each rank's work returns, or the exception that it raises."""
    listeners = [Listener("127.0.0.1") for _ in keys]
    addresses = [("127.0.0.1", listener.port) for listener in listeners]
    results: list[Any] = [None] * len(keys)

    def go(rank: int) -> None:
        try:
            names = [f"worker {i}" for i in range(len(keys))]
            made = SocketRank(rank, names, addresses, listeners[rank], keys[rank], timeout)
            try:
                results[rank] = work(made)
            finally:
                made.close()
        except Exception as error:
            results[rank] = error

    threads = [threading.Thread(target=go, args=(rank,)) for rank in range(len(keys))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return results


def calls(rank: SocketRank) -> bool:
    mine = np.arange(300_000, dtype=np.int64) + rank.rank
    rank.sum(mine)
    largest = np.array([rank.rank], dtype=np.uint64)
    rank.max(largest)
    texts = rank.gather_bytes(b"x" * rank.rank)
    right = np.arange(300_000) * rank.size + sum(range(rank.size))
    return bool((mine == right).all() and largest[0] == rank.size - 1 and [*map(len, texts)] == [*range(rank.size)])


@pytest.mark.parametrize("n_ranks", [1, 2, 3, 6])
@pytest.mark.parametrize("is_encrypted", [False, True])
def test_sums_maxima_and_bytes(n_ranks: int, is_encrypted: bool) -> None:
    key = Key(SECRET, certificate() if is_encrypted else None)
    assert run([key] * n_ranks, calls) == [True] * n_ranks


def test_every_pair_knows_of_each_other() -> None:
    for size in range(1, 40):
        pairs = {(rank, other) for rank in range(size) for other in partners_of(rank, size)}
        assert pairs == {(other, rank) for rank, other in pairs}


@pytest.mark.parametrize("others", [Key(b"another secret" * 3), Key(SECRET, "TLS")])
def test_a_rank_without_the_key_is_not_let_in(others: Key) -> None:
    other = others if others.certificate is None else Key(SECRET, certificate())
    mine = Key(SECRET, None if others.certificate is None else certificate())
    results = run([mine, other], calls, timeout=1.5)
    assert all(isinstance(result, kb.CollectiveError) for result in results), results
    assert "rank 0 (worker 0) cannot connect to rank 1 (worker 1) at 127.0.0.1:" in str(results[0])
    assert "rank 1 (worker 1) waited 1.5 s for rank 0 (worker 0) to connect" in str(results[1])


def test_strangers_hold_up_nobody() -> None:
    listeners = [Listener("127.0.0.1") for _ in range(2)]
    addresses = [("127.0.0.1", listener.port) for listener in listeners]
    silent = [socket.create_connection(addresses[1]) for _ in range(5)]
    silent[0].sendall(b"GET / HTTP/1.0\r\n\r\n" * 10)
    results: list[bool] = []

    def go(rank: int) -> None:
        made = SocketRank(rank, ["a", "b"], addresses, listeners[rank], Key(SECRET), 20.0)
        results.append(calls(made))
        made.close()

    begin, threads = time.monotonic(), [threading.Thread(target=go, args=(rank,)) for rank in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert results == [True, True]
    assert time.monotonic() - begin < 8
    with pytest.raises(OSError):
        socket.create_connection(addresses[1])  # the listener is closed once all are there
    for connection in silent:
        connection.close()


def test_a_stranger_has_one_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "_SECONDS_OF_GREETING", 1.0)
    listener = Listener("127.0.0.1")
    sockets.Acceptor(listener, Key(SECRET), 4)
    begin = time.monotonic()
    with socket.create_connection(("127.0.0.1", listener.port)) as stranger, contextlib.suppress(OSError):
        while time.monotonic() < begin + 6:
            stranger.sendall(b"x")
            time.sleep(0.1)
    assert time.monotonic() < begin + 5
    listener.close()


def test_many_strangers_have_few_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "_SECONDS_OF_GREETING", 1.0)
    listener = Listener("127.0.0.1")
    before = threading.active_count()
    acceptor = sockets.Acceptor(listener, Key(SECRET), 4)
    address = ("127.0.0.1", listener.port)
    strangers = [socket.create_connection(address) for _ in range(12)]
    time.sleep(0.3)
    assert threading.active_count() <= before + 1 + 4
    with sockets.call(address, 3, Key(SECRET), time.monotonic() + 20):  # after the strangers
        assert acceptor.arrived.get(timeout=10)[0] == 3
    for connection in strangers:
        connection.close()
    listener.close()


class Troubled:
    """A listening socket that fails twice, as if the process had too many open files."""

    def __init__(self, listening: Any) -> None:
        self.listening, self.n_errors = listening, 0

    def fileno(self) -> int:
        return int(self.listening.fileno())

    def accept(self) -> Any:
        if self.n_errors < 2:
            self.n_errors += 1
            raise OSError(24, "Too many open files")
        return self.listening.accept()


def test_errors_of_accept_do_not_end_the_acceptor() -> None:
    with contextlib.closing(Listener("127.0.0.1")) as listener:
        before, listening = threading.active_count(), listener.socket
        listener.socket = Troubled(listening)  # type: ignore[assignment]
        acceptor = sockets.Acceptor(listener, Key(SECRET), 4)
        with sockets.call(("127.0.0.1", listener.port), 5, Key(SECRET), time.monotonic() + 10):
            assert acceptor.arrived.get(timeout=10)[0] == 5
        listener.socket = listening
    end = time.monotonic() + 10
    while threading.active_count() > before and time.monotonic() < end:
        time.sleep(0.02)
    assert threading.active_count() <= before  # a closed listener ends it


def test_a_lost_and_a_silent_rank_are_named() -> None:
    def lost(rank: SocketRank) -> None:
        if rank.rank == 1:
            raise ValueError("the machine is gone")
        rank.sum(np.zeros(5, dtype=np.int64))

    results = run([Key(SECRET)] * 2, lost)
    assert str(results[0]).startswith("rank 0 (worker 0) has lost the connection to rank 1 (worker 1)")

    def silent(rank: SocketRank) -> None:
        if rank.rank == 1:
            time.sleep(6)
            return
        rank.sum(np.zeros(5, dtype=np.int64))

    results = run([Key(SECRET)] * 2, silent, timeout=2.0)
    assert "rank 0 (worker 0) waited 2 s for rank 1 (worker 1). If that worker is alive" in str(results[0])


def test_ports_are_tried_in_order() -> None:
    first = Listener("127.0.0.1")
    second = Listener("127.0.0.1", [first.port, 0])
    assert second.port != first.port
    with pytest.raises(kb.CollectiveError, match=r"no port is free at 127\.0\.0\.1"):
        Listener("127.0.0.1", [first.port])
    with pytest.raises(kb.CollectiveError, match=r"tried 0 to 0 \(\[Errno .*\)\. Allow more ports"):
        Listener("no host.invalid")
    first.close()
    second.close()
