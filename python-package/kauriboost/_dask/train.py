"""Training on a cluster, from the client.

A training goes in segments of some seconds. After each the client has the model, the evaluations and the state of the
callbacks. When a worker is lost, the epoch ends at all others; Dask makes the partitions again that were with it, and a
new epoch goes on from the end of the last segment, on the workers that have the partitions then. The rounds that are
done again come out the same, since nothing depends on which rank has a row.
"""

from __future__ import annotations

import asyncio
import os
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Optional, Union

from .._binding.errors import DataError, KauriError
from .._data.numbers import whole_number
from .._model.booster import Booster, Objective
from .._model.metrics import CustomMetric
from .._model.params import ParamsOrPairs
from .._training.callback import TrainingCallback
from .._training.callbacks import EarlyStopping
from .._training.checkpoint import TrainingCheckPoint
from .._training.training import Plan, Snapshot
from .matrix import DaskDMatrix, client_or_default
from .patience import while_there_are_workers
from .placement import Piece, pieces_of, ranges_of
from .progress import Progress
from .segment import Job, Outcome, Rows, first_segment, next_segment, threads_of
from .station import StationPlugin
from .store import Store
from .workers import WorkerLostError, Workers

SEGMENT_SECONDS = 5.0
_REGISTRATIONS, _SECONDS_BETWEEN_REGISTRATIONS = 5, 1.0
MOST_LOSSES = 3  # in a row, without a segment between them
DaskEvals = Sequence[tuple[DaskDMatrix, str]]
CheckpointDir = Optional[Union[str, "os.PathLike[str]"]]


@dataclass
class _Run:
    """One training from its client's side."""

    client: Any
    matrices: list[DaskDMatrix]
    job: Job
    timeout: float
    progress: Progress
    store: Store
    release: bool = False
    group: str = field(default_factory=lambda: uuid.uuid4().hex)
    epoch: int = 0
    losses: int = 0
    snapshot: Snapshot | None = None

    async def to_the_end(self) -> Outcome:
        """Do all rounds, in as many epochs as it takes."""
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
        """Give all workers their stations. One of them may go just then; another one will have come in its place."""
        for attempt in range(_REGISTRATIONS):
            try:
                await self.client.register_plugin(StationPlugin())
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
        workers = Workers(self.client, self.group, self.epoch, addresses)
        await workers.open(self.timeout)
        try:
            rows = [[_rows_at(address, of_matrix) for of_matrix in pieces] for address in addresses]
            arguments = [(self.job, self.snapshot, of_rank) for of_rank in rows]
            outcome = await self._note(await workers.run(first_segment, arguments))
            if self.release:
                del pieces, rows, arguments  # which hold the partitions, too
                for matrix in self.matrices:
                    matrix.release()
            while outcome.snapshot is not None:
                outcome = await self._note(await workers.run(next_segment, [(self.job.seconds,)] * len(addresses)))
            return outcome
        finally:
            await workers.close()

    async def _pieces(self, matrix: DaskDMatrix) -> list[Piece]:
        """Return where the rows are. Raises DataError for rows that are lost, or are others than before."""
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
    """Return what all ranks are told, and the matrices that it speaks of by number."""
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
        booster.set_param("nthread", threads_of(run.job.plan) or 0)  # those of a worker are not this process's
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
    """Train a booster on the workers that have the rows.

    Model and evaluations are those of one process with all rows in the collection's order, byte for byte, for any
    number of workers and any partitions, and also where workers are lost on the way: Dask makes their partitions again,
    and the training goes on.

    Parameters
    ----------
    client
        A ``distributed.Client``; None: the current one. With an asynchronous one, ``await`` the result.
    params, num_boost_round, early_stopping_rounds, xgb_model
        As in `kauriboost.train`. Where `params` have no nthread, a worker's ranks use the threads that Dask gave it.
    dtrain, evals
        What to learn from, and (matrix, name) pairs to evaluate after each round.
    obj
        An objective of your own; it sees the rows of one worker at a time, so what it returns must depend on each row
        alone.
    verbose_eval
        Show the progress in this process, some seconds behind; see `kauriboost.train`.
    callbacks
        What else to do around each round, in every worker's process. What a callback changes in itself stays there; it
        gets through the loss of a worker by its `state` and `restore`. A `TrainingCheckPoint` writes where the first
        rank is.
    custom_metric
        A metric of your own; it sees predictions, labels, weights and the like of all rows, and no features.
    timeout
        Seconds that a worker waits for another one, or the client for a cluster without workers to have one, before the
        training fails.
    checkpoint_dir
        A folder for a checkpoint after every few seconds: of this process, or a URL for fsspec, as ``s3://bucket/folder``.
        A training with the same arguments goes on from the newest that is there.
    release
        Let Dask forget the partitions once every worker has its matrix of them: the memory of their values is free
        then, unless others hold them, as a collection that was persisted does. They are made again where a worker is
        lost, and for whatever is done with the matrices next.

    Returns
    -------
    dict
        ``{"booster": Booster, "history": evaluations}``.

    Raises
    ------
    CollectiveError
        Workers that do not hear from each other in time.
    DataError
        Partitions that are lost and that Dask cannot make again, or that come back with other numbers; a cluster
        without workers.
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
