"""Waiting for objects of Ray with a deadline."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import ray

from .._binding.errors import CollectiveError, DataError

_END = object()


def results_of(refs: Sequence[Any], timeout: float, what: str) -> list[Any]:
    """Return the results of tasks, in order. Raises DataError if none of them ends for `timeout` seconds."""
    waiting = list(refs)
    while waiting:
        ended, waiting = ray.wait(waiting, num_returns=1, timeout=timeout)
        if not ended:
            raise DataError(
                f"{what}: no task has ended for {timeout:g} s, and {len(waiting)} of {len(refs)} are left. The cluster "
                "may have no free CPU: end other work, or raise `timeout`."
            )
    try:
        return list(ray.get(list(refs), timeout=timeout))
    except ray.exceptions.RayTaskError as error:
        raise _cause_of(error) from None
    except (ray.exceptions.ObjectLostError, ray.exceptions.WorkerCrashedError) as error:
        raise DataError(f"{what}: {_first_line(error)} {LOST_BLOCKS}") from error


LOST_BLOCKS = (
    "Ray computes lost blocks again if they come from files or functions, and cannot do so for rows that one process "
    "has put there (from_pandas, from_numpy): read them from files, or write the dataset to files first."
)


def _cause_of(error: Any) -> BaseException:
    cause = getattr(error, "cause", None)
    return cause if isinstance(cause, BaseException) else error


def _first_line(error: BaseException) -> str:
    return (
        f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else ''}".rstrip(": .")
        + "."
    )


def block_of(ref: Any, number: int, timeout: float) -> Any:
    """Return a block in this process, without a copy if it is on this node.

    Raises CollectiveError if it does not arrive in time, and DataError if it is lost for ever.
    """
    try:
        return ray.get(ref, timeout=timeout)
    except ray.exceptions.GetTimeoutError:
        raise CollectiveError(
            f"block {number} of the dataset has not arrived for {timeout:g} s. If the network needs longer, or Ray "
            "computes the block again, raise `timeout`."
        ) from None
    except ray.exceptions.RayTaskError as error:
        raise _cause_of(error) from None
    except ray.exceptions.ObjectLostError as error:
        raise DataError(f"block {number} of the dataset is lost: {_first_line(error)} {LOST_BLOCKS}") from error


def in_time(work: Iterator[Any], timeout: float, late: Callable[[], Exception]) -> Iterator[Any]:
    """Yield what an iterator yields, which runs in a thread of its own; raise `late()` if nothing comes in time."""
    come: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()

    def run() -> None:
        try:
            for each in work:
                come.put((each, None))
            come.put((_END, None))
        except BaseException as error:  # for the waiting thread
            come.put((_END, error))

    threading.Thread(target=run, daemon=True).start()
    while True:
        try:
            each, error = come.get(timeout=timeout)
        except queue.Empty:
            raise late() from None
        if error is not None:
            raise error
        if each is _END:
            return
        yield each
