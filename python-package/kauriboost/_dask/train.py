"""Training on a cluster, from the client.

A training runs in segments of a few seconds. After each segment the client has the model, the evaluations and the state
of the callbacks. When a worker is lost, the epoch ends at all others. Dask recomputes the lost partitions, and a new
epoch continues from the end of the last segment, on the workers that then hold the partitions. Repeated rounds give the
same result, because no result depends on the rank that has a row.
"""

from __future__ import annotations

import asyncio
import os
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Optional, Union

from .._binding.errors import DataError, KauriError
from .._cluster.blocks import check_texts
from .._data.numbers import whole_number
from .._model.booster import Booster, Objective
from .._model.metrics import CustomMetric
from .._model.params import ParamsOrPairs
from .._training.callback import TrainingCallback
from .._training.callbacks import EarlyStopping
from .._training.checkpoint import TrainingCheckPoint
from .._training.training import Plan, Snapshot
from .matrix import DaskDMatrix, client_or_default
from .placement import Piece, pieces_of, ranges_of
from .progress import Progress
from .segment import Job, Outcome, Rows, first_segment, next_segment, threads_of
from .store import Store
from .waiting import while_there_are_workers
from .worker_endpoint import EndpointPlugin
from .workers import WorkerLostError, Workers

SEGMENT_SECONDS = 5.0
_REGISTRATIONS, _SECONDS_BETWEEN_REGISTRATIONS = 5, 1.0
MOST_LOSSES = 3  # consecutive losses, without a completed segment in between
DaskEvals = Sequence[tuple[DaskDMatrix, str]]
CheckpointDir = Optional[Union[str, "os.PathLike[str]"]]


@dataclass
class _Run:
    """One training, as seen by its client."""

    client: Any
    matrices: list[DaskDMatrix]
    job: Job
    timeout: float
    progress: Progress
    store: Store
    release: bool = False
    training_id: str = field(default_factory=lambda: uuid.uuid4().hex)
    epoch: int = 0
    losses: int = 0
    snapshot: Snapshot | None = None

    async def to_the_end(self) -> Outcome:
        """Train all rounds, in one or more epochs."""
        await self._register()
        self.snapshot = await asyncio.to_thread(self.store.newest, self.job.plan)
        while True:
            try:
                return await self._one_epoch()
            except WorkerLostError as error:
                self.losses += 1
                if self.losses >= MOST_LOSSES:
                    raise DataError(
                        f"{self.losses} times in a row a worker was lost before a segment of rounds was done; the last "
                        f"time {error} Workers that run out of memory end like this.{self.store.where()}"
                    ) from error
                self.epoch += 1

    async def _register(self) -> None:
        """Give all workers their endpoints. If a worker leaves meanwhile, the registration is repeated."""
        for attempt in range(_REGISTRATIONS):
            try:
                await self.client.register_plugin(EndpointPlugin())
                return
            except OSError:
                if attempt == _REGISTRATIONS - 1:
                    raise
                await asyncio.sleep(_SECONDS_BETWEEN_REGISTRATIONS)

    async def _one_epoch(self) -> Outcome:
        pieces = [await self._pieces(matrix) for matrix in self.matrices]
        addresses = list(dict.fromkeys(piece.address for of_matrix in pieces for piece in of_matrix))
        if not addresses:
            raise DataError("there are no rows to learn from: all partitions are empty.")
        workers = Workers(self.client, self.training_id, self.epoch, addresses)
        await workers.open(self.timeout)
        try:
            rows = [[_rows_at(address, of_matrix) for of_matrix in pieces] for address in addresses]
            arguments = [(self.job, self.snapshot, of_rank) for of_rank in rows]
            outcome = await self._note(await workers.run(first_segment, arguments))
            if self.release:
                del pieces, rows, arguments  # these also reference the partitions
                for matrix in self.matrices:
                    matrix.release()
            while outcome.snapshot is not None:
                outcome = await self._note(await workers.run(next_segment, [(self.job.seconds,)] * len(addresses)))
            return outcome
        finally:
            await workers.close()

    async def _pieces(self, matrix: DaskDMatrix) -> list[Piece]:
        """Return the rows' locations. Raises DataError for rows that are lost or have changed."""
        matrix.restore()
        try:
            pieces = await pieces_of(self.client, matrix, self.timeout)
            if self.epoch > 0:
                await while_there_are_workers(self.client, matrix.require_unchanged(), self.timeout)
        except KauriError as error:
            raise type(error)(f"{error}{self.store.where()}") from error
        return pieces

    async def _note(self, outcomes: Sequence[Outcome | None]) -> Outcome:
        (outcome,) = [each for each in outcomes if each is not None]
        self.losses = 0
        self.snapshot = outcome.snapshot
        if outcome.snapshot is not None:
            await asyncio.to_thread(self.store.save, outcome.snapshot)
        self.progress.show(outcome.history)
        return outcome


def _rows_at(address: str, pieces: Sequence[Piece]) -> Rows:
    here = [piece for piece in pieces if piece.address == address]
    return Rows([piece.part for piece in here], ranges_of(here))


def _job(plan: Plan, dtrain: DaskDMatrix, evals: DaskEvals) -> tuple[Job, list[DaskDMatrix]]:
    """Return the job for all ranks, and the matrices that it refers to by number."""
    matrices: list[DaskDMatrix] = []
    if isinstance(evals, DaskDMatrix):
        raise TypeError('evals must be (DaskDMatrix, name) pairs. Pass a list of them: evals=[(matrix, "name")].')
    for matrix in [dtrain, *(data for data, _ in evals)]:
        if not isinstance(matrix, DaskDMatrix):
            raise TypeError(
                f"expected a DaskDMatrix, got {type(matrix).__name__}; make one: DaskDMatrix(client, data)."
            )
        if not any(matrix is known for known in matrices):
            matrices.append(matrix)
    if any(matrix.ref not in (None, dtrain) for matrix in matrices):
        raise DataError("expected the training matrix as `ref` of a matrix, got another one; make it with ref=dtrain.")
    if plan.xgb_model is None:
        columns = list(getattr(dtrain.settings.no_rows, "columns", []))
        check_texts(dtrain.settings.texts, columns, dtrain.num_row())
    numbers = {id(matrix): number for number, matrix in enumerate(matrices)}
    tables = [(matrix.settings, None if matrix.ref is None else 0) for matrix in matrices]
    named = [(numbers[id(data)], name) for data, name in evals]
    return Job(plan, tables, named, SEGMENT_SECONDS), matrices


async def _train(run: _Run) -> dict[str, Any]:
    try:
        outcome = await run.to_the_end()
        run.progress.end(outcome.reports)
    finally:
        run.store.release()
    booster = outcome.booster
    if booster is not None:
        # the number of threads of a worker does not apply to this process
        booster.set_param("nthread", threads_of(run.job.plan) or 0)
    return {"booster": booster, "history": outcome.history}


def train(
    client: Any,
    params: ParamsOrPairs,
    dtrain: DaskDMatrix,
    num_boost_round: int = 10,
    *,
    evals: DaskEvals | None = None,
    obj: Objective | None = None,
    early_stopping_rounds: int | None = None,
    xgb_model: Booster | None = None,
    verbose_eval: bool | int = True,
    callbacks: Sequence[TrainingCallback] | None = None,
    custom_metric: CustomMetric | None = None,
    timeout: float = 300.0,
    checkpoint_dir: CheckpointDir = None,
    release: bool = False,
) -> Any:
    """Train a booster on the workers that hold the rows.

    Model and evaluations are the same, byte for byte, as from one process with all rows in the collection's order. This
    holds for any number of workers, any partitions, and also if workers are lost: Dask recomputes their partitions, and
    the training continues.

    Parameters
    ----------
    client
        A ``distributed.Client``; None for the current one. With an asynchronous client, ``await`` the result.
    params, num_boost_round, early_stopping_rounds, xgb_model
        As for `kauriboost.train`. If `params` have no nthread, each rank uses the number of threads of its Dask worker.
    dtrain, evals
        The training data, and (matrix, name) pairs to evaluate after each round.
    obj
        A custom objective. It sees the rows of one worker at a time, so its result must depend on each row alone.
    verbose_eval
        Show the progress in this process, with a delay of some seconds; see `kauriboost.train`.
    callbacks
        Callbacks to run around each round, in every worker's process. Changes to a callback's own state stay there;
        `state` and `restore` carry them over the loss of a worker. A `TrainingCheckPoint` writes on the worker of rank
        0.
    custom_metric
        A custom metric. It sees predictions, labels, weights and other fields of all rows, but no features.
    timeout
        Seconds that a worker waits for another one, or the client for a cluster without workers to get one, before the
        training fails.
    checkpoint_dir
        A folder of this process, or a URL for fsspec such as ``s3://bucket/folder``, for a checkpoint every few
        seconds. A training with the same arguments continues from the newest checkpoint there.
    release
        Release the partitions once every worker has made its matrix. This frees the memory of the values, unless others
        hold them, for example a persisted collection. The partitions are recomputed if a worker is lost, and for any
        later use of the matrices.

    Returns
    -------
    dict
        ``{"booster": Booster, "history": evaluations}``.

    Raises
    ------
    CollectiveError
        Workers do not hear from each other in time.
    DataError
        Partitions are lost and Dask cannot recompute them, or they come back with other numbers; the cluster has no
        workers.
    """
    client = client_or_default(client)
    actions = list(callbacks or [])
    if any(isinstance(action, TrainingCheckPoint) and action.resume for action in actions):
        raise ValueError("a TrainingCheckPoint cannot resume on a cluster; give train() a checkpoint_dir instead.")
    if early_stopping_rounds is not None:
        actions.append(EarlyStopping(rounds=early_stopping_rounds))
    num_boost_round = whole_number(num_boost_round, "num_boost_round")
    plan = Plan(params, num_boost_round, obj, custom_metric, actions, xgb_model)
    job, matrices = _job(plan, dtrain, [] if evals is None else evals)
    progress = Progress(num_boost_round, verbose_eval if evals else False)
    return client.sync(_train, _Run(client, matrices, job, timeout, progress, Store(checkpoint_dir), release))
