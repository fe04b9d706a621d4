"""The training tasks of a worker: rounds in segments, between which it keeps its matrices and booster."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import distributed
import numpy as np

from .._binding.errors import CollectiveError
from .._cluster.blocks import Part
from .._cluster.rows import Settings, make_matrix
from .._data.matrix import DMatrix
from .._model.booster import Booster
from .._training.callback import EvalsLog
from .._training.checkpoint import TrainingCheckPoint
from .._training.training import Plan, Snapshot, Training
from .dask_rank import DaskRank
from .engine import secede
from .worker_endpoint import WorkerEndpoint, endpoint_of


class Job(NamedTuple):
    """A training as described to every rank."""

    plan: Plan
    # for each matrix its settings, and the number of the matrix with its bin edges
    tables: list[tuple[Settings, int | None]]
    evals: list[tuple[int, str]]  # numbers of matrices and names; matrix 0 is the training data
    seconds: float  # duration of a segment


class Rows(NamedTuple):
    """A rank's rows of one matrix."""

    parts: list[Part]
    global_rows: np.ndarray


class Outcome(NamedTuple):
    """The result of a segment, from rank 0."""

    history: EvalsLog
    snapshot: Snapshot | None  # None at the end
    booster: Booster | None  # None before the end
    reports: list[str]  # messages of callbacks at the end


@dataclass
class _State:
    """The state of a rank between two segments."""

    rank: DaskRank
    training: Training
    matrices: list[DMatrix]
    is_running: bool = True


def first_segment(
    training_id: str, epoch: int, job: Job, snapshot: Snapshot | None, rows: Sequence[Rows]
) -> Outcome | None:
    """Start an epoch at a worker, from the beginning or from a snapshot, and run its first segment."""
    endpoint = _leave_the_pool()
    rank = DaskRank(endpoint, training_id, epoch)
    with _telling_the_others(rank):
        matrices: list[DMatrix] = []
        for (settings, ref), (parts, global_rows) in zip(job.tables, rows):
            matrices.append(make_matrix(settings, parts, global_rows, rank, None if ref is None else matrices[ref]))
        evals = [(matrices[number], name) for number, name in job.evals]
        training = Training(_plan_here(job.plan, endpoint, rank), matrices[0], evals, rank)
        state = _State(rank, training, matrices)
        endpoint.keep(training_id, epoch, state)
        training.begin(snapshot)
        return _some_rounds(state, job.seconds)


def next_segment(training_id: str, epoch: int, seconds: float) -> Outcome | None:
    """Continue after the last segment of the epoch."""
    endpoint = _leave_the_pool()
    state: _State = endpoint.kept(training_id, epoch)
    with _telling_the_others(state.rank):
        return _some_rounds(state, seconds)


def _leave_the_pool() -> WorkerEndpoint:
    """Return this worker's endpoint, and free the task's slot in the thread pool.

    Ranks of another training, which also wait for each other, then need not wait for the end of this one.
    """
    secede()
    return endpoint_of(distributed.get_worker())


@contextmanager
def _telling_the_others(rank: DaskRank) -> Iterator[None]:
    try:
        yield
    except BaseException as error:
        if not isinstance(error, CollectiveError):
            rank.abort(f"{rank.name()} has failed: {type(error).__name__}: {error}")
        raise


def _pairs(plan: Plan) -> list[tuple[str, Any]]:
    params: Any = plan.params
    return list(params.items() if hasattr(params, "items") else params)


def threads_of(plan: Plan) -> Any:
    """Return the number of threads set in a plan, or None."""
    return next((value for name, value in reversed(_pairs(plan)) if name in ("nthread", "n_jobs")), None)


def _plan_here(plan: Plan, endpoint: WorkerEndpoint, rank: DaskRank) -> Plan:
    """Return the plan with the threads of this worker; only rank 0 has the checkpoints."""
    pairs = _pairs(plan)
    if threads_of(plan) is None:
        pairs.append(("nthread", endpoint.worker.state.nthreads))
    is_first = rank.rank == 0
    callbacks = [each for each in plan.callbacks if is_first or not isinstance(each, TrainingCheckPoint)]
    return replace(plan, params=pairs, callbacks=callbacks)


def _some_rounds(state: _State, seconds: float) -> Outcome | None:
    state.is_running = True
    training, end = state.training, time.monotonic() + seconds
    try:
        is_done = training.go_on(lambda: time.monotonic() >= end)
        booster = training.end() if is_done else None
    except BaseException:
        training.release()
        raise
    finally:
        state.is_running = False
    if is_done:
        training.release()
    if state.rank.rank != 0:
        return None
    return Outcome(training.history, None if is_done else training.snapshot(), booster, training.reports)
