"""Data that arrive in batches."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from .._binding.errors import DataError, KauriError
from .._binding.library import Function
from .._binding.matrix_calls import create_from_callback
from .._binding.signatures import Handle
from .._public import described_by_arguments, public
from .batch import Batch
from .naming import add_names


@public("kauriboost.data_iter")
class DataIter(ABC):
    """An iterator over batches of rows, for `DMatrix`, `QuantileDMatrix` and `ExtMemQuantileDMatrix`.

    The rows of all batches are concatenated. `QuantileDMatrix` and `ExtMemQuantileDMatrix` read the batches twice.

    A subclass defines `next` and `reset`. Batches may be of different kinds, but must agree in the number of columns,
    in names, and in the fields (label, weight and so on) that they provide.

    Parameters
    ----------
    cache_prefix
        A path, for `ExtMemQuantileDMatrix`. A subclass may set the attribute instead, and need not call this
        constructor.
    release_data, on_host, min_cache_page_bytes
        Ignored. They are XGBoost's options for batches that it keeps; here a batch is held for one call only.

    Examples
    --------
    ::

        class Files(kauriboost.DataIter):
            def __init__(self, paths):
                super().__init__()
                self.paths, self.at = paths, 0

            def next(self, input_data):
                if self.at == len(self.paths):
                    return False
                table = numpy.load(self.paths[self.at])
                input_data(data=table[:, 1:], label=table[:, 0])
                self.at += 1
                return True

            def reset(self):
                self.at = 0
    """

    cache_prefix: str | os.PathLike[str] | None = None

    def __init__(
        self,
        cache_prefix: str | os.PathLike[str] | None = None,
        release_data: bool = True,
        *,
        on_host: bool = True,
        min_cache_page_bytes: int | None = None,
    ) -> None:
        if cache_prefix is not None:  # otherwise the class attribute stays
            self.cache_prefix = cache_prefix

    def __repr__(self) -> str:
        return described_by_arguments(self)

    @abstractmethod
    def next(self, input_data: Callable[..., None]) -> bool:
        """Pass the next batch to `input_data`, or return False at the end.

        Parameters
        ----------
        input_data
            Takes the arguments of `DMatrix` by name: data, label, weight, base_margin, group, qid, label_lower_bound,
            label_upper_bound, feature_weights, feature_names, feature_types. A query group cannot continue in the next
            batch.

        Returns
        -------
        bool
            Whether there was a batch.
        """

    @abstractmethod
    def reset(self) -> None:
        """Return to the position before the first batch; called before the first pass and after the last batch."""


class OneBatch(DataIter):
    """An iterator over one batch: data that are in memory as a whole."""

    def __init__(self, data: Any, fields: dict[str, Any]) -> None:
        self.data, self.fields, self.is_done = data, fields, False

    def next(self, input_data: Callable[..., None]) -> bool:
        if self.is_done:
            return False
        input_data(data=self.data, **self.fields)
        self.is_done = True
        return True

    def reset(self) -> None:
        self.is_done = False


def batches_of(iterator: DataIter, batch: Batch) -> Callable[[], bool]:
    """Return a function that passes the iterator's next batch to `batch`; it returns False at the end."""

    def next_batch() -> bool:
        n_given = 0

        def input_data(data: Any, **fields: Any) -> None:
            nonlocal n_given
            n_given += 1
            if n_given > 1:
                raise DataError("input_data was called twice for one batch; call it once in each next().")
            batch.take(data, **fields)

        batch.release()  # before the iterator makes the next one
        more = bool(iterator.next(input_data))
        if more and n_given == 0:
            raise DataError("next() returned True without calling input_data; return False at the end.")
        return more

    return next_batch


def create_from_iterator(
    iterator: DataIter, create: Function, settings: bytes, reference: Sequence[Handle | None] = ()
) -> Handle:
    """Return the handle of a matrix of all batches, made by a call of the library.

    Parameters
    ----------
    iterator
        The batches.
    create
        The call; it reads one batch at a time.
    settings
        Its configuration.
    reference
        Further arguments: the matrix that a matrix of bins takes its bin edges from.
    """
    batch = Batch()
    try:
        next_batch = batches_of(iterator, batch)
        return create_from_callback(create, [batch.handle, *reference], iterator.reset, next_batch, settings)
    except KauriError as error:
        add_names(error, batch.column_names)
        raise
