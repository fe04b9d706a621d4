"""Callbacks that damage the worker in which they run, or its executor."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import kauriboost as kb
from kauriboost._collective.sockets import SocketRank

_SWAP = SocketRank.swap


def _kill_the_executor() -> None:
    daemon = Path(f"/proc/{os.getppid()}/stat").read_text()
    os.kill(int(daemon.rpartition(")")[2].split()[1]), signal.SIGKILL)
    time.sleep(30)  # until the executor's end is noticed here


class Damage(kb.callback.TrainingCallback):
    """Does damage once, in a round, in the worker that comes first to making the file `done`.

    Parameters
    ----------
    delay
        Seconds until the damage, while the training goes on: inside a message, between two, or while cuts are made.
    """

    def __init__(self, what: str, done: str, at: int, delay: float = 0.0) -> None:
        self.what, self.done, self.round, self.delay = what, done, at, delay

    def before_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
        if epoch == self.round and self._is_first():
            if self.delay > 0:
                threading.Thread(target=self._later, daemon=True).start()
            else:
                self._now()
        return False

    def _is_first(self) -> bool:
        try:
            Path(self.done).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True

    def _later(self) -> None:
        time.sleep(self.delay)
        self._now()

    def _now(self) -> None:
        if self.what == "raise an error":
            raise ValueError("the callback has had enough")
        if self.what == "kill the worker":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.what == "stop the worker":
            os.kill(os.getpid(), signal.SIGSTOP)
        if self.what == "kill the executor":
            _kill_the_executor()


class Kill:
    """One death: of the worker with this rank, or of its executor, once. Then the file `done` is there.

    Parameters
    ----------
    way
        "before", "within" or "after" the message with this number (the first ones are about categories and bin edges),
        or at a "moment", which is as many seconds after the beginning of the task.
    """

    def __init__(self, whom: str, rank: int, way: str, number: int, seconds: float, done: str) -> None:
        self.whom, self.rank, self.way, self.number, self.seconds, self.done = whom, rank, way, number, seconds, done

    def arm(self) -> None:
        """Wait, in the worker, for the moment of the death."""
        if self.way == "moment":
            self._after(self.seconds)
            return
        seen = [0]

        def counted(rank: Any, outgoing: Any, awaited: Any) -> Any:
            seen[0] += 1
            if seen[0] == self.number and self.way == "before":
                self._now()
            if seen[0] == self.number and self.way == "within":
                self._after(self.seconds / 1000)
            result = _SWAP(rank, outgoing, awaited)
            if seen[0] == self.number and self.way == "after":
                self._now()
            return result

        SocketRank.swap = counted  # type: ignore[method-assign]

    def _after(self, seconds: float) -> None:
        timer = threading.Timer(seconds, self._now)
        timer.daemon = True
        timer.start()

    def _now(self) -> None:
        try:
            Path(self.done).touch(exist_ok=False)
        except FileExistsError:
            return
        if self.whom == "worker":
            os.kill(os.getpid(), signal.SIGKILL)
        _kill_the_executor()


class Kills(kb.callback.TrainingCallback):
    """Arms the next kill of a worker when its task gets the training, before any row is read."""

    def __init__(self, kills: list[Kill]) -> None:
        self.kills = kills

    def __setstate__(self, state: dict[str, Any]) -> None:
        from pyspark import TaskContext

        self.__dict__.update(state)
        context = TaskContext.get()
        if context is None:  # in the driver
            return
        SocketRank.swap = _SWAP  # type: ignore[method-assign]  # of a Python process that has had other tasks
        for kill in self.kills:
            if kill.rank == context.partitionId() and not Path(kill.done).exists():
                kill.arm()
                return
