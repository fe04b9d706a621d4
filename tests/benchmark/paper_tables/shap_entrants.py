"""Entrants that compute contributions, and their time: Kauri's methods on CPU and device, XGBoost, the shap package."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from .machine import optional
from .report import say
from .shap_models import TrainedModel

# Makes a call for rows. Preparation, such as making a DMatrix, is not timed. The call returns
# [n, (classes,) columns + 1, ...].
Prepare = Callable[[np.ndarray], Callable[[], np.ndarray]]
# Processor seconds per leaf, row and feature, to choose how many rounds of a model can be timed: XGBoost and the shap
# package loop over interactions once per feature.
PAIR_SECONDS = 2e-6
SHAP_PACKAGE_LEAVES = 200_000  # number of leaves that the shap package reads in a few seconds


@dataclass
class Entrant:
    """One library, method and device that computes contributions."""

    key: str
    prepare: Prepare
    scaled: bool = True  # whether fewer rows may be timed and scaled up
    start_rows: int = 16  # minimum number of rows
    rounds: int | None = None  # number of first rounds to time; None: all
    leaf_factor: float = 1.0  # all leaves / leaves of these rounds


@dataclass
class Measured:
    """Seconds for all rows, possibly scaled up from fewer."""

    seconds: float
    rows: int  # number of rows timed
    wanted: int
    repeats: int
    times: list[float]
    rounds: int | None  # rounds timed; None: all

    @property
    def text(self) -> str:
        """Return the seconds, and in brackets the number of rows and rounds timed if not all were."""
        parts = [] if self.rows == self.wanted else [str(self.rows)]
        parts += [] if self.rounds is None else [f"{self.rounds} rounds"]
        return f"{self.seconds:.3g}" + (f" [{', '.join(parts)}]" if parts else "")


def allowed_values(parameter: str) -> list[str]:
    """Return the values that an enumerated parameter of Kauri can have; empty if there is no such parameter."""
    from kauriboost import parameters

    found: set[str] = set()
    for entry in parameters():
        if entry["name"] == parameter:
            found |= {value.strip(" '") for value in entry["type"].strip("{}").split(",")}
    return sorted(found)


def kauri_entrant(
    model: TrainedModel, device: str, method: str, pairs: bool, args: argparse.Namespace, **more: str
) -> Entrant:
    """Return the entrant of Kauri on a device by one method."""
    import kauriboost as kb

    params = {"device": device, "nthread": args.threads, "shap_method": method, **more}
    booster = kb.Booster(params, model_file=str(model.path))

    def prepare(rows: np.ndarray) -> Callable[[], np.ndarray]:
        data = kb.DMatrix(rows, nthread=args.threads)
        return lambda: booster.predict(data, pred_contribs=not pairs, pred_interactions=pairs)

    return Entrant(f"{'cpu' if device == 'cpu' else 'device'}_{method}", prepare, device == "cpu")


def first_rounds(model: TrainedModel, leaves: float) -> tuple[Any, dict[str, Any]]:
    """Return XGBoost's booster, cut to the first rounds with at most `leaves` leaves, and the entrant's fields."""
    import xgboost

    booster = xgboost.Booster(model_file=str(model.path))
    rounds = model.rounds_within(leaves)
    if rounds == model.rounds:
        return booster, {}
    return booster[:rounds], {"rounds": rounds, "leaf_factor": model.shape.leaves / model.leaves_of(rounds)}


def xgboost_entrant(model: TrainedModel, pairs: bool, args: argparse.Namespace) -> Entrant:
    """Return the entrant of XGBoost on the CPU."""
    import xgboost

    affordable = args.seconds * args.threads / (16 * PAIR_SECONDS * model.rows.shape[1])
    booster, cut = first_rounds(model, affordable if pairs else np.inf)
    booster.set_param({"nthread": args.threads})

    def prepare(rows: np.ndarray) -> Callable[[], np.ndarray]:
        data = xgboost.DMatrix(rows, nthread=args.threads)
        return lambda: booster.predict(data, pred_contribs=not pairs, pred_interactions=pairs)

    return Entrant("xgboost", prepare, **cut)


def xgboost_device_entrant(model: TrainedModel, pairs: bool, args: argparse.Namespace) -> Entrant:
    """Return the entrant of XGBoost on the device, from host memory to host memory as Kauri."""
    import xgboost

    booster = xgboost.Booster({"device": args.device, "nthread": args.threads}, model_file=str(model.path))

    def prepare(rows: np.ndarray) -> Callable[[], np.ndarray]:
        data = xgboost.DMatrix(rows, nthread=args.threads)
        return lambda: booster.predict(data, pred_contribs=not pairs, pred_interactions=pairs)

    return Entrant("xgboost_device", prepare, scaled=False)


def shap_entrant(model: TrainedModel, pairs: bool, args: argparse.Namespace) -> Entrant:
    """Return the entrant of the shap package's own code, which has one thread. By default shap would call XGBoost."""
    import shap

    affordable = args.seconds / (PAIR_SECONDS * model.rows.shape[1]) if pairs else np.inf
    booster, cut = first_rounds(model, min(affordable, SHAP_PACKAGE_LEAVES))
    explainer = shap.TreeExplainer(booster)
    explainer.model.model_type = "internal"

    def prepare(rows: np.ndarray) -> Callable[[], np.ndarray]:
        def call() -> np.ndarray:
            if pairs:
                return as_xgboost(explainer.shap_interaction_values(rows), 2)
            return as_xgboost(explainer.shap_values(rows, check_additivity=False), 1)

        return call

    return Entrant("shap", prepare, start_rows=1, **cut)


def as_xgboost(values: np.ndarray, feature_axes: int) -> np.ndarray:
    """Return the shap package's array with classes before the features, as in XGBoost. It has no bias."""
    return np.moveaxis(values, -1, 1) if values.ndim == feature_axes + 2 else values


def entrants_for(model: TrainedModel, pairs: bool, args: argparse.Namespace) -> list[Entrant]:
    """Return all entrants that can run here. The first is Kauri's recursive method on the CPU, the reference."""
    found: list[Entrant] = []
    for device in dict.fromkeys(("cpu", args.device)):
        found += [kauri_entrant(model, device, method, pairs, args) for method in methods_on(device)]
    xgboost = optional("xgboost") if args.peers else None
    if xgboost is not None:
        if args.device != "cpu" and xgboost.build_info()["USE_CUDA"]:
            found.append(xgboost_device_entrant(model, pairs, args))
        found.append(xgboost_entrant(model, pairs, args))
        if optional("shap") is not None:
            found.append(shap_entrant(model, pairs, args))
    return found


@cache
def methods_on(device: str) -> list[str]:
    """Return the methods of contributions that work on a device, tried on a stump."""
    import kauriboost as kb

    data = kb.DMatrix(np.arange(8, dtype=np.float32).reshape(8, 1), np.arange(8) % 2)
    model = kb.train({"max_depth": 1}, data, 1, verbose_eval=False).save_raw()
    methods = []
    for method in ["treeshap", *(name for name in allowed_values("shap_method") if name not in ("auto", "treeshap"))]:
        try:
            kb.Booster({"device": device, "shap_method": method}, model_file=model).predict(data, pred_contribs=True)
            methods.append(method)
        except kb.KauriError as error:
            say(f"(device={device}, shap_method={method}: left out, {error})")
    return methods


def seconds_of(call: Callable[[], np.ndarray]) -> tuple[float, np.ndarray]:
    """Return the time of a call, and its result."""
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def measure(entrant: Entrant, rows: np.ndarray, budget_s: float) -> tuple[Measured, np.ndarray]:
    """Time an entrant by the median of up to five calls after a warm-up.

    Parameters
    ----------
    entrant
        The entrant to time.
    rows
        All rows, ``[n, n_cols]``. An entrant that may be scaled is timed on the fewest of 16, 32, 64 .. rows that take
        a quarter of the budget, so that the fixed cost of a call is not scaled up with the rows.
    budget_s
        Seconds for the repeats. If the warm-up takes more than four times as long, it is the only call.

    Returns
    -------
    Measured, np.ndarray
        The time, and the result for the timed rows.
    """
    wanted = len(rows)
    count = min(entrant.start_rows, wanted)
    call = entrant.prepare(rows[:count])
    once, result = seconds_of(call)
    if once <= 4 * budget_s or not entrant.scaled:
        count = count if entrant.scaled else wanted
        while True:
            call = entrant.prepare(rows[:count])
            once, result = seconds_of(call)
            if count == wanted or once > budget_s / 4:
                break
            count = min(wanted, 2 * count)
    times = [once, *(seconds_of(call)[0] for _ in range(min(5, int(budget_s / once)) - 1))]
    seconds = statistics.median(times) * wanted / count * entrant.leaf_factor
    return Measured(seconds, count, wanted, len(times), times, entrant.rounds), result


def error_against(reference: np.ndarray, values: np.ndarray, feature_axes: int) -> float:
    """Return the largest difference over common rows, relative to the largest value. Skips a bias that one lacks."""
    count = min(len(reference), len(values))
    part, other = reference[:count], values[:count]
    if part.shape != other.shape:
        part = part[(..., *[slice(0, -1)] * feature_axes)]
    return float(np.abs(part - other).max() / np.abs(part).max())
