"""Timed training: a first round, which sorts the data, then five windows of rounds."""

from __future__ import annotations

import hashlib
import statistics
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .machine import driver_of
from .shapes import Problem

WINDOWS = 5
PAPER_ROUNDS = 500


@dataclass
class Timing:
    """Times of one training."""

    construct_s: float  # construction of the DMatrix
    first_s: float  # the first round, with sorting and the transfer to the device
    window_ms: list[float] = field(default_factory=list)  # milliseconds per round of each window
    rounds: int = 1  # number of rounds, including the first
    seconds: float = 0.0  # seconds of all rounds

    @property
    def ms(self) -> float:
        """Return the milliseconds per round without the first: the median of the windows."""
        return statistics.median(self.window_ms) if self.window_ms else self.first_s * 1e3

    def seconds_of(self, rounds: int) -> tuple[float, bool]:
        """Return the seconds of `rounds` rounds, and whether they were measured and not extrapolated."""
        if self.rounds == rounds:
            return self.seconds, True
        return self.first_s + (rounds - 1) * self.ms / 1e3, False

    def numbers(self) -> dict[str, Any]:
        """Return all numbers, for the JSON file."""
        return {
            "ms": self.ms,
            "first_s": self.first_s,
            "construct_s": self.construct_s,
            "window_ms": self.window_ms,
            "rounds": self.rounds,
            "seconds": self.seconds,
        }


def device_params(device: str, threads: int) -> dict[str, Any]:
    """Return the parameters that choose Kauri's exact method on a device."""
    return {"tree_method": "exact", "device": device, "nthread": threads}


def cpu_params(threads: int) -> dict[str, Any]:
    """Return the parameters that choose the exact method on the CPU, in Kauri and in XGBoost."""
    return {"tree_method": "exact", "nthread": threads}


def make_matrix(library: Any, problem: Problem, threads: int) -> tuple[Any, float]:
    """Make a library's DMatrix; returns it and the seconds that it took."""
    start = time.perf_counter()
    data = library.DMatrix(problem.features, problem.labels, group=problem.group, nthread=threads)
    return data, time.perf_counter() - start


def train_timed(
    library: Any, params: dict[str, Any], data: Any, rounds: int, construct_s: float = 0.0
) -> tuple[Any, Timing]:
    """Train and time the rounds; `rounds` includes the first.

    Parameters
    ----------
    library
        The module kauri or xgboost.
    params
        Parameters of the booster.
    data
        The library's DMatrix.
    rounds
        Total number of rounds, at least 1.
    construct_s
        Seconds of the DMatrix's construction, passed on to the result.
    """
    booster = library.Booster(params, [data])
    begin = time.perf_counter()
    booster.update(data, 0)
    timing = Timing(construct_s, time.perf_counter() - begin, rounds=rounds)
    for window in np.array_split(np.arange(1, rounds), min(WINDOWS, max(1, rounds - 1))):
        start = time.perf_counter()
        for iteration in window:
            booster.update(data, int(iteration))
        if len(window) > 0:
            timing.window_ms.append((time.perf_counter() - start) / len(window) * 1e3)
    timing.seconds = time.perf_counter() - begin
    return booster, timing


def model_digest(booster: Any, rounds: int) -> str:
    """Return the SHA-256 of the model file of the first rounds."""
    return hashlib.sha256(booster[:rounds].save_raw("ubj")).hexdigest()


def forget_peak(device: str) -> None:
    """Start measuring the peak of the device's memory; does nothing on the CPU."""
    driver = driver_of(device)
    if driver is not None:
        driver.forget_peak()


def peak_memory(device: str) -> dict[str, int]:
    """Return the device's memory since `forget_peak`; empty on the CPU."""
    driver = driver_of(device)
    return {} if driver is None else driver.memory()


def knows_parameters(params: dict[str, Any]) -> bool:
    """Return whether the library accepts the parameters, tried on four rows."""
    import kauriboost as kb

    data = kb.DMatrix(np.arange(4, dtype=np.float32).reshape(4, 1), np.array([0.0, 1.0, 0.0, 1.0]), group=[4])
    try:
        kb.train({**params, "max_depth": 1}, data, 1, verbose_eval=False)
    except kb.KauriError as error:
        if isinstance(error, ValueError):
            return False
        raise
    return True


def knows_objective(params: dict[str, Any]) -> bool:
    """Return whether the library has the objective of the parameters."""
    classes = {"num_class": 2} if "num_class" in params else {}
    return knows_parameters({"objective": params["objective"], **classes})
