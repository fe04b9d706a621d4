"""The barrier task of a training: one rank in a Python worker of Spark.

1. Tell the other tasks the address of a listener (`Meeting`), and connect with the partners (`SocketRank`).
2. Read the rows, number them, agree on categories and classes, make matrices of bins.
3. Train. All ranks train the same model; rank 0 returns it.
4. Say how it ended. An error in the data or the parameters is returned as a result, because a repetition would end
   the same. A lost worker is raised, and Spark repeats the stage, from the same rows to the same bytes.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from .._binding.errors import CollectiveError, DataError
from .._cluster.errors import packed, unpacked
from .._cluster.rows import Settings, make_matrix, no_rows_of, uses_bins
from .._collective.collective import Collective
from .._collective.sockets import Key, Listener, SocketRank
from .._data.matrix import DMatrix
from .._estimators.class_labels import label_table, set_objective
from .._estimators.classes_callback import ClassesCallback
from .._training.callback import EvalsLog
from .._training.training import Plan, Training
from .gpus import device_of_task, uses_gpus
from .meeting import Meeting
from .rows import WorkerRows

_SECONDS_AFTER_A_LOSS = 10.0  # for the others to say how they ended
Share = dict[str, Any]  # the parameters that tell a worker its threads and its device
TRAINING, VALIDATION = "training", "validation"  # names of the evaluated rows


class Job(NamedTuple):
    """A training as described to every task. Its parts need neither scikit-learn nor pandas, which load slowly."""

    plan: Plan
    is_classifier: bool  # whether labels are replaced by the numbers of their classes
    missing: float
    feature_types: Any
    feature_weights: np.ndarray | None
    names: list[str] | None  # of features, if each has a column
    is_sparse: bool
    is_ranking: bool
    is_validated: bool
    key: Key
    ports: tuple[int, ...]  # for the listener
    timeout: float


class Trained(NamedTuple):
    """The result of a training."""

    model: bytes
    history: EvalsLog


def run(job: Job, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Run one task; yield at most one row, the pickled `Trained` or exception."""
    from pyspark import BarrierTaskContext

    context = BarrierTaskContext.get()
    meeting = Meeting(context, job.timeout)
    result = _outcome(job, meeting, partial(_share, job, context, meeting.rank), batches)
    if result is not None:
        yield pa.RecordBatch.from_pydict({"result": pa.array([result], type=pa.binary())})


def _share(job: Job, context: Any, rank: int) -> Share:
    """Return what Spark gives this worker. Raises ParameterError if that has no device for a training on GPUs."""
    share: Share = {"nthread": context.cpus()}
    if uses_gpus(dict(job.plan.params).get("device")):
        share["device"] = device_of_task(context.resources(), rank)
    return share


def _outcome(job: Job, meeting: Meeting, share: Callable[[], Share], batches: Iterable[pa.RecordBatch]) -> bytes | None:
    """Return what the task yields: only rank 0 yields something. Raises CollectiveError to have the stage repeated."""
    with closing(Listener(meeting.hosts[meeting.rank], job.ports)) as listener:
        said = meeting.tell(port=listener.port, pid=os.getpid())
        names = [f"{meeting.name(rank)}, process {other['pid']}" for rank, other in enumerate(said)]
        addresses = [(host, other["port"]) for host, other in zip(meeting.hosts, said)]
        connect = partial(SocketRank, meeting.rank, names, addresses, listener, job.key, job.timeout)
        trained, error = _train(job, meeting.rank, batches, share, connect)
    if isinstance(error, CollectiveError):
        said = _told_after_a_loss(meeting, error)
    else:
        said = meeting.tell(lost=None, error=packed(error))
    failed = next((unpacked(other["error"]) for other in said if other["error"]), None)
    if failed is None and (why := next((other["lost"] for other in said if other["lost"]), None)):
        raise CollectiveError(why)
    return (failed or pickle.dumps(trained)) if meeting.rank == 0 else None


def _told_after_a_loss(meeting: Meeting, error: CollectiveError) -> list[dict[str, Any]]:
    """Return what every task says. Raises the error if one says nothing soon, because it is lost."""
    try:
        return meeting.tell(_SECONDS_AFTER_A_LOSS, lost=str(error), error=None)
    except CollectiveError:
        raise error from None


def _train(
    job: Job,
    partition: int,
    batches: Iterable[pa.RecordBatch],
    share: Callable[[], Share],
    connect: Callable[[], SocketRank],
) -> tuple[Trained | None, Exception | None]:
    try:
        with closing(connect()) as rank:  # first, so that workers who read rows notice the loss of another one
            return _trained(job, WorkerRows(batches, job.names, job.is_sparse, partition), rank, share()), None
    except Exception as error:
        return None, error


def _trained(job: Job, rows: WorkerRows, rank: Collective, share: Share) -> Trained:
    plan = _plan(job, rows, rank, share)
    if job.is_ranking:
        rows.use_queries()
    data, held = _matrices(job, rows, rank, dict(plan.params))
    evals = [(data, TRAINING)] + ([(held, VALIDATION)] if held is not None else [])
    training = Training(plan, data, evals, rank)
    try:
        training.begin()
        training.go_on()
        booster = training.end()
    finally:
        training.release()
    booster.set_param("nthread", 0)  # the number of threads of a worker does not apply to other processes
    return Trained(bytes(booster.save_raw()), training.history)


def _plan(job: Job, rows: WorkerRows, rank: Collective, share: Share) -> Plan:
    """Return the plan for these rows, whose labels become numbers of the booster."""
    params = {**dict(job.plan.params), **share}
    if not job.is_classifier:
        rows.encode(lambda labels: labels.reshape(-1) if labels.shape[1:] == (1,) else labels)
        return replace(job.plan, params=params)
    found = [np.unique(values) for values in rows.labels()]
    mine = np.unique(np.concatenate([np.empty(0), *found]))
    texts = rank.gather_bytes(mine.astype(np.float64).tobytes())
    classes = np.unique(np.concatenate([np.frombuffer(text, dtype=np.float64) for text in texts]))
    is_multilabel = rank.any(any(values.ndim == 2 for values in rows.labels()))
    if not is_multilabel and not np.isfinite(classes).all():
        raise DataError(f"a label is {classes[~np.isfinite(classes)][0]}; leave out rows without a label.")
    if is_multilabel:
        classes = np.arange(2)
    set_objective(params, len(classes), is_multilabel)
    rows.encode(label_table if is_multilabel else lambda labels: np.asarray(np.searchsorted(classes, labels)))
    return replace(job.plan, params=params, callbacks=[ClassesCallback(classes), *job.plan.callbacks])


def _matrices(job: Job, rows: WorkerRows, rank: Collective, params: dict[str, Any]) -> tuple[DMatrix, DMatrix | None]:
    """Return the matrices of the rows to learn from and of the held-out rows. The raw values are freed."""
    first, held = rows.number(rank)
    n_columns = rows.n_columns(rank)
    categories = rows.categories(rank)
    is_quantile = uses_bins(params)
    settings = Settings(
        missing=job.missing,
        feature_names=None,
        feature_types=job.feature_types,
        enable_categorical=True,
        feature_weights=job.feature_weights,
        categories=categories,
        texts={},
        no_rows=no_rows_of(job.names, categories, n_columns),
        is_quantile=is_quantile,
        max_bin=params.get("max_bin") if is_quantile else None,
    )
    if not rank.any(len(first) > 0):
        raise DataError("there are no rows to learn from: the frame is empty, or all of its rows are held out.")
    data = make_matrix(settings, rows.parts[0], first, rank, None)
    rows.parts[0] = []
    if not job.is_validated:
        return data, None
    validation = make_matrix(settings, rows.parts[1], held, rank, data if is_quantile else None)
    rows.parts[1] = []
    return data, validation
