"""Whole distributions of labels, as models of the objectives ``dist:...`` predict them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._binding.distribution_calls import call_distribution, families
from .._binding.errors import ParameterError
from .._data.device import to_host
from .._data.matrix import DMatrix
from .._data.numbers import as_numeric
from .._public import public
from .booster import Booster

PREFIX = "dist:"


@public("kauriboost")
class Distribution:
    """The distribution of the label of each row.

    All functions are computed by the library, with the same bits on every machine; only `pit` draws by NumPy.

    Parameters
    ----------
    name
        The family: ``"normal"``; see `Distribution.names`.
    parameters
        ``[n_rows, n_parameters]``, in natural scale, as a booster of the objective ``dist:<name>`` predicts them.

    Attributes
    ----------
    name
        The family.
    parameters
        The parameters by name, ``[n_rows]`` each.
    is_discrete
        Whether labels are whole numbers.
    """

    def __init__(self, name: str, parameters: Any) -> None:
        known = families()
        if name not in known:
            raise ParameterError(f"there is no distribution {name!r}; choose one of {', '.join(known)}.")
        family = known[name]
        table = np.array(parameters, dtype=np.float64, order="C")
        if table.ndim == 1 and len(family.parameters) == 1:
            table = table[:, np.newaxis]
        if table.ndim != 2 or table.shape[1] != len(family.parameters):
            raise ValueError(
                f"parameters of {name!r} have the shape {table.shape}; expected [n_rows, {len(family.parameters)}], "
                f"with columns {', '.join(family.parameters)}."
            )
        self.name = name
        self.is_discrete = family.is_discrete
        self.parameters = dict(zip(family.parameters, table.T))
        self._table = table

    @staticmethod
    def names() -> list[str]:
        """Return the names of all families."""
        return list(families())

    def __len__(self) -> int:
        return len(self._table)

    def __repr__(self) -> str:
        return f"Distribution({self.name!r}, rows={len(self)}, parameters={list(self.parameters)})"

    def __getitem__(self, rows: Any) -> Distribution:
        """Return the distributions of some rows, chosen by a slice, numbers or a mask."""
        if isinstance(rows, tuple):
            raise TypeError("a distribution has rows only; index it with a slice, numbers or a mask.")
        chosen = self._table[rows]
        return Distribution(self.name, chosen if chosen.ndim == 2 else chosen[np.newaxis])

    @property
    def mean(self) -> np.ndarray:
        """The expected label of each row, ``[n_rows]``."""
        return self._call("mean", None, 1)[:, 0]

    @property
    def std(self) -> np.ndarray:
        """The standard deviation of each row's label; infinite where there is none."""
        return self._call("deviation", None, 1)[:, 0]

    def quantile(self, q: float | Sequence[float] | np.ndarray) -> np.ndarray:
        """Return the labels below which the shares `q` lie: ``[n_rows]``, or ``[n_rows, len(q)]`` for a list."""
        shares = np.asarray(q, dtype=np.float64)
        if shares.ndim > 1:
            raise ValueError(f"q has the shape {shares.shape}; give one share, or a list of shares.")
        found = self._call("quantile", np.ascontiguousarray(np.atleast_1d(shares)), shares.size)
        return found[:, 0] if shares.ndim == 0 else found

    def interval(self, coverage: float = 0.9) -> np.ndarray:
        """Return the ends of central intervals, ``[n_rows, 2]``: labels fall inside with the given probability."""
        if not 0 < coverage < 1:
            raise ValueError(f"coverage is {coverage!r}; expected a share above 0 and below 1.")
        outside = (1 - coverage) / 2
        return self.quantile([outside, 1 - outside])

    def cdf(self, y: Any) -> np.ndarray:
        """Return the probability of a label of at most y.

        `y` is a number, or ``[n_rows]`` with a label for each row, or ``[n_rows, n]``, or ``[1, n]``: the same labels
        for all rows. The result has the shape ``[n_rows]`` or ``[n_rows, n]``.
        """
        return self._at("cdf", y)

    def pdf(self, y: Any) -> np.ndarray:
        """Return the density at y, in the shapes of `cdf`. Counts have `pmf` instead."""
        self._require(discrete=False, use="pmf")
        return self._at("density", y)

    def logpdf(self, y: Any) -> np.ndarray:
        """Return the logarithm of `pdf`."""
        self._require(discrete=False, use="logpmf")
        return self._at("log_density", y)

    def pmf(self, y: Any) -> np.ndarray:
        """Return the probability of the count y, in the shapes of `cdf`."""
        self._require(discrete=True, use="pdf")
        return self._at("density", y)

    def logpmf(self, y: Any) -> np.ndarray:
        """Return the logarithm of `pmf`."""
        self._require(discrete=True, use="logpdf")
        return self._at("log_density", y)

    def nll(self, y: Any) -> np.ndarray:
        """Return the negative log-likelihood of y, in the shapes of `cdf`; its mean is the metric ``nll``."""
        return -self._at("log_density", y)

    def crps(self, y: Any) -> np.ndarray:
        """Return the continuous ranked probability score of y, in the shapes of `cdf`: an error in the label's unit."""
        return self._at("crps", y)

    def sample(self, n: int = 1, *, seed: int = 0) -> np.ndarray:
        """Return `n` random labels for each row, ``[n_rows, n]``; the same for the same seed."""
        if n < 0:
            raise ValueError(f"n is {n}; expected the number of labels for each row.")
        return self._call("sample", None, int(n), seed=int(seed))

    def pit(self, y: Any, *, seed: int = 0) -> np.ndarray:
        """Return the probability integral transform of the labels, ``[n_rows]``.

        It is the share of each row's distribution below its label: uniform on [0, 1] for a calibrated model. The share
        of a count is drawn at random between those below it and up to it.
        """
        labels = _labels(y, len(self))
        upper = self.cdf(labels)
        if not self.is_discrete and self.name != "zero_inflated_gamma":
            return upper
        lower = self.cdf(labels - 1) if self.is_discrete else np.where(labels > 0, upper, 0.0)
        drawn: np.ndarray = lower + np.random.default_rng(seed).random(len(self)) * (upper - lower)
        return drawn

    def _require(self, *, discrete: bool, use: str) -> None:
        if self.is_discrete != discrete:
            raise ValueError(
                f"{self.name} is a distribution of {'counts' if self.is_discrete else 'numbers'}; call {use}()."
            )

    def _call(self, function: str, points: np.ndarray | None, n_points: int, **settings: Any) -> np.ndarray:
        return call_distribution(self._table, points, n_points, distribution=self.name, function=function, **settings)

    def _at(self, function: str, y: Any) -> np.ndarray:
        points = np.asarray(y, dtype=np.float64)
        if points.ndim == 0:
            return self._call(function, points[np.newaxis], 1)[:, 0]
        if points.ndim == 1:
            return self._call(function, np.ascontiguousarray(_labels(points, len(self))[:, np.newaxis]), 1)[:, 0]
        if points.ndim != 2 or points.shape[0] not in (1, len(self)):
            raise ValueError(
                f"y has the shape {points.shape}; expected a number, [{len(self)}], [{len(self)}, n] or [1, n]."
            )
        shared = points.shape[0] == 1
        return self._call(function, np.ascontiguousarray(points[0] if shared else points), points.shape[1])


def _labels(y: Any, n_rows: int) -> np.ndarray:
    labels = np.asarray(as_numeric(y, "y"), dtype=np.float64)
    if labels.shape != (n_rows,):
        raise ValueError(f"y has the shape {labels.shape}; expected one label for each of the {n_rows} rows.")
    return labels


def family_of(booster: Booster) -> str:
    """Return the family that a booster predicts; raise ParameterError for another objective."""
    objective: str = json.loads(booster.save_config())["learner"]["objective"]["name"]
    if not objective.startswith(PREFIX):
        raise ParameterError(
            f"the objective of the booster is {objective}, which predicts no distribution; train with "
            f"{PREFIX}normal or another of its kind."
        )
    return objective[len(PREFIX) :]


def distribution_of(booster: Booster, data: Any, *, iteration_range: tuple[int, int] = (0, 0)) -> Distribution:
    """Return the distributions that a booster of an objective ``dist:...`` predicts.

    Parameters
    ----------
    booster
        The booster.
    data
        A `DMatrix`, or rows that `Booster.inplace_predict` takes.
    iteration_range
        Rounds [begin, end) to use; 0 as end means all.
    """
    name = family_of(booster)
    if isinstance(data, DMatrix):
        values = booster.predict(data, iteration_range=iteration_range, strict_shape=True)
    else:
        values = booster.inplace_predict(data, iteration_range=iteration_range, strict_shape=True)
    return Distribution(name, to_host(values))
