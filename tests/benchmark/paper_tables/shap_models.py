"""The twelve models of the SHAP paper (its tables 2 and 3), trained by `hist` on the CPU and kept in a folder."""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from .model_file import Shape, shape_of
from .real_sets import raw_set
from .report import say

SIZES = {"small": (10, 3), "med": (100, 8), "large": (1000, 16)}  # rounds, depth
ROWS_SEED = 432


@dataclass(frozen=True)
class Published:
    """Published leaves of a model, and seconds for 10,000 rows (contributions) and 200 rows (interactions)."""

    leaves: int
    v100_s: float  # the paper's GPU
    cpu40_s: float  # the paper's 40 cores
    v100_pairs_s: float
    cpu40_pairs_s: float
    h100_leaves: int  # XGBoost 3.4.1 on an H100, with its own models; large ones were truncated
    h100_s: float
    h100_pairs_s: float


PUBLISHED = {
    "covtype-small": Published(560, 0.02, 0.04, 0.02, 0.14, 121, 0.00426, 0.0156),
    "covtype-med": Published(113_888, 0.45, 8.25, 0.19, 21.50, 1_742, 0.00961, 0.0179),
    "covtype-large": Published(6_636_440, 50.88, 930.22, 28.85, 2055.78, 3_560_261, 13.4, 2.59),
    "cal_housing-small": Published(80, 0.01, 0.01, 0.01, 0.01, 80, 0.000689, 0.000338),
    "cal_housing-med": Published(21_643, 0.09, 1.27, 0.04, 0.53, 23_128, 0.0567, 0.00863),
    "cal_housing-large": Published(3_317_209, 16.91, 315.21, 8.55, 93.67, 3_604_812, 13.4, 2.67),
    "fashion_mnist-small": Published(800, 0.17, 0.35, 4.04, 11.35, 800, 0.126, 10.4),
    "fashion_mnist-med": Published(144_154, 1.13, 15.10, 4.91, 578.90, 144_134, 0.508, 5.52),
    "fashion_mnist-large": Published(2_929_521, 47.53, 621.14, 63.53, 21603.53, 1_479_349, 5.96, 6.65),
    "adult-small": Published(80, 0.01, 0.01, 0.01, 0.06, 80, 0.00075, 0.000427),
    "adult-med": Published(13_074, 0.08, 1.14, 0.04, 1.74, 11_690, 0.0319, 0.00478),
    "adult-large": Published(642_035, 4.67, 88.12, 2.76, 67.29, 454_773, 1.79, 0.317),
}


@dataclass
class TrainedModel:
    """A model with its path and its counts."""

    name: str
    path: Path
    shape: Shape
    rounds: int
    asked_rounds: int
    rows: np.ndarray  # all rows of its data set, [n_rows, n_cols] float32
    train_s: float | None  # None: the model existed already

    def test_rows(self, count: int) -> np.ndarray:
        """Return rows drawn with replacement, as in the paper."""
        return self.rows[np.random.default_rng(ROWS_SEED).integers(0, len(self.rows), count)]

    def leaves_of(self, rounds: int) -> int:
        """Return the number of leaves of the first rounds."""
        return int(self.shape.tree_leaves[: rounds * (self.shape.trees // self.rounds)].sum())

    def rounds_within(self, leaves: float) -> int:
        """Return the largest number of rounds with at most `leaves` leaves, at least one."""
        return next((count for count in range(self.rounds, 1, -1) if self.leaves_of(count) <= leaves), 1)

    def size(self) -> dict[str, Any]:
        """Return name, trees, leaves and depth."""
        shape = self.shape
        trees = f"{shape.trees:,}" if self.rounds == self.asked_rounds else f"{shape.trees:,} (cut short)"
        return {
            "name": self.name,
            "trees": shape.trees,
            "trees_text": trees,
            "leaves": shape.leaves,
            "depth": shape.depth,
        }


def objective_of(data_name: str, labels: np.ndarray) -> dict[str, Any]:
    """Return the parameters of the task. The paper's covertype has an empty class 0, since its labels begin at 1."""
    if data_name in ("covtype", "fashion_mnist"):
        return {"objective": "multi:softmax", "num_class": int(labels.max()) + 1}
    return {"objective": "reg:squarederror" if data_name == "cal_housing" else "binary:logistic"}


@cache
def data_of(data_name: str, folder: Path | None) -> tuple[np.ndarray, np.ndarray] | None:
    """Return all rows and labels of a data set, including its test part, or None if it is missing."""
    found = raw_set({"cal_housing": "california"}.get(data_name, data_name), folder)
    if found is None:
        return None
    features, labels, extras = found
    if "X_test" in extras:
        features, labels = np.concatenate([features, extras["X_test"]]), np.concatenate([labels, extras["y_test"]])
    labels = np.asarray(labels, dtype=np.float32) + (1 if data_name == "covtype" else 0)
    return np.asarray(features, dtype=np.float32), labels


def trained(name: str, args: argparse.Namespace) -> TrainedModel | None:
    """Return the model from the folder `args.models`, training it first if missing; None without its data."""
    data_name, size = name.rsplit("-", 1)
    data = data_of(data_name, args.data)
    if data is None:
        return None
    path = Path(args.models) / f"{name}.ubj"
    rounds, train_s = SIZES[size][0], None
    if not path.is_file():
        start = time.perf_counter()
        train(path, data, {**objective_of(data_name, data[1]), "max_depth": SIZES[size][1]}, rounds, args)
        train_s = time.perf_counter() - start
        say(f"({name}: trained in {train_s:.1f} s)")
    document = path.read_bytes()
    shape = shape_of(document)
    classes = objective_of(data_name, data[1]).get("num_class", 1)
    return TrainedModel(name, path, shape, shape.trees // classes, rounds, data[0], train_s)


def train(
    path: Path, data: tuple[np.ndarray, np.ndarray], params: dict[str, Any], rounds: int, args: argparse.Namespace
) -> None:
    """Train with the paper's learning rate and save; no round begins after `args.train_seconds`."""
    import kauriboost as kb

    matrix = kb.DMatrix(*data, nthread=args.threads)
    common = {"tree_method": "hist", "eta": 0.01, "base_score": 0.5, "nthread": args.threads}
    booster = kb.Booster({**common, **params}, [matrix])
    deadline = time.perf_counter() + args.train_seconds
    for iteration in range(rounds):
        booster.update(matrix, iteration)
        if time.perf_counter() > deadline:
            break
    path.parent.mkdir(parents=True, exist_ok=True)
    booster.save_model(path)
