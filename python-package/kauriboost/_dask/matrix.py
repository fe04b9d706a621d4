"""Tables whose rows are on the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any, cast

import dask.array as da
import distributed
import numpy as np

from .._binding.errors import DataError
from .._cluster.blocks import Description, describe, pack, union_of_categories, union_of_texts
from .._cluster.rows import Settings
from .._data.matrix import missing_value
from .._public import described, public


def client_or_default(client: Any) -> Any:
    """Return `client`, or Dask's current client if it is None."""
    return distributed.get_client() if client is None else client


@public("kauriboost.dask")
class DaskDMatrix:
    """A table whose partitions stay on the workers that hold them, for `train` and `predict`.

    Rows keep the collection's order: the model is the same as from one process with all rows in this order. The
    constructor computes collections that are not persisted yet, and keeps their partitions in the workers' memory.

    Parameters
    ----------
    client
        A ``distributed.Client``; None for the current one. With an asynchronous client, ``await`` the matrix.
    data
        A Dask array or data frame ``[n_rows, n_cols]``. Blocks are NumPy or SciPy arrays, or pandas frames.
    label, weight, base_margin, qid, label_lower_bound, label_upper_bound
        Dask arrays, frames or series, partitioned as `data`. Queries are ascending and may continue in the next
        partition.
    missing, feature_names, feature_types, enable_categorical, silent
        As for `kauriboost.DMatrix`.
    feature_weights
        ``[n_cols]``; a Dask collection or an array.
    group
        Not supported; pass `qid`.

    Raises
    ------
    DataError
        Collections with different partitions, or partitions with different numbers of columns.
    """

    _IS_QUANTILE = False
    _max_bin: int | None = None
    ref: DaskDMatrix | None = None

    def __init__(
        self,
        client: Any,
        data: Any,
        label: Any = None,
        *,
        weight: Any = None,
        base_margin: Any = None,
        missing: float | None = None,
        silent: bool = False,
        feature_names: Sequence[str] | None = None,
        feature_types: Any = None,
        group: Any = None,
        qid: Any = None,
        label_lower_bound: Any = None,
        label_upper_bound: Any = None,
        feature_weights: Any = None,
        enable_categorical: bool = True,
    ) -> None:
        if group is not None:
            raise DataError("group needs the rows of a query in one place; pass qid, the query of each row.")
        if qid is not None and weight is not None:
            raise DataError(
                "with qid there is one weight per query, but a query may span partitions; leave weights out."
            )
        self._client = client_or_default(client)
        self._given = (missing_value(missing), feature_names, feature_types, enable_categorical)
        fields = {
            "data": data,
            "label": label,
            "weight": weight,
            "base_margin": base_margin,
            "qid": qid,
            "label_lower_bound": label_lower_bound,
            "label_upper_bound": label_upper_bound,
        }
        collections = {name: collection for name, collection in fields.items() if collection is not None}
        self.parts: list[Any] = []  # futures, in the order of the rows
        self.descriptions: list[Description] = []
        self.settings: Settings
        self._ready = self._client.sync(self._collect, collections, feature_weights)

    def __await__(self) -> Generator[Any, None, DaskDMatrix]:
        async def ready() -> DaskDMatrix:
            if self._ready is not None:
                await self._ready
                self._ready = None
            return self

        return ready().__await__()

    def __repr__(self) -> str:
        return described(self, partitions=len(self.descriptions), rows=self.num_row(), columns=self.num_col())

    def num_row(self) -> int:
        """Return the number of rows of all partitions."""
        return sum(description.n_rows for description in self.descriptions)

    def num_col(self) -> int:
        """Return the number of columns."""
        return int(self.settings.no_rows.shape[1])

    @property
    def first_rows(self) -> list[int]:
        """The number of each partition's first row among all rows."""
        counts = [description.n_rows for description in self.descriptions]
        return [0, *np.cumsum(counts).tolist()][: len(counts)]

    def restore(self) -> None:
        """Recompute the partitions if they were released."""
        if self.parts:
            return
        blocks = {name: blocks_of(name, collection) for name, collection in self._collections.items()}
        _require_alike({name: len(of_name) for name, of_name in blocks.items()})
        futures = self._client.compute([block for of_name in blocks.values() for block in of_name])
        n = len(blocks["data"])
        columns = [futures[i * n : (i + 1) * n] for i in range(len(blocks))]
        names = list(blocks)
        self.parts = [self._client.submit(pack, names, *row, pure=False) for row in zip(*columns)]

    def release(self) -> None:
        """Release the partitions, which Dask frees if nothing else references them."""
        self.parts = []

    async def _collect(self, collections: dict[str, Any], feature_weights: Any) -> None:
        self._collections = collections
        self.restore()
        if hasattr(feature_weights, "compute"):
            feature_weights = await self._client.compute(feature_weights)
        self.descriptions = await self._client.gather(self._describe())
        missing, feature_names, feature_types, enable_categorical = self._given
        self.settings = Settings(
            missing,
            None if feature_names is None else list(feature_names),
            feature_types,
            enable_categorical,
            None if feature_weights is None else np.asarray(feature_weights, dtype=np.float32),
            union_of_categories(self.descriptions),
            union_of_texts(self.descriptions),
            _no_rows(collections["data"], self.descriptions),
            self._IS_QUANTILE,
            self._max_bin,
        )

    def _describe(self) -> list[Any]:
        """Return futures of the descriptions of the current partitions."""
        return [self._client.submit(describe, part, pure=False) for part in self.parts]

    async def require_unchanged(self) -> None:
        """Raise DataError unless the partitions still hold the original numbers."""
        for number, (now, before) in enumerate(zip(await self._client.gather(self._describe()), self.descriptions)):
            if (now.n_rows, now.n_cols, now.digest) != (before.n_rows, before.n_cols, before.digest):
                raise DataError(
                    f"partition {number} was lost with its worker, and computing it again gave different rows: "
                    f"{now.n_rows} rows with checksum {now.digest:#x}, not {before.n_rows} with {before.digest:#x}."
                    " Its source must give the same rows each time it is read."
                )


@public("kauriboost.dask")
class DaskQuantileDMatrix(DaskDMatrix):
    """A table of which workers keep only the quantile bins; see `kauriboost.QuantileDMatrix`.

    The quantiles are computed from all rows: the model is the same as with a `DaskDMatrix`, or in one process.

    Parameters
    ----------
    max_bin
        As for `kauriboost.QuantileDMatrix`.
    ref
        For evaluation data, the training matrix.
    max_quantile_batches
        Ignored. It is XGBoost's option for approximate quantiles.
    """

    _IS_QUANTILE = True

    def __init__(
        self,
        client: Any,
        data: Any,
        label: Any = None,
        *,
        max_bin: int | None = None,
        ref: DaskDMatrix | None = None,
        max_quantile_batches: int | None = None,
        **fields: Any,
    ) -> None:
        self._max_bin, self.ref = max_bin, ref
        super().__init__(client, data, label, **fields)


def blocks_of(name: str, collection: Any) -> list[Any]:
    """Return the blocks of rows of a collection, without computing them."""
    if not hasattr(collection, "__dask_graph__"):
        raise TypeError(
            f"{name} is a {type(collection).__name__}, not a Dask array or data frame; make it one, for example with "
            "dask.array.from_array."
        )
    if isinstance(collection, da.Array) and collection.ndim == 2 and collection.numblocks[1] > 1:
        collection = cast(Any, collection).rechunk({1: -1})
    delayed = collection.to_delayed()
    return list(delayed.reshape(-1)) if isinstance(delayed, np.ndarray) else list(delayed)


def _require_alike(counts: dict[str, int]) -> None:
    if len(set(counts.values())) > 1:
        seen = ", ".join(f"{name} has {count}" for name, count in counts.items())
        raise DataError(f"partitions differ in number: {seen}; repartition them alike.")


def _no_rows(data: Any, descriptions: Sequence[Description]) -> Any:
    """Return a block without rows."""
    widths = {description.n_cols for description in descriptions if description.n_rows > 0}
    if len(widths) > 1:
        raise DataError(f"partitions have {sorted(widths)} columns; they must have the same.")
    if hasattr(data, "dtypes") and hasattr(data, "_meta"):
        return data._meta.iloc[:0]
    return np.empty((0, widths.pop() if widths else int(data.shape[1])), dtype=np.float32)
