"""The barrier task of a training: one rank in a Python worker of Spark.

1. Read the rows, and say so to the other tasks, with the address of a listener (`Meeting`).
2. Connect with the partners (`SocketRank`), number the rows, agree on categories and classes, make matrices of bins.
3. Train. All ranks train the same model; rank 0 returns it.
4. Say how it ended. An error in the data or the parameters is returned as a result, because a repetition would end
   the same. A lost worker is raised, and Spark repeats the stage, from the same rows to the same bytes.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from .._binding.errors import CollectiveError, DataError
from .._cluster.errors import packed, unpacked
from .._cluster.rows import Settings, make_matrix, no_rows_of, uses_bins
from .._collective.collective import Collective
from .._collective.sockets import Key, Listener, SocketRank
from .._data.matrix import DMatrix, missing_value
from .._estimators.classifier import KauriClassifier
from .._estimators.estimator import KauriModel
from .._estimators.functions import as_objective
from .._training.callback import EvalsLog
from .._training.callbacks import EarlyStopping
from .._training.training import Plan, Training
from .meeting import Meeting
from .rows import WorkerRows

TRAINING, VALIDATION = "training", "validation"  # names of the evaluated rows


class Job(NamedTuple):
    """A training as described to every task."""

    estimator: KauriModel  # of kauriboost.sklearn, with all parameters
    names: list[str] | None  # of features, if each has a column
    is_sparse: bool
    is_ranking: bool
    is_validated: bool
    model: bytes | None  # the model to continue
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
    result = _outcome(job, Meeting(context, job.timeout), context.cpus(), batches)
    if result is not None:
        yield pa.RecordBatch.from_pydict({"result": pa.array([result], type=pa.binary())})


def _outcome(job: Job, meeting: Meeting, n_threads: int, batches: Iterable[pa.RecordBatch]) -> bytes | None:
    """Return what the task yields: only rank 0 yields something. Raises CollectiveError to have the stage repeated."""
    rows, error = _read(job, batches)
    with closing(Listener(meeting.hosts[meeting.rank], job.ports)) as listener:
        said = meeting.tell(port=listener.port, pid=os.getpid(), error=packed(error))
        failed = _first_error(said)
        if failed is None and rows is not None:
            names = [f"{meeting.name(rank)}, process {other['pid']}" for rank, other in enumerate(said)]
            addresses = [(host, other["port"]) for host, other in zip(meeting.hosts, said)]
            connect = partial(SocketRank, meeting.rank, names, addresses, listener, job.key, job.timeout)
            trained, error = _train(job, rows, n_threads, connect)
            lost = str(error) if isinstance(error, CollectiveError) else None
            said = meeting.tell(lost=lost, error=None if lost else packed(error))
            failed = _first_error(said)
            if failed is None and (why := next((other["lost"] for other in said if other["lost"]), None)):
                raise CollectiveError(why)
            failed = failed or pickle.dumps(trained)
    return failed if meeting.rank == 0 else None


def _read(job: Job, batches: Iterable[pa.RecordBatch]) -> tuple[WorkerRows | None, Exception | None]:
    try:
        return WorkerRows(batches, job.names, job.is_sparse), None
    except Exception as error:
        return None, error


def _train(
    job: Job, rows: WorkerRows, n_threads: int, connect: Callable[[], SocketRank]
) -> tuple[Trained | None, Exception | None]:
    try:
        with closing(connect()) as rank:
            return _trained(job, rows, rank, n_threads), None
    except Exception as error:
        return None, error


def _first_error(said: list[dict[str, Any]]) -> bytes | None:
    return next((unpacked(other["error"]) for other in said if other["error"]), None)


def _trained(job: Job, rows: WorkerRows, rank: Collective, n_threads: int) -> Trained:
    local = job.estimator
    params = _prepare(local, rows, rank)
    if job.is_ranking:
        rows.use_queries()
    data, held = _matrices(job, rows, rank, params)
    evals = [(data, TRAINING)] + ([(held, VALIDATION)] if held is not None else [])
    callbacks = [*local._own_callbacks(), *(local.callbacks or [])]
    if local.early_stopping_rounds is not None:
        callbacks.append(EarlyStopping(rounds=local.early_stopping_rounds))
    plan = Plan(
        {**params, "nthread": n_threads},
        local.get_num_boosting_rounds(),
        as_objective(local.objective) if callable(local.objective) else None,
        local._own_metric(),
        callbacks,
        None if job.model is None else bytearray(job.model),
    )
    training = Training(plan, data, evals, rank)
    try:
        training.begin()
        training.go_on()
        booster = training.end()
    finally:
        training.release()
    booster.set_param("nthread", 0)  # the number of threads of a worker does not apply to other processes
    return Trained(bytes(booster.save_raw()), training.history)


def _prepare(local: KauriModel, rows: WorkerRows, rank: Collective) -> dict[str, Any]:
    """Return the booster's parameters, and replace the labels of a classifier by the numbers of their classes."""
    params = local.get_booster_params()
    if isinstance(local, KauriClassifier):
        _agree_on_classes(local, rows.labels(), rank)
        local._set_objective(params)
    elif "objective" in params:
        local._require_objective(params["objective"])
    for parts in rows.parts:
        for part in parts:
            part["label"] = np.asarray(local._encode(part["label"]), dtype=np.float32)
    return params


def _agree_on_classes(local: KauriClassifier, labels: list[np.ndarray], rank: Collective) -> None:
    found = [np.unique(values) for values in labels]
    mine = np.unique(np.concatenate([np.empty(0), *found]))
    texts = rank.gather_bytes(mine.astype(np.float64).tobytes())
    classes = np.unique(np.concatenate([np.frombuffer(text, dtype=np.float64) for text in texts]))
    local._is_multilabel = rank.any(any(values.ndim == 2 for values in labels))
    local.classes_ = np.arange(2) if local._is_multilabel else classes
    local.n_classes_ = len(local.classes_)
    if not local._is_multilabel and not np.isfinite(classes).all():
        raise DataError(f"a label is {classes[~np.isfinite(classes)][0]}; leave out rows without a label.")


def _matrices(job: Job, rows: WorkerRows, rank: Collective, params: dict[str, Any]) -> tuple[DMatrix, DMatrix | None]:
    """Return the matrices of the rows to learn from and of the held-out rows. The raw values are freed."""
    local = job.estimator
    first, held = rows.number(rank)
    n_columns = rows.n_columns(rank)
    categories = rows.categories(rank)
    is_quantile = uses_bins(params)
    settings = Settings(
        missing=missing_value(local.missing),
        feature_names=None,
        feature_types=local.feature_types,
        enable_categorical=True,
        feature_weights=None if local.feature_weights is None else np.asarray(local.feature_weights, dtype=np.float32),
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
