"""Ranks that are processes of one training, connected by sockets of their own.

Vocabulary. A listener is the socket at which a rank expects others. A key is what all ranks of one training share: a
secret, and for encryption a certificate with its private key.

1. Every rank opens a listener. The engine that started the ranks tells each the addresses of all.
2. A rank connects to its partners with higher numbers, and accepts its partners with lower ones. Partners are the ranks
   that the algorithms of messages.py pair, about 2 log2(n) of them.
3. Both sides prove that they know the secret, which is never sent itself. Other connections are closed.
4. The listener is closed as soon as all partners are there.
"""

from __future__ import annotations

import contextlib
import hmac
import os
import queue
import socket
import ssl
import struct
import tempfile
import threading
import time
from collections.abc import Iterable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from .._binding.errors import CollectiveError
from .messages import Awaited, Header, MessageCollective, Outgoing, require_same
from .wires import Exchange, Received, Sent, Wire

_NONCE_BYTES = 32
_RANK = struct.Struct("<q")
_PROOF_BYTES = 32
_SECONDS_OF_GREETING = 10.0  # maximum time that a stranger can hold a connection before it proves the secret
MOST_STRANGERS = 64  # number of greetings that go on at the same time, besides one for each rank
_SECONDS_AFTER_AN_ERROR = 0.05  # until the next attempt to accept a connection


class Key(NamedTuple):
    """A secret that all ranks of a training share, and a certificate for encryption."""

    secret: bytes
    certificate: str | None = None  # PEM of a private key and its certificate; None for connections without TLS

    def context(self, is_server: bool) -> ssl.SSLContext | None:
        """Return the settings of TLS: both sides accept this certificate alone."""
        if self.certificate is None:
            return None
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if is_server else ssl.PROTOCOL_TLS_CLIENT)
        made.check_hostname = False  # the certificate belongs to the training and not to a host
        made.verify_mode = ssl.CERT_REQUIRED
        made.minimum_version = ssl.TLSVersion.TLSv1_2
        with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:  # readable by its owner alone
            file.write(self.certificate)
            file.flush()
            made.load_cert_chain(file.name)
        made.load_verify_locations(cadata=self.certificate[self.certificate.index("-----BEGIN CERTIFICATE") :])
        return made

    def proof(self, side: bytes, *parts: bytes) -> bytes:
        """Return a proof of the secret, for one side of one connection."""
        return hmac.digest(self.secret, b"kauriboost " + side + b"".join(parts), "sha256")


def partners_of(rank: int, size: int) -> list[int]:
    """Return the ranks with which a rank exchanges messages, ascending."""
    core = 1 << (size.bit_length() - 1)
    found = {(rank + 1) % size, (rank - 1) % size, rank ^ core}
    if rank < core:
        found |= {rank ^ (1 << bit) for bit in range(core.bit_length() - 1)}
    return sorted(other for other in found - {rank} if other < size)


class Listener:
    """The socket at which a rank expects its partners.

    Parameters
    ----------
    host
        The name or address by which the other ranks reach this machine.
    ports
        The ports to try, in order; by default any that the system chooses. Raises CollectiveError if none is free.
    """

    def __init__(self, host: str, ports: Iterable[int] = (0,)) -> None:
        self.host = host
        self.socket: socket.socket | None = None
        tried, why = list(ports), ""
        for port in tried:
            try:
                self.socket = self._open(port)
                break
            except OSError as error:
                why = str(error)
        if self.socket is None:
            raise CollectiveError(
                f"no port is free at {host} for the connections of a training; tried {tried[0]} to {tried[-1]} "
                f"({why}). Allow more ports, or run fewer workers on this machine."
            )
        self.port: int = self.socket.getsockname()[1]

    def _open(self, port: int) -> socket.socket:
        family, _, _, _, address = socket.getaddrinfo(self.host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family, backlog=128)

    def close(self) -> None:
        """Close the socket, which also ends the thread that waits for connections."""
        if self.socket is not None:
            with contextlib.suppress(OSError):  # where a listening socket cannot be shut down
                self.socket.shutdown(socket.SHUT_RDWR)
            self.socket.close()
            self.socket = None


class Acceptor:
    """Accepts connections in the background, one thread for each, so that none of them holds up the others.

    Greets at most `most` of them at the same time; further ones wait for the end of a greeting.
    """

    def __init__(self, listener: Listener, key: Key, most: int) -> None:
        self._key, self._context = key, key.context(is_server=True)
        self._free = threading.Semaphore(most)
        self.arrived: queue.SimpleQueue[tuple[int, socket.socket]] = queue.SimpleQueue()
        threading.Thread(target=self._accept, args=(listener.socket,), daemon=True).start()

    def _accept(self, listening: socket.socket) -> None:
        self._free.acquire()
        while listening.fileno() >= 0:
            try:
                connection, _ = listening.accept()
            except OSError:  # the listener is closed, or the error is of one connection, or of a moment
                time.sleep(_SECONDS_AFTER_AN_ERROR)
                continue
            threading.Thread(target=self._greet, args=(connection,), daemon=True).start()
            self._free.acquire()

    def _greet(self, connection: socket.socket) -> None:
        end = time.monotonic() + _SECONDS_OF_GREETING
        try:
            connection.settimeout(_SECONDS_OF_GREETING)
            if self._context is not None:
                connection = self._context.wrap_socket(connection, server_side=True)
            nonce = os.urandom(_NONCE_BYTES)
            connection.sendall(nonce)
            said = receive(connection, _RANK.size + _NONCE_BYTES + _PROOF_BYTES, end)
            if not hmac.compare_digest(said[-_PROOF_BYTES:], self._key.proof(b"caller", nonce, said[:-_PROOF_BYTES])):
                raise ConnectionError("the secret is another one")
            connection.sendall(self._key.proof(b"called", nonce, said[:-_PROOF_BYTES]))
            self.arrived.put((_RANK.unpack(said[: _RANK.size])[0], connection))
        except OSError:
            connection.close()
        finally:
            self._free.release()


def receive(connection: socket.socket, n_bytes: int, end: float) -> bytes:
    """Return this number of bytes. Raises TimeoutError after the moment `end` of the monotonic clock."""
    parts = b""
    while len(parts) < n_bytes:
        left = end - time.monotonic()
        if left <= 0:
            raise TimeoutError("the other side takes too long for its greeting")
        connection.settimeout(left)
        part = connection.recv(n_bytes - len(parts))
        if not part:
            raise ConnectionResetError("the other side has closed the connection")
        parts += part
    return parts


def call(address: tuple[str, int], rank: int, key: Key, end: float) -> socket.socket:
    """Return a connection to another rank, which has proved that it knows the secret, before the moment `end`."""
    connection = socket.create_connection(address, timeout=max(0.01, end - time.monotonic()))
    try:
        if (context := key.context(is_server=False)) is not None:
            connection = context.wrap_socket(connection)
        nonce = receive(connection, _NONCE_BYTES, end)
        said = _RANK.pack(rank) + os.urandom(_NONCE_BYTES)
        connection.sendall(said + key.proof(b"caller", nonce, said))
        if not hmac.compare_digest(receive(connection, _PROOF_BYTES, end), key.proof(b"called", nonce, said)):
            raise ConnectionError("it does not know the training's secret")
    except BaseException:
        connection.close()
        raise
    return connection


class SocketRank(MessageCollective):
    """A rank that is connected with its partners.

    Parameters
    ----------
    rank
        The number of this rank.
    names
        For messages: the name of each rank's worker.
    addresses
        Host and port of each rank's listener.
    listener
        The listener of this rank. It is closed here.
    key
        The key of the training.
    timeout
        Seconds without a message after which waiting for one fails.

    Raises
    ------
    CollectiveError
        A partner cannot be reached, or does not come in time.
    """

    def __init__(
        self,
        rank: int,
        names: Sequence[str],
        addresses: Sequence[tuple[str, int]],
        listener: Listener,
        key: Key,
        timeout: float,
    ) -> None:
        super().__init__(rank, len(addresses))
        self._names, self._timeout = list(names), timeout
        self._exchange = Exchange(timeout)
        self._wires: dict[int, Wire] = {}
        try:
            self._connect(addresses, listener, key)
        except BaseException:
            self.close()
            raise
        finally:
            listener.close()

    def _connect(self, addresses: Sequence[tuple[str, int]], listener: Listener, key: Key) -> None:
        end = time.monotonic() + self._timeout
        partners = partners_of(self.rank, self.size)
        acceptor = Acceptor(listener, key, MOST_STRANGERS + self.size)
        for other in partners:
            if other > self.rank:
                self._hold(other, self._called(other, addresses[other], key, end))
        awaited = {other for other in partners if other < self.rank}
        while awaited:
            try:
                other, connection = acceptor.arrived.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                missing = " and ".join(self.name(other) for other in sorted(awaited))
                raise CollectiveError(f"{self.name()} waited {self._timeout:g} s for {missing} to connect.") from None
            if other in awaited:
                awaited.remove(other)
                self._hold(other, connection)
            else:
                connection.close()

    def _called(self, other: int, address: tuple[str, int], key: Key, end: float) -> socket.socket:
        try:
            return call(address, self.rank, key, end)
        except OSError as error:
            raise CollectiveError(
                f"{self.name()} cannot connect to {self.name(other)} at {address[0]}:{address[1]}: {error}. Workers "
                "must reach each other's ports."
            ) from error

    def _hold(self, other: int, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setblocking(False)
        self._wires[other] = Wire(connection, connection.close)

    def name(self, rank: int | None = None) -> str:
        """Return the name of a rank in messages; of this rank by default."""
        number = self.rank if rank is None else rank
        return f"rank {number} ({self._names[number]})"

    def swap(self, outgoing: Outgoing | None, awaited: Awaited | None) -> np.ndarray:
        """Implement `MessageCollective.swap`."""
        send = None if outgoing is None else Sent(self._wires[outgoing.to], outgoing.header, outgoing.payload)
        check = None if awaited is None else partial(self._check, awaited)
        receive = None if awaited is None or check is None else Received(self._wires[awaited.source], check)
        others = dict.fromkeys([outgoing and outgoing.to, awaited and awaited.source])
        ranks = " and ".join(self.name(other) for other in others if other is not None)
        try:
            return self._exchange.swap(send, receive)
        except TimeoutError:
            raise CollectiveError(
                f"{self.name()} waited {self._timeout:g} s for {ranks}. If that worker is alive and needs longer, "
                "raise `timeout`; if not, replace it."
            ) from None
        except OSError as error:
            raise CollectiveError(f"{self.name()} has lost the connection to {ranks}: {error}.") from error

    def _check(self, awaited: Awaited, header: Header) -> None:
        require_same(awaited.header, header, self.name(), self.name(awaited.source))

    def abort(self, why: str) -> None:
        """Implement `Collective.abort`: the partners notice that their connections are closed."""
        self._exchange.end(why)
        for wire in self._wires.values():
            wire.close()

    def close(self) -> None:
        """Close all connections."""
        self.abort("the training is over.")
        self._exchange.close()
