"""Callbacks that damage the worker of Ray Train in which they run."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import kauriboost as kb


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
