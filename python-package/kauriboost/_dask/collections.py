"""Functions on Dask collections block by block, with results in the same partitions."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from typing import Any, cast

import dask.array as da
import numpy as np
from dask.highlevelgraph import HighLevelGraph

from .engine import delayed, is_dask_collection
from .matrix import blocks_of


def is_collection(data: Any) -> bool:
    """Return whether `data` is a Dask collection."""
    return bool(is_dask_collection(data))


def of_blocks(
    function: Callable[..., np.ndarray], model: Any, data: Any, others: dict[str, Any], sample: np.ndarray
) -> Any:
    """Return a lazy collection of ``function(model, block, **others)`` for each block of rows.

    Parameters
    ----------
    function
        Returns an array with a row for each row of the block.
    model
        First argument of `function`. It is a task of its own, so that each worker gets it once.
    data
        A Dask array or frame ``[n_rows, n_cols]``.
    others
        Other collections with the same partitions, by argument name.
    sample
        The result of `function` for a block without rows.

    Returns
    -------
    Any
        For a frame with predictions of one or two dimensions, a series or a frame with its index; else an array.
    """
    blocks = blocks_of("data", data)
    rows_of_others = {name: blocks_of(name, collection) for name, collection in others.items()}
    shared = model if hasattr(model, "key") else delayed(model, pure=False)
    is_frame = hasattr(data, "_meta") and hasattr(data, "divisions") and sample.ndim <= 2
    call = delayed(_in_frame if is_frame else _plain, pure=False)
    parts = [
        call(function, shared, block, {name: rows[i] for name, rows in rows_of_others.items()})
        for i, block in enumerate(blocks)
    ]
    if is_frame:
        import dask.dataframe as dd

        return dd.from_delayed(parts, meta=_framed(sample, data._meta.index[:0]), divisions=data.divisions)
    return below_each_other(parts, lengths_of(data, len(parts)), sample)


def below_each_other(parts: list[Any], lengths: Sequence[Any], sample: np.ndarray) -> Any:
    """Return a Dask array of delayed blocks with these numbers of rows, which may be 0."""
    name = f"kauriboost-{uuid.uuid4().hex}"
    columns = [0] * (sample.ndim - 1)
    graph = HighLevelGraph.from_collections(
        name, {(name, i, *columns): part.key for i, part in enumerate(parts)}, dependencies=parts
    )
    return cast(Any, da).Array(graph, name, (tuple(lengths), *((n,) for n in sample.shape[1:])), meta=sample)


def lengths_of(data: Any, n_parts: int) -> list[Any]:
    """Return the number of rows of each block; NaN if Dask does not know it."""
    return list(data.chunks[0]) if hasattr(data, "chunks") else [np.nan] * n_parts


def _plain(function: Callable[..., np.ndarray], model: Any, block: Any, others: dict[str, Any]) -> np.ndarray:
    return function(model, block, **others)


def _in_frame(function: Callable[..., np.ndarray], model: Any, block: Any, others: dict[str, Any]) -> Any:
    return _framed(function(model, block, **others), block.index)


def _framed(values: np.ndarray, index: Any) -> Any:
    import pandas as pd

    return pd.Series(values, index=index) if values.ndim == 1 else pd.DataFrame(values, index=index)
