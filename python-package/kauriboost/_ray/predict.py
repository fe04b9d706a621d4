"""Predictions and explanations as columns of a dataset, computed in batches where the rows are."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from ray.data.extensions import ArrowTensorArray

from .._binding.errors import DataError
from .._data.matrix import DMatrix, missing_value
from .._data.naming import recalling_categories
from .._model.booster import Booster, IterationRange
from .columns import Columns, given_names, part_of_table

_COLUMN_OF = {  # what is computed -> the name of its column
    "pred_contribs": "contributions",
    "pred_interactions": "interactions",
    "pred_leaf": "leaf",
}


class Prediction(NamedTuple):
    """A prediction as described to a task."""

    model: bytes
    columns: Columns
    how: dict[str, Any]
    missing: float
    column: str  # to add
    device: str | None
    n_threads: int


@functools.lru_cache(maxsize=2)
def _booster(model: bytes, device: str | None, n_threads: int) -> Booster:
    booster = Booster(model_file=bytearray(model))
    booster.set_param({"nthread": n_threads, **({} if device is None else {"device": device})})
    return booster


def predicted(table: pa.Table, given: Prediction) -> pa.Table:
    """Return a batch with a further column."""
    booster = _booster(given.model, given.device, given.n_threads)
    return with_column(table, given.column, _values(booster, table, given))


def _values(booster: Booster, table: pa.Table, given: Prediction) -> np.ndarray:
    if table.num_rows == 0:
        return np.empty(0, dtype=np.float32)
    part, _ = part_of_table(table, given.columns)
    with recalling_categories(booster):
        rows = DMatrix(part["data"], base_margin=part.get("base_margin"), missing=given.missing)
        values: np.ndarray = booster.predict(rows, **given.how)
    return values


def with_column(table: pa.Table, name: str, values: np.ndarray) -> pa.Table:
    """Return a table with a further column, of tensors if there are several numbers in a row."""
    column = pa.array(values) if values.ndim == 1 else ArrowTensorArray.from_numpy(np.ascontiguousarray(values))
    if name in table.column_names:
        raise DataError(f"the dataset has a column {name!r} already; choose another name by output_column.")
    return table.append_column(name, column)


def booster_in(model: Any) -> Booster:
    """Return a booster given as such, in a result of `train`, or by a checkpoint or result of Ray Train."""
    from ray.train import Checkpoint, Result

    from .checkpoints import booster_of

    found = model["booster"] if isinstance(model, dict) else model
    if isinstance(found, Result):
        found = found.checkpoint
    if isinstance(found, Checkpoint):
        return booster_of(found)
    if not isinstance(found, Booster):
        raise TypeError(f"expected a Booster, or what train() or fit() returns; got {type(model).__name__}.")
    return found


def columns_for(booster: Booster, feature_columns: Any, base_margin_column: Any) -> Columns:
    """Return the columns that a prediction reads: by default those with the names of the model's features."""
    features = given_names(feature_columns, "feature_columns")
    if features is None:
        if booster.feature_names is None:
            raise DataError(
                "the model has learnt from vectors, and its features have no names; name the column of vectors by "
                "feature_columns."
            )
        features = tuple(booster.feature_names)
    return Columns(features, base_margin=given_names(base_margin_column, "base_margin_column"))


def predict(
    model: Any,
    dataset: Any,
    *,
    feature_columns: Any = None,
    base_margin_column: Any = None,
    missing: float | None = None,
    output_column: str | None = None,
    output_margin: bool = False,
    pred_leaf: bool = False,
    pred_contribs: bool = False,
    approx_contribs: bool = False,
    pred_interactions: bool = False,
    iteration_range: IterationRange = (0, 0),
    strict_shape: bool = False,
    **how_to_map: Any,
) -> Any:
    """Predict, or explain predictions, in batches where the rows are.

    Parameters
    ----------
    model
        A booster, the result of `train`, or a result or checkpoint of `KauriTrainer`.
    dataset
        A Ray dataset.
    feature_columns
        The columns of features in the order of the model, or the column of vectors. By default the columns with the
        names of the model's features.
    base_margin_column
        The columns of base margins.
    missing
        A value that means "missing", in addition to NaN and nulls.
    output_column
        The name of the column to add; by default ``prediction``, ``contributions``, ``interactions`` or ``leaf``.
    output_margin, pred_leaf, pred_contribs, approx_contribs, pred_interactions, iteration_range, strict_shape
        As for `kauriboost.Booster.predict`.
    how_to_map
        Arguments of ``Dataset.map_batches`` such as ``batch_size``, ``num_cpus``, ``num_gpus`` and ``concurrency``.
        With `num_gpus` the batches are computed on a GPU.

    Returns
    -------
    ray.data.Dataset
        The dataset with a further column, which is lazy. Several numbers in a row are tensors.
    """
    booster = booster_in(model)
    how = {
        "output_margin": output_margin,
        "pred_leaf": pred_leaf,
        "pred_contribs": pred_contribs,
        "approx_contribs": approx_contribs,
        "pred_interactions": pred_interactions,
        "iteration_range": iteration_range,
        "strict_shape": strict_shape,
    }
    column = next((name for what, name in _COLUMN_OF.items() if how[what]), "prediction")
    given = Prediction(
        bytes(booster.save_raw()),
        columns_for(booster, feature_columns, base_margin_column),
        how,
        missing_value(missing),
        output_column or column,
        "cuda" if how_to_map.get("num_gpus") else None,
        int(how_to_map.get("num_cpus") or 1),
    )
    return mapped(dataset, predicted, given, how_to_map)


def mapped(dataset: Any, function: Any, given: Any, how_to_map: dict[str, Any]) -> Any:
    """Return a dataset with the columns that a function adds to each batch."""
    settings = {"batch_size": None, "zero_copy_batch": True, **how_to_map}
    return dataset.map_batches(function, fn_args=(given,), batch_format="pyarrow", **settings)
