"""The exchange of texts between the workers of a training, through rank 0, with a deadline.

Ray Train tells all workers the address of rank 0. The others connect to it, prove that they know the training's secret,
and keep the connection until the training has ended. A worker that dies closes it, which the others notice at once.
"""

from __future__ import annotations

import json
import os
import queue
import socket
import struct
import threading
import time
from collections.abc import Iterable
from typing import Any

import ray
from ray.train import collective

from .._binding.errors import CollectiveError
from .._collective.sockets import Acceptor, Key, Listener, call, receive

_LENGTH = struct.Struct("<q")
_MOST_BYTES = 1 << 26  # of a text


class Meeting:
    """Exchanges texts between the workers of a training.

    Parameters
    ----------
    rank, size
        This worker's number, and the number of workers.
    key
        The key of the training.
    ports
        The ports at which a worker may listen.
    timeout
        Seconds that a worker waits for the others.
    """

    def __init__(self, rank: int, size: int, key: Key, ports: Iterable[int], timeout: float) -> None:
        self.rank, self.size, self._timeout = rank, size, timeout
        self.host: str = ray.util.get_node_ip_address()
        self.names = [f"worker {number}" for number in range(size)]
        self._others: dict[int, socket.socket] = {}
        if size > 1:
            try:
                self._meet(key, ports, time.monotonic() + timeout)
            except BaseException:
                self.close()
                raise

    def _meet(self, key: Key, ports: Iterable[int], end: float) -> None:
        if self.rank == 0:
            self._await_all(key, ports, end)
        else:
            self._call_first(key, end)
        said = self.tell(host=self.host, pid=os.getpid())
        self.names = [f"worker {number} at {each['host']}, process {each['pid']}" for number, each in enumerate(said)]

    def _await_all(self, key: Key, ports: Iterable[int], end: float) -> None:
        listener = Listener(self.host, ports)
        try:
            acceptor = Acceptor(listener, key, 64 + self.size)
            _broadcast([self.host, listener.port], self._timeout, self.names[0])
            while len(self._others) < self.size - 1:
                try:
                    other, connection = acceptor.arrived.get(timeout=max(0.01, end - time.monotonic()))
                except queue.Empty:
                    missing = [self.names[i] for i in range(1, self.size) if i not in self._others]
                    raise CollectiveError(self._late(" and ".join(missing), self._timeout)) from None
                if other in self._others or not 0 < other < self.size:
                    connection.close()
                else:
                    self._others[other] = connection
        finally:
            listener.close()

    def _call_first(self, key: Key, end: float) -> None:
        host, port = _broadcast(None, self._timeout, self.names[self.rank])
        try:
            self._others[0] = call((host, port), self.rank, key, end)
        except OSError as error:
            raise CollectiveError(
                f"{self.names[self.rank]} cannot connect to worker 0 at {host}:{port}: {error}. Workers must reach "
                "each other's ports."
            ) from error

    def tell(self, patience: float | None = None, **said: Any) -> list[dict[str, Any]]:
        """Return what every worker says, by rank. Raises CollectiveError if one says nothing in time, or is lost."""
        seconds = self._timeout if patience is None else min(patience, self._timeout)
        end = time.monotonic() + seconds
        if self.rank > 0:
            self._send(0, said)
            return list(self._receive(0, end, seconds))
        every = [said, *(self._receive(other, end, seconds) for other in range(1, self.size))]
        for other in self._others:
            self._send(other, every)
        return every

    def _send(self, other: int, said: Any) -> None:
        text = json.dumps(said).encode()
        try:
            self._others[other].settimeout(self._timeout)
            self._others[other].sendall(_LENGTH.pack(len(text)) + text)
        except OSError as error:
            raise CollectiveError(self._lost(other, error)) from error

    def _receive(self, other: int, end: float, seconds: float) -> Any:
        try:
            (n_bytes,) = _LENGTH.unpack(receive(self._others[other], _LENGTH.size, end))
            if not 0 <= n_bytes <= _MOST_BYTES:
                raise ConnectionError(f"it announces a text of {n_bytes} bytes")
            return json.loads(receive(self._others[other], n_bytes, end))
        except TimeoutError:
            raise CollectiveError(self._late(self.names[other], seconds)) from None
        except OSError as error:
            raise CollectiveError(self._lost(other, error)) from error

    def _late(self, others: str, seconds: float) -> str:
        return (
            f"{self.names[self.rank]} waited {seconds:g} s for {others}. If that worker is alive and needs longer, "
            "raise `timeout`; if not, Ray replaces it as often as FailureConfig(max_failures=...) allows."
        )

    def _lost(self, other: int, error: OSError) -> str:
        return (
            f"{self.names[self.rank]} has lost {self.names[other]}: {error}. Ray repeats the training as often as "
            "FailureConfig(max_failures=...) allows."
        )

    def close(self) -> None:
        """Close all connections."""
        for connection in self._others.values():
            connection.close()


def _broadcast(address: list[Any] | None, timeout: float, name: str) -> list[Any]:
    """Return the address that rank 0 gives, as Ray Train tells it to all workers. Ray itself would wait for ever."""
    answers: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def run() -> None:
        try:
            answers.put(collective.broadcast_from_rank_zero(address))
        except BaseException as error:  # for the waiting thread
            answers.put(error)

    threading.Thread(target=run, daemon=True).start()
    try:
        answer = answers.get(timeout=timeout)
    except queue.Empty:
        raise CollectiveError(
            f"{name} waited {timeout:g} s for the other workers of the training to begin. Raise `timeout` if they need "
            "longer to start."
        ) from None
    if isinstance(answer, BaseException):
        raise answer
    return list(answer)
