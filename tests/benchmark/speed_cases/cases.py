"""Cases of speed_table.py; a case is data.

A case names a data set (datasets.py), a task and the size of the model; speed_table.py runs it with every library of
libraries.py that supports it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """One block of the table, with all that its measurement needs."""

    name: str
    data: str
    task: str = "binary"  # binary, multiclass, rank, predict
    again: bool = False  # trains one round, then trains again on the same data set object
    keeps_values: bool = False  # whether hist trains on a DMatrix, not on a QuantileDMatrix
    rounds: int = 20
    method: str = "hist"
    depth: int = 6  # 0: no limit
    leaves: int = 0  # above 0: lossguide
    eta: float = 0.1
    repeats: int = 5
    libraries: tuple[str, ...] = ("kauri", "xgboost", "lightgbm", "catboost")
    apart: bool = False  # each run starts new processes, because the data are too large for all at once
    to_reach: str = ""
    aim: str = ""


BOTH = "ahead of XGBoost and LightGBM"
TWICE = "2x the faster"


def _dense(size: str, data: str, **more: object) -> tuple[Case, ...]:
    shared = {"to_reach": BOTH, "aim": TWICE, **more}
    return (
        Case(f"hist-{size}-d6", data, depth=6, **shared),
        Case(f"hist-{size}-d8", data, depth=8, **shared),
        Case(f"hist-{size}-l255", data, depth=0, leaves=255, **shared),
    )


def _small(size: str) -> Case:
    libraries = ("kauri", "xgboost", "lightgbm")
    return Case(
        f"hist-{size}", f"dense-{size}", rounds=100, libraries=libraries, to_reach="ahead of XGBoost", aim="3x XGBoost"
    )


def _leaves(n_leaves: int) -> Case:
    """Return a case of trees by gain on more rows than the caches hold."""
    libraries = ("kauri", "xgboost", "lightgbm")
    name = f"hist-2m-l{n_leaves}"
    return Case(name, "dense-2m", depth=0, leaves=n_leaves, libraries=libraries, repeats=3, to_reach="2.5x LightGBM")


def _wide(size: str, **more: object) -> Case:
    """Return a case of few rows in many columns."""
    shared = {"libraries": ("kauri", "xgboost", "lightgbm"), "rounds": 100, "to_reach": "2x LightGBM", **more}
    return Case(f"hist-{size}" + (f"-l{more['leaves']}" if "leaves" in more else "-d8"), size, **shared)


def _again() -> tuple[Case, ...]:
    shared = {"rounds": 1, "again": True, "libraries": ("kauri", "xgboost", "lightgbm"), "to_reach": BOTH}
    return (
        Case("again", "dense-200k", keeps_values=True, **shared),
        Case("again-bins", "dense-200k", **shared),
        Case("again-exact", "dense-200k", method="exact", **{**shared, "libraries": ("kauri", "xgboost")}),
    )


ALL = (
    *_dense("1m", "dense-1m", repeats=3),
    _leaves(127),
    _leaves(255),
    *_dense("10m", "dense-10m", rounds=10, repeats=1, apart=True),
    Case("covertype", "covertype", task="multiclass", rounds=10, eta=0.3, repeats=3, to_reach=BOTH, aim=TWICE),
    Case("many-classes", "many-classes", task="multiclass", rounds=10, eta=0.3, repeats=3, to_reach=BOTH, aim=TWICE),
    Case("few-values", "few-values", rounds=100, to_reach=BOTH, aim=TWICE),
    *_again(),
    Case("onehot", "onehot-1m", repeats=3, to_reach=BOTH, aim=TWICE),
    _small("1k"),
    _small("5k"),
    _small("10k"),
    _small("50k"),
    _wide("wide-1211", depth=8),
    _wide("wide-1211", depth=0, leaves=31),
    _wide("wide-5k", depth=8),
    Case(
        "exact-1m",
        "dense-1m",
        method="exact",
        rounds=5,
        repeats=1,
        libraries=("kauri", "xgboost"),
        to_reach="3x XGBoost",
        aim="8x XGBoost",
    ),
    Case("predict-1m", "dense-1m", task="predict", rounds=500, to_reach="ahead of XGBoost", aim="5x XGBoost"),
    Case("rank", "queries-100k", task="rank", to_reach=BOTH, aim=TWICE),
    Case("rank-real", "queries-real", task="rank", rounds=100, to_reach=BOTH, aim=TWICE),
)

BY_NAME = {case.name: case for case in ALL}
