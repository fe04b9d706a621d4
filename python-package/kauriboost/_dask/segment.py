"""What a worker does in a training: some rounds at a time, between which its matrices and its booster stay with it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import distributed
import numpy as np

from .._binding.errors import CollectiveError
from .._data.matrix import DMatrix
from .._model.booster import Booster
from .._training.callback import EvalsLog
from .._training.checkpoint import TrainingCheckPoint
from .._training.training import Plan, Snapshot, Training
from .blocks import Part
from .engine import secede
from .group import DaskRank
from .matrix import Settings
from .rows import make_matrix
from .station import Station, station_of


class Job(NamedTuple):
    """A training as every rank is told it."""

    plan: Plan
    tables: list[tuple[Settings, int | None]]  # of each matrix, and which of them its bins are those of
    evals: list[tuple[int, str]]  # of the matrices; the first is learnt from
    seconds: float  # of a segment


class Rows(NamedTuple):
    """A rank's rows of one matrix."""

    parts: list[Part]
    global_rows: np.ndarray


class Outcome(NamedTuple):
    """What a segment came to; from rank 0."""

    history: EvalsLog
    snapshot: Snapshot | None  # if there is more to do
    booster: Booster | None  # if there is not
    reports: list[str]  # what callbacks say at the end


@dataclass
class _State:
    """A rank between two segments."""

    rank: DaskRank
    training: Training
    matrices: list[DMatrix]
    is_running: bool = True


def first_segment(group: str, epoch: int, job: Job, snapshot: Snapshot | None, rows: Sequence[Rows]) -> Outcome | None:
    """Begin an epoch at a worker, from the start or from a snapshot, and do the first of its segments."""
    station = _leave_the_pool()
    rank = DaskRank(station, group, epoch)
    with _telling_the_others(rank):
        matrices: list[DMatrix] = []
        for (settings, ref), (parts, global_rows) in zip(job.tables, rows):
            matrices.append(make_matrix(settings, parts, global_rows, rank, None if ref is None else matrices[ref]))
        evals = [(matrices[number], name) for number, name in job.evals]
        training = Training(_plan_here(job.plan, station, rank), matrices[0], evals, rank)
        state = _State(rank, training, matrices)
        station.keep(group, epoch, state)
        training.begin(snapshot)
        return _some_rounds(state, job.seconds)


def next_segment(group: str, epoch: int, seconds: float) -> Outcome | None:
    """Go on where the last segment of the epoch ended."""
    station = _leave_the_pool()
    state: _State = station.kept(group, epoch)
    with _telling_the_others(state.rank):
        return _some_rounds(state, seconds)


def _leave_the_pool() -> Station:
    """Return this worker's station, and give the task's place in the thread pool to others.

    Ranks of another training, which wait for each other too, need not wait for the end of this one.
    """
    secede()
    return station_of(distributed.get_worker())


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
    """Return how many threads a plan asks for, or None."""
    return next((value for name, value in reversed(_pairs(plan)) if name in ("nthread", "n_jobs")), None)


def _plan_here(plan: Plan, station: Station, rank: DaskRank) -> Plan:
    """Return the plan with the threads of this worker; checkpoints are rank 0's."""
    pairs = _pairs(plan)
    if threads_of(plan) is None:
        pairs.append(("nthread", station.worker.state.nthreads))
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
