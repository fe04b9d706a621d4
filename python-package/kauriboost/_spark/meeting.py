"""The exchange of texts between the tasks of a barrier stage, through Spark's driver, with a deadline."""

from __future__ import annotations

import json
import queue
import threading
from typing import Any

from .._binding.errors import CollectiveError


class Meeting:
    """Exchanges texts between the tasks of a stage.

    Parameters
    ----------
    context
        Spark's ``BarrierTaskContext`` of this task.
    timeout
        Seconds that a task waits for the others. Spark itself would wait for a year.
    """

    def __init__(self, context: Any, timeout: float) -> None:
        self._context, self._timeout = context, timeout
        self.rank: int = context.partitionId()
        self.hosts = [info.address.rpartition(":")[0].strip("[]") for info in context.getTaskInfos()]

    def tell(self, patience: float | None = None, /, **said: Any) -> list[dict[str, Any]]:
        """Return what every task says, by rank. Raises CollectiveError if one says nothing in time.

        `patience` is the number of seconds to wait instead of `timeout`, if that is longer.
        """
        seconds = self._timeout if patience is None else min(patience, self._timeout)
        answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        threading.Thread(target=self._gather, args=(json.dumps(said), answers), daemon=True).start()
        try:
            answer = answers.get(timeout=seconds)
        except queue.Empty:
            raise CollectiveError(
                f"{self.name(self.rank)} waited {seconds:g} s for the other workers of the training at "
                f"{self.hosts}. A worker that needs longer for its rows needs a larger `timeout`; a worker "
                "without an answer is to be replaced."
            ) from None
        if isinstance(answer, BaseException):
            raise answer
        return [json.loads(text) for text in answer]

    def _gather(self, text: str, answers: queue.SimpleQueue[Any]) -> None:
        try:
            answers.put(self._context.allGather(text))
        except BaseException as error:  # for the waiting thread
            answers.put(error)

    def name(self, rank: int) -> str:
        """Return the name of a worker in messages."""
        return f"worker {rank} at {self.hosts[rank]}"
