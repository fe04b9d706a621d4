"""A training with rows spread over several ranks."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from .._binding.collective_calls import LibraryCollective
from .._binding.errors import CollectiveError
from .._binding.library import LIB, check
from .._binding.nccl import provide_nccl
from .._collective.collective import Collective
from .._data.matrix import DMatrix
from .._model.booster import Booster
from .._model.metrics import CustomMetric

_FIELDS = ("label", "weight", "base_margin", "label_lower_bound", "label_upper_bound")


class TrainingRanks:
    """The ranks that train a booster together. Without a collective, methods do nothing.

    Parameters
    ----------
    collective
        The communicator with the other ranks; None if there are none.
    """

    def __init__(self, collective: Collective | None) -> None:
        self.collective = collective
        self._library = None if collective is None else LibraryCollective(collective)

    def attach(self, booster: Booster) -> None:
        """Let a booster train and evaluate together with the other ranks."""
        if self._library is None:
            return
        device = json.loads(booster.save_config())["learner"]["generic_param"]["device"]
        if device.startswith(("cuda", "gpu")):
            provide_nccl()
        check(LIB.KauriBoosterSetCollective(booster.handle, self._library.handle))

    def detach(self, booster: Booster) -> None:
        """Let the booster train and evaluate on its own again."""
        if self._library is not None:
            check(LIB.KauriBoosterSetCollective(booster.handle, None))

    def agree(self, *wishes: bool) -> list[bool]:
        """Return for each wish whether any rank has it."""
        if self.collective is None:
            return list(wishes)
        flags = np.array(wishes, dtype=np.uint64)
        self.collective.max(flags)
        return [bool(flag) for flag in flags]

    def fail(self, error: BaseException) -> None:
        """Tell the other ranks about a failure of this one; re-raise an interrupt of a call that `error` quotes."""
        if self.collective is None:
            return
        raised = None if self._library is None else self._library.raised
        if isinstance(error, CollectiveError):
            if raised is not None and not isinstance(raised, Exception):
                raise raised from error
            return
        self.collective.abort(f"rank {self.collective.rank} has failed: {type(error).__name__}: {error}")

    def metric(self, own: CustomMetric | None) -> CustomMetric | None:
        """Return a wrapper of a custom metric that sees the rows of all ranks."""
        if own is None or self.collective is None:
            return own
        return _MetricOfAllRows(own, self.collective)


class _MetricOfAllRows:
    """Calls a metric with predictions, labels and other fields of all rows, in their global order, without features.

    The mean of the ranks' own values would depend on the distribution of the rows.
    """

    def __init__(self, metric: CustomMetric, collective: Collective) -> None:
        self._metric, self._collective = metric, collective

    def __call__(self, predictions: Any, data: DMatrix) -> Any:
        order = np.argsort(self._gather(_row_numbers(data)), kind="stable")
        every = DMatrix(np.full((len(order), 1), np.nan, dtype=np.float32))
        for name in _FIELDS:
            values = self._gather(data.get_float_info(name))
            if len(values) == len(order):
                every.set_info(**{name: values[order]})
        queries = self._gather(_query_of_each_row(data, self._collective.rank))
        if len(queries) == len(order):
            queries = queries[order]
            every.set_info(qid=np.cumsum(np.concatenate([[0], queries[1:] != queries[:-1]])))
        return self._metric(self._gather(np.asarray(predictions))[order], every)

    def _gather(self, mine: np.ndarray) -> np.ndarray:
        """Return the concatenated arrays of all ranks; arrays without rows may lack columns."""
        widths = [int(n) for n in np.frombuffer(b"".join(self._collective.gather_bytes(_width(mine))), dtype=np.int64)]
        texts = self._collective.gather_bytes(np.ascontiguousarray(mine).tobytes())
        everything = np.frombuffer(b"".join(texts), dtype=mine.dtype)
        width = max(widths)
        return everything if width == 0 else everything.reshape(-1, width)


def _width(values: np.ndarray) -> bytes:
    """Return the number of columns of a non-empty table, as bytes; 0 for other arrays."""
    return np.int64(values.shape[1] if values.ndim == 2 and len(values) else 0).tobytes()


def _query_of_each_row(data: DMatrix, rank: int) -> np.ndarray:
    """Return for each row a query number that is unique over all ranks; an empty array if there are no queries."""
    sizes = data.get_group()
    return np.repeat(np.arange(len(sizes), dtype=np.int64), sizes) + (rank << 32)


def _row_numbers(data: DMatrix) -> np.ndarray:
    ranges = data.global_rows
    if ranges is None:
        return np.arange(data.num_row())
    return np.concatenate([np.arange(0), *(np.arange(first, first + count) for first, count in ranges.tolist())])
