"""Predictions and explanations as columns, computed in Arrow batches where the rows are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from .._cluster.arrow import part_of
from .._data.naming import recalling_categories
from .._estimators.classifier import KauriClassifier
from .._estimators.estimator import KauriModel
from .gpus import RESOURCE, device_of_task

NUMBER, NUMBERS = "double", "array<double>"


class Prediction(NamedTuple):
    """A model, and the fields that a task computes with it."""

    estimator: KauriModel  # of kauriboost.sklearn, with its parameters and without a model
    model: bytes
    names: list[str] | None
    is_sparse: bool
    kinds: dict[str, str]  # of the fields to return: prediction, raw, probability, contributions -> type
    on_gpu: bool  # whether to use the GPU of a task that has one; the values are the same

    def schema(self) -> str:
        """Return the type of the results in Spark's language."""
        return "struct<" + ",".join(f"{name}:{kind}" for name, kind in self.kinds.items()) + ">"


def run(given: Prediction, batches: Iterator[pa.StructArray]) -> Iterator[pa.StructArray]:
    """Yield the predictions of each batch of rows with the columns of `columns.selected`."""
    from pyspark import TaskContext

    context = TaskContext.get()
    given.estimator.n_jobs = context.cpus()  # other tasks have the other processors of the machine
    if given.on_gpu and RESOURCE in context.resources():
        given.estimator.device = device_of_task(context.resources(), context.partitionId())
    given.estimator.load_model(bytearray(given.model))
    for batch in batches:
        yield _predicted(given, pa.RecordBatch.from_struct_array(batch))


def _predicted(given: Prediction, batch: pa.RecordBatch) -> pa.StructArray:
    part = part_of(batch, given.names, given.is_sparse)
    how = {"base_margin": part.get("base_margin")}
    fields = {}
    for name, kind in given.kinds.items():
        values = _FIELDS[name](given.estimator, part["data"], how) if batch.num_rows else np.empty(0)
        values = np.asarray(values, dtype=np.float64)
        fields[name] = pa.array(values.reshape(-1)) if kind == NUMBER else _lists(values, batch.num_rows)
    return pa.StructArray.from_arrays(list(fields.values()), names=list(fields))


def _lists(values: np.ndarray, n_rows: int) -> pa.ListArray:
    starts = np.arange(n_rows + 1, dtype=np.int32) * (values.size // max(n_rows, 1))
    return pa.ListArray.from_arrays(pa.array(starts), pa.array(np.ascontiguousarray(values).reshape(-1)))


def _prediction(estimator: Any, data: Any, how: dict[str, Any]) -> np.ndarray:
    values: np.ndarray = estimator.predict(data, **how)
    return values


def _probability(estimator: Any, data: Any, how: dict[str, Any]) -> np.ndarray:
    values: np.ndarray = estimator.predict_proba(data, **how)
    return values


def _raw(estimator: Any, data: Any, how: dict[str, Any]) -> np.ndarray:
    """Return a margin for each class; for two classes the margin of the second and its negative."""
    margins: np.ndarray = estimator.predict(data, output_margin=True, **how)
    return np.column_stack([-margins, margins]) if margins.ndim == 1 else margins


def _contributions(estimator: Any, data: Any, how: dict[str, Any]) -> np.ndarray:
    """Return the SHAP values of each output, and its expected margin at their end."""
    booster = estimator.get_booster()
    with recalling_categories(booster):
        rows = estimator._matrix(data, **how)
    values: np.ndarray = booster.predict(rows, pred_contribs=True, iteration_range=estimator._rounds(None))
    return values


_FIELDS = {"prediction": _prediction, "probability": _probability, "raw": _raw, "contributions": _contributions}


def is_multilabel(estimator: KauriModel) -> bool:
    """Return whether each row has several labels."""
    return isinstance(estimator, KauriClassifier) and estimator._is_multilabel


def n_outputs(estimator: KauriModel) -> int:
    """Return the number of margins of a row, of a fitted estimator."""
    booster = estimator.get_booster()
    nothing = np.full((1, booster.num_features()), np.nan, dtype=np.float32)
    return int(np.size(booster.inplace_predict(nothing, predict_type="margin", validate_features=False)))
