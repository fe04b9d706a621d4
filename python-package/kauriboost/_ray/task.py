"""The function that Ray Train runs in each of its workers: one rank of a training.

1. Meet the other workers (`Meeting`), and connect with the partners (`SocketRank`).
2. Make matrices of bins from blocks, piece by piece (`Pieces`).
3. Train. All ranks train the same model. Every few seconds, or rounds, all report the metrics, and rank 0 a checkpoint.
4. Say how it ended. An error in the data or the parameters is returned as a result, because a repetition would end
   the same. A lost worker is raised, and Ray Train repeats the training from the last checkpoint, to the same bytes.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import ray
from ray import train as ray_train
from ray.exceptions import RayError

from .._binding.errors import CollectiveError, ParameterError
from .._cluster.errors import packed, unpacked
from .._cluster.rows import Settings, make_matrix, uses_bins
from .._collective.messages import MessageCollective
from .._collective.sockets import Key, Listener, SocketRank
from .._collective.threads import thread_group
from .._data.matrix import DMatrix
from .._training.callback import EvalsLog
from .._training.training import Plan, Training
from .checkpoints import Saved, folder_for, latest, read
from .meeting import Meeting
from .pieces import Pieces
from .table import Table

_SECONDS_AFTER_A_LOSS = 10.0  # for the others to say how they ended


class Job(NamedTuple):
    """A training as described to every worker."""

    plan: Plan
    tables: list[Table]  # of the rows to learn from, and of those that are evaluated
    evals: list[tuple[int, str]]  # the number of a table, and its name
    missing: float
    feature_types: Any
    feature_weights: np.ndarray | None
    classes: np.ndarray | None  # labels whose numbers are learnt; None to learn the labels themselves
    key: Key
    ports: tuple[int, ...]
    timeout: float
    fingerprint: str
    report_every: int | None  # rounds from one report to the next; None to count seconds
    report_seconds: float


class Trained(NamedTuple):
    """The result of a training."""

    model: bytes
    history: EvalsLog
    bytes_sent: int


def run(config: dict[str, Any]) -> bytes | None:
    """Run one rank; return on rank 0 the pickled `Trained` or exception. Raises CollectiveError for a repetition."""
    job: Job = config["job"]
    context = ray_train.get_context()
    rank, size = context.get_world_rank(), context.get_world_size()
    with contextlib.closing(Meeting(rank, size, job.key, job.ports, job.timeout)) as meeting:
        trained, error = _outcome(job, meeting)
        lost = str(error) if isinstance(error, CollectiveError) else None
        try:
            patience = _SECONDS_AFTER_A_LOSS if lost else None
            said = meeting.tell(patience=patience, lost=lost, error=None if lost else packed(error))
        except CollectiveError:
            if error is not None:
                raise error from None
            raise
        failed = next((unpacked(other["error"]) for other in said if other["error"]), None)
        if failed is None and (why := next((other["lost"] for other in said if other["lost"]), None)):
            raise CollectiveError(why)
    return (failed or pickle.dumps(trained)) if rank == 0 else None


def _outcome(job: Job, meeting: Meeting) -> tuple[Trained | None, Exception | None]:
    try:
        with _connected(job, meeting) as rank:
            return _trained(job, rank), None
    except RayError as error:  # an actor of Ray Train is lost, such as the one that waits for all reports
        return None, CollectiveError(f"{meeting.names[meeting.rank]} has lost a part of Ray: {error}")
    except Exception as error:
        return None, error


@contextlib.contextmanager
def _connected(job: Job, meeting: Meeting) -> Iterator[MessageCollective]:
    if meeting.size == 1:
        yield thread_group(1, job.timeout)[0]
        return
    listener = Listener(meeting.host, job.ports)
    try:
        said = meeting.tell(host=meeting.host, port=listener.port)
    except BaseException:
        listener.close()
        raise
    addresses = [(each["host"], each["port"]) for each in said]
    with contextlib.closing(SocketRank(meeting.rank, meeting.names, addresses, listener, job.key, job.timeout)) as rank:
        yield rank


def _trained(job: Job, rank: MessageCollective) -> Trained:
    checkpoint = ray_train.get_checkpoint()
    saved = None if checkpoint is None else read(checkpoint, job.fingerprint)
    if saved is not None and saved.is_done:
        return Trained(saved.model, saved.snapshot.state.history, 0)
    params = _params(job)
    matrices = _matrices(job, rank, params)
    evals = [(matrices[number], name) for number, name in job.evals]
    training = Training(replace(job.plan, params=params), matrices[0], evals, rank)
    try:
        training.begin(None if saved is None else saved.snapshot)
        while not training.go_on(_pause(job, rank)):
            snapshot = training.snapshot()
            _report(job, rank, training, Saved(snapshot, snapshot.model, False))
        snapshot = training.snapshot()
        booster = training.end()
    finally:
        training.release()
    booster.set_param("nthread", 0)  # the number of threads of a worker does not apply to other processes
    model = bytes(booster.save_raw())
    _report(job, rank, training, Saved(snapshot, model, True))
    return Trained(model, training.history, rank.bytes_sent)


def _pause(job: Job, rank: MessageCollective) -> Callable[[], bool]:
    """Return a function that says after a round whether to report."""
    begin, rounds = time.monotonic(), 0

    def is_enough() -> bool:
        nonlocal rounds
        rounds += 1
        if job.report_every is not None:
            return rounds >= job.report_every
        return rank.rank == 0 and time.monotonic() - begin >= job.report_seconds

    return is_enough


def _report(job: Job, rank: MessageCollective, training: Training, saved: Saved) -> None:
    rank.any(False)  # a worker that is lost is noticed here, and not in Ray's wait for all reports, which has no end
    metrics = {**latest(training.history), "rounds": saved.snapshot.state.epoch}
    if rank.rank != 0:
        ray_train.report(metrics)
        return
    with folder_for(saved, job.fingerprint) as folder:
        ray_train.report(metrics, checkpoint=ray_train.Checkpoint.from_directory(folder))


def _params(job: Job) -> dict[str, Any]:
    """Return the parameters of the booster, with the threads and the device that Ray gives this worker."""
    params = dict(job.plan.params)
    resources = ray.get_runtime_context().get_assigned_resources()
    if not any(name in params for name in ("nthread", "n_jobs")) and resources.get("CPU"):
        params["nthread"] = max(1, int(resources["CPU"]))
    params.update(_device(str(params.get("device", "cpu")), resources.get("GPU", 0)))
    return params


def _device(wanted: str, n_gpus: float) -> dict[str, str]:
    """Return the device of this worker. Raises ParameterError if Ray gives it none, or a part of one."""
    if not wanted.startswith(("cuda", "gpu")):
        return {}
    if n_gpus < 1:
        raise ParameterError(
            f"device is {wanted!r}, and Ray gives this worker {n_gpus:g} GPUs; each worker needs one of its own: "
            "ScalingConfig(use_gpu=True)."
        )
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")
    mine = str(ray.get_gpu_ids()[0])
    return {"device": f"cuda:{visible.index(mine) if mine in visible else 0}"}


def _matrices(job: Job, rank: MessageCollective, params: dict[str, Any]) -> list[DMatrix]:
    """Return the matrices of this rank's rows of each table."""
    is_quantile = uses_bins(params)
    made: list[DMatrix] = []
    for table in job.tables:
        first, end = table.share(rank.rank, rank.size)
        settings = Settings(
            missing=job.missing,
            feature_names=None,
            feature_types=job.feature_types,
            enable_categorical=True,
            feature_weights=None if made else job.feature_weights,
            categories=table.categories,
            texts={},
            no_rows=table.no_rows,
            is_quantile=is_quantile,
            max_bin=params.get("max_bin") if is_quantile else None,
        )
        pieces = Pieces(table, first, end, job.timeout, job.classes)
        ranges = np.array([[first, end - first]] if end > first else [], dtype=np.int64).reshape(-1, 2)
        ref = made[0] if made and is_quantile else None
        made.append(make_matrix(settings, pieces, ranges, rank, ref, has_whole_queries=True))
    return made
