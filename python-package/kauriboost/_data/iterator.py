"""Data that come batch by batch."""

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

    The rows of all batches come one below the other. The last two go over the batches twice.

    A subclass gives `next` and `reset`. Batches may be of different kinds but agree in the number of columns, in names,
    and in which of label, weight and so on they have.

    Parameters
    ----------
    cache_prefix
        A path, for `ExtMemQuantileDMatrix`; a subclass may as well set the attribute, and need not call this.
    release_data, on_host, min_cache_page_bytes
        Ignored: XGBoost's, for what is held here for one batch only.

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
        if cache_prefix is not None:  # else what the class says
            self.cache_prefix = cache_prefix

    def __repr__(self) -> str:
        return described_by_arguments(self)

    @abstractmethod
    def next(self, input_data: Callable[..., None]) -> bool:
        """Give the next batch to `input_data`, or return False at the end.

        Parameters
        ----------
        input_data
            Takes what `DMatrix` does, by name: data, label, weight, base_margin, group, qid, label_lower_bound,
            label_upper_bound, feature_weights, feature_names, feature_types. A group does not go on in the next batch.

        Returns
        -------
        bool
            Whether there was a batch.
        """

    @abstractmethod
    def reset(self) -> None:
        """Go back to before the first batch; called before the first and after the last."""


class OneBatch(DataIter):
    """Data that are there as a whole."""

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
    """Return a function that lets `batch` take the iterator's next one; False at the end."""

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
    """Return the handle of a matrix of all batches, which a call makes.

    Parameters
    ----------
    iterator
        The batches.
    create
        The call; it reads one batch at a time.
    settings
        Its configuration.
    reference
        What it takes besides: where a matrix of bins gets its cuts from.
    """
    batch = Batch()
    try:
        next_batch = batches_of(iterator, batch)
        return create_from_callback(create, [batch.handle, *reference], iterator.reset, next_batch, settings)
    except KauriError as error:
        add_names(error, batch.column_names)
        raise
