"""Predictions and explanations for rows on a cluster, computed on the workers that hold them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._binding.errors import DataError
from .._cluster.blocks import Part, with_categories
from .._cluster.rows import Settings
from .._data.matrix import DMatrix, missing_value
from .._model.booster import Booster, IterationRange
from .collections import below_each_other, is_collection, of_blocks
from .engine import delayed
from .matrix import DaskDMatrix, client_or_default


async def _booster_of(model: Any) -> Booster:
    """Return the booster in a result of `train`, in a future, or given as such."""
    if hasattr(model, "key") and hasattr(model, "client"):
        model = await model
    found = model["booster"] if isinstance(model, dict) else model
    if not isinstance(found, Booster):
        raise TypeError(f"expected a Booster, or what train() returns; got {type(model).__name__}.")
    return found


def _predict_block(given: tuple[Booster, dict[str, Any], float], block: Any) -> np.ndarray:
    booster, how, missing = given
    values: np.ndarray = booster.predict(DMatrix(block, missing=missing), **how)
    return values


def _predict_part(given: tuple[Booster, dict[str, Any], Settings], part: Part) -> np.ndarray:
    booster, how, settings = given
    named = {"feature_names": settings.feature_names, "feature_types": settings.feature_types}
    data = with_categories(part["data"], settings.categories)
    rows = DMatrix(data, base_margin=part.get("base_margin"), missing=settings.missing, **named)
    values: np.ndarray = booster.predict(rows, **how)
    return values


def _predict_in_place(given: tuple[Booster, dict[str, Any]], block: Any, base_margin: Any = None) -> np.ndarray:
    booster, how = given
    values: np.ndarray = booster.inplace_predict(block, base_margin=base_margin, **how)
    return values


def _none_of(booster: Booster) -> np.ndarray:
    """Return a block without rows, to find out the shape of predictions."""
    return np.empty((0, booster.num_features()), dtype=np.float32)


async def _predict(model: Any, data: Any, missing: float, how: dict[str, Any]) -> Any:
    booster = await _booster_of(model)
    sample = booster.predict(DMatrix(_none_of(booster)), **{**how, "validate_features": False})
    if not isinstance(data, DaskDMatrix):
        _require_collection(data)
        return of_blocks(_predict_block, (booster, how, missing), data, {}, sample)
    data.restore()
    shared = delayed((booster, how, data.settings), pure=False)
    parts = [delayed(_predict_part, pure=False)(shared, part) for part in data.parts]
    return below_each_other(parts, [description.n_rows for description in data.descriptions], sample)


async def _inplace_predict(model: Any, data: Any, base_margin: Any, how: dict[str, Any]) -> Any:
    _require_collection(data)
    booster = await _booster_of(model)
    sample = booster.inplace_predict(_none_of(booster), **{**how, "validate_features": False})
    others = {} if base_margin is None else {"base_margin": base_margin}
    return of_blocks(_predict_in_place, (booster, how), data, others, sample)


def _require_collection(data: Any) -> None:
    if not is_collection(data):
        raise TypeError(
            f"expected a DaskDMatrix, a Dask array or a Dask data frame, got {type(data).__name__}; the booster itself "
            "predicts what is in memory."
        )


def predict(
    client: Any,
    model: Any,
    data: Any,
    *,
    output_margin: bool = False,
    missing: float | None = None,
    pred_leaf: bool = False,
    pred_contribs: bool = False,
    approx_contribs: bool = False,
    pred_interactions: bool = False,
    validate_features: bool = True,
    iteration_range: IterationRange = (0, 0),
    strict_shape: bool = False,
) -> Any:
    """Predict, or explain predictions, block by block on the workers that hold the rows.

    Parameters
    ----------
    client
        A ``distributed.Client``; None for the current one. With an asynchronous client, ``await`` the result.
    model
        The result of `train`, its booster, or a future of one of them.
    data
        A `DaskDMatrix`, a Dask array or a Dask data frame.
    missing
        A value that means "missing", in addition to NaN; a `DaskDMatrix` has its own.
    output_margin, pred_leaf, pred_contribs, approx_contribs, pred_interactions, validate_features, iteration_range, \
    strict_shape
        As for `kauriboost.Booster.predict`.

    Returns
    -------
    Any
        For a frame, a Dask series or frame with its index, unless there are more than two dimensions; else a Dask
        array. The result is lazy.
    """
    how = {
        "output_margin": output_margin,
        "pred_leaf": pred_leaf,
        "pred_contribs": pred_contribs,
        "approx_contribs": approx_contribs,
        "pred_interactions": pred_interactions,
        "validate_features": validate_features,
        "iteration_range": iteration_range,
        "strict_shape": strict_shape,
    }
    return client_or_default(client).sync(_predict, model, data, missing_value(missing), how)


def inplace_predict(
    client: Any,
    model: Any,
    data: Any,
    *,
    iteration_range: IterationRange = (0, 0),
    predict_type: str = "value",
    missing: float | None = None,
    validate_features: bool = True,
    base_margin: Any = None,
    strict_shape: bool = False,
) -> Any:
    """Predict as `predict` does, without making matrices of the blocks.

    Parameters
    ----------
    client, model, missing
        As for `predict`.
    data
        A Dask array or a Dask data frame.
    base_margin
        A collection with the same partitions.
    iteration_range, predict_type, validate_features, strict_shape
        As for `kauriboost.Booster.inplace_predict`.
    """
    if isinstance(data, DaskDMatrix):
        raise DataError("inplace_predict takes a Dask array or frame; predict takes a DaskDMatrix.")
    how = {
        "iteration_range": iteration_range,
        "predict_type": predict_type,
        "missing": missing,
        "validate_features": validate_features,
        "strict_shape": strict_shape,
    }
    return client_or_default(client).sync(_inplace_predict, model, data, base_margin, how)
