"""Estimators of Spark ML, and the models that they fit."""

from __future__ import annotations

import pickle
import threading
from functools import partial
from typing import Any

import numpy as np
from pyspark.ml import Estimator, Model
from pyspark.ml.util import MLReadable, MLWritable
from pyspark.sql import functions as sql

from .._binding.errors import CollectiveError, ParameterError
from .._data.matrix import missing_value
from .._estimators.classifier import KauriClassifier as _LocalClassifier
from .._estimators.functions import as_objective
from .._estimators.missing import MissingCallback
from .._estimators.ranker import KauriRanker as _LocalRanker
from .._estimators.regressor import KauriRegressor as _LocalRegressor
from .._model.booster import Booster
from .._public import public
from .._training.callbacks import EarlyStopping
from .._training.training import Plan
from . import predict, task
from .columns import Columns, placed, selected
from .files import Reader, Writer
from .gpus import profile_of_training, uses_gpus
from .params import ClassifierParams, KauriParams
from .session import new_key, ports_of, require_workers

_MOST_LINES = 12  # of an error of Spark in a message
# In messages of Spark: an executor is lost, or a task of the training fails. Other errors are the frame's own.
_SIGNS_OF_LOSS = ("ExecutorLostFailure", "barrier task", "barrier ResultStage", "the maximum allowable number of times")


@public("kauriboost.spark")
class TrainingSummary:
    """The evaluations of a training after each round: metric -> values.

    Attributes
    ----------
    train_objective_history, validation_objective_history
        Of the rows learnt from, and of those that `validation_indicator_col` marks.
    """

    def __init__(self, history: Any) -> None:
        self.train_objective_history = dict(history.get(task.TRAINING, {}))
        self.validation_objective_history = dict(history.get(task.VALIDATION, {}))


class _Saved(MLReadable[Any], MLWritable):
    """Common base of what can be saved and loaded."""

    def write(self) -> Writer:
        """Return a writer: ``write().overwrite().save(path)``."""
        return Writer(self)

    @classmethod
    def read(cls) -> Reader:
        """Return a reader: ``read().load(path)``."""
        return Reader(cls)


class _Model(KauriParams, Model, _Saved):
    """Common base of the models."""

    _model: bytes | None = None
    training_summary: TrainingSummary | None = None

    def get_booster(self) -> Booster:
        """Return the booster."""
        return Booster(model_file=bytearray(self._model or b""))

    def _fitted(self) -> Any:
        local = self._of_driver()
        local.load_model(bytearray(self._model or b""))
        return local

    def _of_driver(self) -> Any:
        """Return an estimator without a model that predicts on the CPU: the driver may have no GPU."""
        return self.local().set_params(device=None)

    def _fields(self, local: Any) -> dict[str, tuple[str, str, bool]]:
        """Return for each column to add what it holds, its type, and whether it becomes a vector."""
        kind = predict.NUMBER if predict.n_outputs(local) == 1 else predict.NUMBERS
        return {self.getPredictionCol(): ("prediction", kind, False)}

    def _transform(self, dataset: Any) -> Any:
        local = self._fitted()
        fields = self._fields(local)
        if self.value("pred_contrib_col"):
            fields[self.value("pred_contrib_col")] = ("contributions", predict.NUMBERS, False)
        columns = self.columns("base_margin")
        kinds = {what: kind for what, kind, _ in fields.values()}
        on_gpu = uses_gpus(self.local().device)
        given = predict.Prediction(self._of_driver(), self._model or b"", columns.names, self.is_sparse, kinds, on_gpu)
        call = sql.arrow_udf(_typed(partial(predict.run, given)), given.schema())
        rows = sql.struct(*selected(dataset, columns))
        found = f"kauri_{self.uid}"
        result = dataset.withColumn(found, call(rows))
        for name, (what, _, is_vector) in fields.items():
            result = result.withColumn(name, _as_vector(sql.col(found)[what]) if is_vector else sql.col(found)[what])
        return result.drop(found)


def _typed(function: Any) -> Any:
    """Return the function with the types by which Spark knows that it takes an iterator of batches."""
    from collections.abc import Iterator

    import pyarrow as pa

    def run(batches: Iterator[pa.Array]) -> Iterator[pa.Array]:
        yield from function(batches)

    run.__annotations__ = {"batches": Iterator[pa.Array], "return": Iterator[pa.Array]}
    return run


def _as_vector(column: Any) -> Any:
    from pyspark.ml.functions import array_to_vector

    return array_to_vector(column)


class _Estimator(KauriParams, Estimator, _Saved):
    """Common base of the estimators."""

    _MODEL: type[_Model]

    def __init__(self, **given: Any) -> None:
        super().__init__()
        self.setParams(**given)

    def _fit(self, dataset: Any) -> Any:
        n_workers = self.value("num_workers")
        if n_workers < 1:
            raise ParameterError(f"num_workers is {n_workers}; choose 1 or more.")
        if not 0 < self.value("timeout") <= threading.TIMEOUT_MAX:
            raise ParameterError(f"timeout is {self.value('timeout')}; choose a number of seconds above 0.")
        local = self.local()
        columns = self.columns("label", "weight", "base_margin", "validation", "qid")
        if isinstance(local, _LocalRanker) != (columns.qid is not None):
            needs = "needs qid_col, the column of queries" if columns.qid is None else "takes no qid_col"
            raise ParameterError(f"{type(self).__name__} {needs}.")
        if local.early_stopping_rounds is not None and columns.validation is None:
            raise ParameterError("early_stopping_rounds needs rows to evaluate: mark them by validation_indicator_col.")
        job = self._job(local, columns, dataset.sparkSession)
        on_gpus = uses_gpus(local.device)
        profile = profile_of_training(dataset.sparkSession) if on_gpus else None
        require_workers(dataset.sparkSession, n_workers, profile, on_gpus)
        rows = placed(dataset, columns, n_workers, self.value("force_repartition"))
        tasks = rows.mapInArrow(partial(task.run, job), "result binary", barrier=True, profile=profile)
        return self._fitted(_result(tasks))

    def _job(self, local: Any, columns: Columns, session: Any) -> task.Job:
        """Return what the tasks need to know of the estimator."""
        params = local.get_booster_params()
        is_classifier = isinstance(local, _LocalClassifier)
        if "objective" in params or is_classifier:
            local._require_objective(params.get("objective", "binary:logistic"))
        callbacks = [MissingCallback(local.missing), *(local.callbacks or [])]
        if local.early_stopping_rounds is not None:
            callbacks.append(EarlyStopping(rounds=local.early_stopping_rounds))
        weights = local.feature_weights
        return task.Job(
            plan=Plan(
                params,
                local.get_num_boosting_rounds(),
                as_objective(local.objective) if callable(local.objective) else None,
                local._own_metric(),
                callbacks,
                _bytes_of(self.value("xgb_model")),
            ),
            is_classifier=is_classifier,
            missing=missing_value(local.missing),
            feature_types=local.feature_types,
            feature_weights=None if weights is None else np.asarray(weights, dtype=np.float32),
            names=columns.names,
            is_sparse=self.is_sparse,
            is_ranking=columns.qid is not None,
            is_validated=columns.validation is not None,
            key=new_key(session),
            ports=ports_of(session),
            timeout=self.value("timeout"),
        )

    def _fitted(self, trained: task.Trained) -> _Model:
        model = self._MODEL()
        model._model = trained.model
        model.training_summary = TrainingSummary(trained.history)
        self._copyValues(model)
        model.clear(model.callbacks)  # a model does not train, and cannot be saved with them
        model._resetUid(self.uid)
        return model


def _bytes_of(model: Any) -> bytearray | None:
    if model is None:
        return None
    booster = model if isinstance(model, Booster) else Booster(model_file=model)
    return bytearray(booster.save_raw())


def _lines(error: Exception) -> list[str]:
    """Return the message of an error of Spark, without the calls in which it arose."""
    return [line for line in str(error).splitlines() if line.strip() and not line.startswith("\tat ")]


def _result(frame: Any) -> task.Trained:
    """Run a training. Raises its error, CollectiveError if workers were lost again and again, or the frame's error."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        (row,) = frame.repartition(1).collect()  # Spark repeats a barrier stage only if it writes for another stage
    except (Py4JError, PySparkException) as error:
        lines = _lines(error)
        if not any(sign in line for line in lines for sign in _SIGNS_OF_LOSS):
            raise
        text = " ".join(lines[:_MOST_LINES]).rstrip(".")
        raise CollectiveError(
            f"Spark has given up the training, after repeating it as often as it is allowed to "
            f"(spark.stage.maxConsecutiveAttempts): {text}. Executors that run out of memory end like "
            "this: give them more (spark.executor.memoryOverhead is for Python), or use more workers."
        ) from error
    result = pickle.loads(bytes(row["result"]))
    if isinstance(result, BaseException):
        raise result
    trained: task.Trained = result
    return trained


@public("kauriboost.spark")
class KauriRegressorModel(_Model):
    """A fitted `KauriRegressor`."""

    _LOCAL = _LocalRegressor


@public("kauriboost.spark")
class KauriRegressor(_Estimator):
    """Regression for data frames of Spark; see `kauriboost.KauriRegressor` for the parameters of the booster."""

    _LOCAL, _MODEL = _LocalRegressor, KauriRegressorModel


@public("kauriboost.spark")
class KauriRankerModel(_Model):
    """A fitted `KauriRanker`."""

    _LOCAL = _LocalRanker


@public("kauriboost.spark")
class KauriRanker(_Estimator):
    """Ranking for data frames of Spark; see `kauriboost.KauriRanker`. `qid_col` is the column of queries."""

    _LOCAL, _MODEL = _LocalRanker, KauriRankerModel


@public("kauriboost.spark")
class KauriClassifierModel(ClassifierParams, _Model):
    """A fitted `KauriClassifier`."""

    _LOCAL = _LocalClassifier

    @property
    def classes_(self) -> Any:
        """The classes, ascending: the labels that predictions are, ``[n_classes]``."""
        return self._fitted().classes_

    @property
    def numClasses(self) -> int:
        """The number of classes."""
        return len(self.classes_)

    def _fields(self, local: Any) -> dict[str, tuple[str, str, bool]]:
        is_table = predict.is_multilabel(local)
        return {
            self.getRawPredictionCol(): ("raw", predict.NUMBERS, True),
            self.getProbabilityCol(): ("probability", predict.NUMBERS, True),
            self.getPredictionCol(): ("prediction", predict.NUMBERS if is_table else predict.NUMBER, False),
        }


@public("kauriboost.spark")
class KauriClassifier(ClassifierParams, _Estimator):
    """Classification for data frames of Spark; see `kauriboost.KauriClassifier`. Labels are numbers."""

    _LOCAL, _MODEL = _LocalClassifier, KauriClassifierModel


for _each in (
    KauriRegressor,
    KauriRegressorModel,
    KauriRanker,
    KauriRankerModel,
    KauriClassifier,
    KauriClassifierModel,
):
    _each.declare()
