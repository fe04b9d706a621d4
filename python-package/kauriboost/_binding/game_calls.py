"""Calls about games: orders of players, Shapley values of user functions, and sampled ones of boosters."""

from __future__ import annotations

from ctypes import POINTER, byref, c_char_p, c_double, c_uint32, c_uint64
from typing import Any, Callable, NamedTuple

import numpy as np

from .arrays import copied
from .library import LIB, check
from .signatures import GameCallback, Handle, RowFunctionCallback
from .text import decode

Evaluate = Callable[[np.ndarray], np.ndarray]  # from [n, width] to [n, n_outputs]


class Estimate(NamedTuple):
    """Result of the calls, for one row or game, or with a leading axis of rows except in `base`."""

    values: np.ndarray
    errors: np.ndarray
    base: np.ndarray
    n_evals: np.ndarray
    method: str


def call_sample_orders(settings: bytes, n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Call KauriSampleOrders; return orders [n, d] and their weights [n]."""
    orders = np.empty((n, d), dtype=np.uint32)
    weights = np.empty(n)
    check(LIB.KauriSampleOrders(settings, _pointer(orders, c_uint32), _pointer(weights, c_double)))
    return orders, weights


def call_discrepancy(orders: np.ndarray, weights: np.ndarray, settings: bytes) -> float:
    """Call KauriOrderDiscrepancy."""
    n, d = orders.shape
    out = c_double()
    arrays = (_pointer(orders, c_uint32), _pointer(weights, c_double))
    check(LIB.KauriOrderDiscrepancy(n, d, *arrays, settings, byref(out)))
    return out.value


def call_uniformity(permutations: np.ndarray, settings: bytes) -> tuple[float, float]:
    """Call KauriShuffleUniformity; return the statistic and the p-value."""
    n, d = permutations.shape
    statistic, p_value = c_double(), c_double()
    found = (byref(statistic), byref(p_value))
    check(LIB.KauriShuffleUniformity(n, d, _pointer(permutations, c_uint32), settings, *found))
    return statistic.value, p_value.value


def call_shapley(game: Evaluate, n_players: int, n_outputs: int, settings: bytes) -> Estimate:
    """Call KauriShapleyValues; `game` maps Boolean masks to the worth of coalitions."""

    def evaluate(_: Any, n: int, d: int, masks: Any, out: Any) -> None:
        coalitions = np.ctypeslib.as_array(masks, (n, d)).astype(bool)
        np.ctypeslib.as_array(out, (n, n_outputs))[...] = game(coalitions)

    guarded = _Guarded(evaluate)
    estimate = _Out((n_players, n_outputs), n_outputs, 1)
    guarded.check(LIB.KauriShapleyValues(GameCallback(guarded), None, n_players, settings, *estimate.arguments()))
    return estimate.result()


def call_explain_function(
    function: Evaluate, rows: np.ndarray, background: np.ndarray, shape: tuple[int, int], settings: bytes
) -> Estimate:
    """Call KauriExplainFunction; `shape` is the number of players and of outputs."""
    n_outputs = shape[1]

    def evaluate(_: Any, n: int, n_cols: int, values: Any, out: Any) -> None:
        hybrid = np.ctypeslib.as_array(values, (n, n_cols)).copy()  # a copy, because the function may keep it
        np.ctypeslib.as_array(out, (n, n_outputs))[...] = function(hybrid)

    guarded = _Guarded(evaluate)
    estimate = _Out((len(rows), *shape), n_outputs, len(rows))
    tables = (_pointer(rows, c_double), len(rows), _pointer(background, c_double), len(background), rows.shape[1])
    callback = RowFunctionCallback(guarded)
    guarded.check(LIB.KauriExplainFunction(callback, None, *tables, settings, *estimate.arguments()))
    return estimate.result()


def call_explain_sampled(booster: Handle, rows: Handle, background: Handle, n_rows: int, settings: bytes) -> Estimate:
    """Call KauriBoosterExplainSampled; return values and errors with the axis of outputs last."""
    shape, dim, method = POINTER(c_uint64)(), c_uint64(), c_char_p()
    values, errors = POINTER(c_double)(), POINTER(c_double)()
    n_evals = np.zeros(n_rows, dtype=np.uint64)
    outs = (byref(shape), byref(dim), byref(values), byref(errors), _pointer(n_evals, c_uint64), byref(method))
    check(LIB.KauriBoosterExplainSampled(booster, rows, background, settings, *outs))
    lengths = tuple(shape[i] for i in range(dim.value))
    with_bias = np.moveaxis(copied(values, lengths), 1, -1)
    spread = np.moveaxis(copied(errors, lengths), 1, -1)
    counts = n_evals.astype(np.int64)
    return Estimate(with_bias[:, :-1], spread[:, :-1], with_bias[:, -1], counts, decode(method.value or b""))


class _Guarded:
    """A function called by the library; its exception is kept until the library has returned."""

    def __init__(self, call: Callable[..., None]) -> None:
        self._call = call
        self._raised: BaseException | None = None

    def __call__(self, *arguments: Any) -> int:
        try:
            self._call(*arguments)
        except BaseException as error:  # also an interrupt
            self._raised = error
            return 1
        return 0

    def check(self, status: int) -> None:
        """Raise the function's exception, or else the library's error."""
        raised, self._raised = self._raised, None
        if raised is not None:
            raise raised
        check(status)


class _Out:
    """Memory for an estimate."""

    def __init__(self, shape: tuple[int, ...], n_outputs: int, n_rows: int) -> None:
        self.values, self.errors = np.zeros(shape), np.zeros(shape)
        self.base = np.zeros(n_outputs)
        self.n_evals = np.zeros(n_rows, dtype=np.uint64)
        self.method = c_char_p()

    def arguments(self) -> tuple[Any, ...]:
        """Return the output arguments of the calls."""
        doubles = (_pointer(array, c_double) for array in (self.values, self.errors, self.base))
        return (*doubles, _pointer(self.n_evals, c_uint64), byref(self.method))

    def result(self) -> Estimate:
        """Return the written estimate."""
        counts = self.n_evals.astype(np.int64)
        return Estimate(self.values, self.errors, self.base, counts, decode(self.method.value or b""))


def _pointer(array: np.ndarray, kind: Any) -> Any:
    return array.ctypes.data_as(POINTER(kind))
