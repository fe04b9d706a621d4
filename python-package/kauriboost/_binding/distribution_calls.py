"""Calls about the distributions that models of objective=dist:... predict."""

from __future__ import annotations

import json
from ctypes import POINTER, c_double
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from .calls import call_text
from .library import LIB, check
from .text import config


class Family(NamedTuple):
    """A family of distributions."""

    name: str
    parameters: tuple[str, ...]
    is_discrete: bool
    labels: str  # which labels it has, in words


@lru_cache(maxsize=1)
def families() -> dict[str, Family]:
    """Return all families by name."""
    listed = json.loads(call_text(LIB.KauriDistributions))
    return {
        one["name"]: Family(one["name"], tuple(one["parameters"]), one["is_discrete"], one["labels"]) for one in listed
    }


def call_distribution(parameters: np.ndarray, points: np.ndarray | None, n_points: int, **settings: Any) -> np.ndarray:
    """Call KauriDistributionEvaluate; parameters [n_rows, n], points [n_points] or [n_rows, n_points] or None."""
    out = np.empty((len(parameters), n_points))
    given = None if points is None else points.ctypes.data_as(POINTER(c_double))
    of_rows = points is not None and points.ndim == 2
    check(
        LIB.KauriDistributionEvaluate(
            config(**settings, points_of_rows=of_rows),
            len(parameters),
            parameters.ctypes.data_as(POINTER(c_double)),
            n_points,
            given,
            out.ctypes.data_as(POINTER(c_double)),
        )
    )
    return out
