"""The trainer, which is one of Ray Train's, and `train`."""

from __future__ import annotations

import hashlib
import pickle
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Union

import numpy as np
from ray.data import Dataset
from ray.exceptions import RayActorError
from ray.train import Checkpoint, ControllerError, Result, RunConfig, ScalingConfig, TrainingFailedError
from ray.train.v2.api.data_parallel_trainer import DataParallelTrainer

from .._binding.errors import CollectiveError, DataError, KauriError, ParameterError
from .._data.matrix import missing_value
from .._data.numbers import whole_number
from .._model.booster import Booster, Objective
from .._model.metrics import CustomMetric
from .._model.params import ParamsOrPairs, metric_list
from .._public import public
from .._training.callback import TrainingCallback
from .._training.callbacks import EarlyStopping
from .._training.checkpoint import TrainingCheckPoint
from .._training.training import NOT_TRAINED_FROM, Plan, require_model
from . import task
from .checkpoints import booster_of
from .columns import Columns, given_names
from .reporting import RayTrainReportCallback
from .session import new_key, ports_of, require_places, with_an_end
from .table import Table, fingerprint_of
from .table import read as read_table

_REPORT_SECONDS = 5.0
_MOST_LINES = 4  # of an error of Ray in a message
ColumnNames = Union[str, Sequence[str]]


@public("kauriboost.ray")
class KauriTrainer(DataParallelTrainer):
    """A trainer of Ray Train: its workers learn a model from a Ray dataset together.

    Model and evaluations are the same, byte for byte, as from one process with all rows in the order of the dataset: by
    block, and within a block by position. This holds for any number of workers, any blocks, and also if workers are
    lost.

    Parameters
    ----------
    params
        Parameters of the booster. If they have no nthread, each worker uses as many threads as it has CPUs.
    datasets
        ``{"train": dataset}``, and further ones by name to evaluate after each round.
    label_column
        The column of labels, or several ones for several targets; it may hold lists or tensors.
    num_boost_round
        Number of rounds.
    feature_columns
        The columns of features, or one column of vectors: tensors, lists, or sparse vectors (`sparse_column`). All
        other columns by default. Columns of text are categories.
    weight_column, base_margin_column, qid_column
        Columns of weights, margins and queries. Queries ascend; the first row of a query has its weight.
    obj, custom_metric, early_stopping_rounds, callbacks, xgb_model
        As for `kauriboost.dask.train`; callbacks run in each worker.
    missing, feature_types, feature_weights
        As for `kauriboost.DMatrix`.
    scaling_config, run_config
        Ray Train's: workers and what each gets; the run's name and storage, and ``FailureConfig(max_failures=...)``,
        how often Ray starts lost workers again. The training then goes on from the last checkpoint. A run whose name
        has been used goes on, too, if rows and parameters are the same.
    report_every
        Rounds from one report of metrics and checkpoint to the next. By default, and at the least, five seconds go by;
        Ray Train takes reports every two seconds.
    timeout
        Seconds that a worker waits for another one, for a block or for its place in the cluster.
    ports
        The first and the last port at which workers may listen; any by default.
    """

    def __init__(
        self,
        params: ParamsOrPairs,
        *,
        datasets: Mapping[str, Any],
        label_column: ColumnNames,
        num_boost_round: int = 10,
        feature_columns: ColumnNames | None = None,
        weight_column: str | None = None,
        base_margin_column: ColumnNames | None = None,
        qid_column: str | None = None,
        obj: Objective | None = None,
        custom_metric: CustomMetric | None = None,
        early_stopping_rounds: int | None = None,
        callbacks: Sequence[TrainingCallback] | None = None,
        xgb_model: Booster | bytes | str | None = None,
        missing: float | None = None,
        feature_types: Any = None,
        feature_weights: Any = None,
        scaling_config: ScalingConfig | None = None,
        run_config: RunConfig | None = None,
        report_every: int | None = None,
        timeout: float = 300.0,
        ports: tuple[int, int] | None = None,
    ) -> None:
        if "train" not in datasets:
            raise DataError(f"datasets are {', '.join(datasets) or 'none'}; the one to learn from is 'train'.")
        if not 0 < timeout <= threading.TIMEOUT_MAX:
            raise ParameterError(f"timeout is {timeout}; choose a number of seconds above 0.")
        if report_every is not None and whole_number(report_every, "report_every") < 1:
            raise ParameterError(f"report_every is {report_every}; choose 1 or more rounds, or None.")
        require_model(xgb_model)
        label = given_names(label_column, "label_column")
        if label is None:
            raise DataError("label_column is None; name the column of labels.")
        self._columns = Columns(
            given_names(feature_columns, "feature_columns"),
            label,
            weight_column,
            given_names(base_margin_column, "base_margin_column"),
            qid_column,
        )
        self._datasets = dict(datasets)
        self._plan = Plan(
            _known(params),
            whole_number(num_boost_round, "num_boost_round"),
            obj,
            custom_metric,
            _actions(callbacks, early_stopping_rounds),
            None if xgb_model is None else _bytes_of(xgb_model),
        )
        self._missing, self._types, self._feature_weights = missing_value(missing), feature_types, feature_weights
        self._every, self._timeout, self._ports = report_every, float(timeout), ports_of(ports)
        self._wants_classes = False
        self._read: list[Table] | None = None
        scaling = scaling_config or ScalingConfig()
        if scaling.max_workers < 1:
            raise ParameterError(
                "ScalingConfig(num_workers=0) trains in this process, without checkpoints or repetitions; choose 1 or "
                "more workers, or use kauriboost.train."
            )
        if scaling.use_gpu:
            self._plan.params = {"device": "cuda", **dict(self._plan.params)}
        super().__init__(task.run, scaling_config=scaling, run_config=with_an_end(run_config, timeout))

    @staticmethod
    def get_model(checkpoint: Checkpoint) -> Booster:
        """Return the booster in a checkpoint of a result."""
        return booster_of(checkpoint)

    def fit(self) -> Result:
        """Train; return Ray Train's result, with the last metrics and the last checkpoint.

        Raises
        ------
        CollectiveError
            A worker was lost more often than ``FailureConfig(max_failures=...)`` allows, or found no place.
        DataError
            The dataset does not fit, or its blocks are lost or come back with other rows.
        """
        self.fit_with_model()
        return self.result

    def fit_with_model(self) -> task.Trained:
        """Train; return the model and the evaluations, which stay in this process's memory."""
        require_places(self.scaling_config, self._timeout)
        tables, self._read = self._read or self._tables(), None
        self.train_loop_config = {"job": self._job(tables)}
        try:
            self.result = super().fit()
        except TrainingFailedError as error:
            raise _plain(error) from error
        except RayActorError as error:
            raise CollectiveError(
                f"Ray Train's controller was lost: {_line(error)} Start the training again under the same name, "
                "RunConfig(name=...), and it goes on from its last checkpoint."
            ) from error
        finally:
            self.train_loop_config = {}
        outcome = pickle.loads(self.result.return_value)
        if isinstance(outcome, BaseException):
            raise outcome
        trained: task.Trained = outcome
        return trained

    def learn_with(self, params: dict[str, Any], callbacks: Sequence[TrainingCallback]) -> None:
        """Replace the parameters, and put callbacks before the others."""
        on_device = {"device": "cuda"} if self.scaling_config.use_gpu else {}
        self._plan.params = {**on_device, **_known(params)}
        self._plan.callbacks = [*_actions(callbacks, None), *self._plan.callbacks]

    def read_classes(self) -> np.ndarray | None:
        """Read the datasets, and number the classes; return the classes, or None if a row has several labels."""
        self._wants_classes = True
        self._read = self._tables()
        classes = self._read[0].classes
        if classes is None:
            self._wants_classes = False
            return None
        for table in self._read:
            unknown = np.setdiff1d(np.empty(0) if table.classes is None else table.classes, classes)
            if len(unknown) > 0:
                raise DataError(f"rows to evaluate have the label {unknown[0]:g}, which no row to learn from has.")
        if not np.isfinite(classes).all():
            raise DataError(f"a label is {classes[~np.isfinite(classes)][0]}; leave out rows without a label.")
        return classes

    def _tables(self) -> list[Table]:
        """Return the tables of all different datasets, first the one to learn from; note which one has which name."""
        self._evals: list[tuple[int, str]] = []
        tables: list[Table] = []
        known: dict[int, int] = {}
        for name in ["train", *(name for name in self._datasets if name != "train")]:
            dataset = self._datasets[name]
            if not isinstance(dataset, Dataset):
                raise TypeError(
                    f"expected a Ray dataset under {name!r}, got {type(dataset).__name__}; make one, for example with "
                    "ray.data.from_pandas."
                )
            if id(dataset) not in known:
                columns = self._columns if not tables else self._columns._replace(features=tables[0].columns.features)
                known[id(dataset)] = len(tables)
                tables.append(read_table(dataset, columns, self._timeout, self._wants_classes))
            self._evals.append((known[id(dataset)], name))
        return tables

    def _job(self, tables: list[Table]) -> task.Job:
        weights = None if self._feature_weights is None else np.asarray(self._feature_weights, dtype=np.float32)
        return task.Job(
            plan=self._plan,
            tables=tables,
            evals=self._evals,
            missing=self._missing,
            feature_types=self._types,
            feature_weights=weights,
            classes=tables[0].classes if self._wants_classes else None,
            key=new_key(),
            ports=self._ports,
            timeout=self._timeout,
            fingerprint=fingerprint_of(tables, self._settings(weights)),
            report_every=self._every,
            report_seconds=_REPORT_SECONDS,
        )

    def _settings(self, weights: np.ndarray | None) -> dict[str, Any]:
        """Return what the model depends on besides the rows and the number of rounds."""
        params = dict(self._plan.params)
        model = self._plan.xgb_model
        return {
            "params": {name: str(value) for name, value in params.items() if name not in NOT_TRAINED_FROM},
            "evals": self._evals,
            "missing": repr(self._missing),
            "types": self._types,
            "weights": None if weights is None else weights.tolist(),
            "model": None if model is None else hashlib.sha256(model).hexdigest(),
        }


def _actions(callbacks: Sequence[TrainingCallback] | None, stopping: int | None) -> list[TrainingCallback]:
    actions = list(callbacks or [])
    if any(isinstance(action, TrainingCheckPoint) for action in actions):
        raise ParameterError("Ray Train keeps the checkpoints of a run; leave TrainingCheckPoint out of callbacks.")
    if any(isinstance(action, RayTrainReportCallback) for action in actions):
        raise ParameterError(
            "the trainer reports by itself; leave RayTrainReportCallback out of callbacks, and set report_every."
        )
    return actions if stopping is None else [*actions, EarlyStopping(rounds=stopping)]


def _known(params: ParamsOrPairs) -> dict[str, Any]:
    """Return parameters by name. Raises ParameterError for unknown ones here, before anything is computed."""
    found: dict[str, Any] = {}
    for name, value in params.items() if isinstance(params, Mapping) else params:
        metrics = [*metric_list(found[name]), *metric_list(value)] if name == "eval_metric" and name in found else value
        found[name] = metrics
    needs_more = {name for name, value in found.items() if isinstance(value, (dict, list, tuple))} - {"eval_metric"}
    Booster({name: value for name, value in found.items() if name not in {"device", *needs_more}})
    return found


def _bytes_of(model: Any) -> bytes:
    booster = model if isinstance(model, Booster) else Booster(model_file=model)
    return bytes(booster.save_raw())


def _plain(error: TrainingFailedError) -> Exception:
    """Return the error of a worker that explains the others, or one that names the lost workers and the cure."""
    if isinstance(error, ControllerError):
        return CollectiveError(
            f"Ray Train has not got places for the workers, or could not start them: {_line(error.controller_failure)} "
            "Choose fewer workers or less for each by ScalingConfig, end other work, or raise `timeout`."
        )
    failures: dict[int, Exception] = getattr(error, "worker_failures", {})
    causes = {rank: getattr(failure, "cause", None) or failure for rank, failure in sorted(failures.items())}
    for cause in causes.values():
        if isinstance(cause, KauriError) and not isinstance(cause, CollectiveError):
            return cause
    lost = [
        f"worker {rank}: {_line(cause)}" for rank, cause in causes.items() if not isinstance(cause, CollectiveError)
    ]
    told = [_line(cause) for cause in causes.values() if isinstance(cause, CollectiveError)]
    return CollectiveError(
        f"the training has lost workers. {' '.join(lost + told[:1]) or _line(error)} Ray repeats a training from its "
        "last checkpoint as often as FailureConfig(max_failures=...) in RunConfig allows. Workers that run out of "
        "memory end like this: use more of them, or larger nodes."
    )


def _line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return " ".join(lines[:_MOST_LINES]).rstrip(".") + "."


def train(
    params: ParamsOrPairs,
    dataset: Any,
    num_boost_round: int = 10,
    *,
    label_column: ColumnNames,
    evals: Mapping[str, Any] | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """Train a booster on the workers of a Ray cluster.

    Model and evaluations are the same, byte for byte, as from one process with all rows in the order of the dataset.

    Parameters
    ----------
    params, num_boost_round, label_column
        As for `KauriTrainer`.
    dataset
        The dataset to learn from.
    evals
        Further datasets by name, to evaluate after each round, as the one to learn from is under the name ``train``.
    settings
        The other arguments of `KauriTrainer`, such as ``scaling_config`` and ``run_config``.

    Returns
    -------
    dict
        ``{"booster": Booster, "history": evaluations, "result": ray.train.Result}``.

    Raises
    ------
    CollectiveError, DataError
        As for `KauriTrainer.fit`.
    """
    if "train" in (evals or {}):
        raise DataError("evals has a dataset named train, the name of the one to learn from; choose another name.")
    datasets = {"train": dataset, **(evals or {})}
    trainer = KauriTrainer(
        params, datasets=datasets, label_column=label_column, num_boost_round=num_boost_round, **settings
    )
    trained = trainer.fit_with_model()
    return {
        "booster": Booster(model_file=bytearray(trained.model)),
        "history": trained.history,
        "result": trainer.result,
    }
