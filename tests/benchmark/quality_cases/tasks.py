"""Real sets as tasks: features with their categorical columns, labels, and the metric of a model's quality."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from paper_tables.real_sets import raw_set

# Data sets for choosing settings, and data sets for confirming them.
CHOOSING = (
    "adult",
    "ames",
    "flights",
    "fremtpl2",
    "lightgbm_categorical",
    "spambase",
    "protein",
    "letter",
    "higgs26k",
    "titanic",
)
CONFIRMING = (
    "credit_default",
    "flights_late",
    "california",
    "california_raw",
    "covtype_cat",
    "mushroom",
    "satimage",
    "machine_cpu",
    "boston",
    "lightgbm_multiclass",
)
# The loader's other data sets of one table and up to 500 columns, without variants of the sets above. No setting that
# fit_best tries was chosen on them. Relevance grades are numbers here, and a query may have rows in both parts.
UNSEEN = ("enb", "lambdarank", "nhanes1", "scpf", "veterans", "wq", "yeast")
LATE = 15.0  # minutes
MOST_CLASSES = 10  # maximum for a column that serves as label


@dataclass(frozen=True)
class Task:
    """A data set with its metric.

    The metric for classes is the logarithmic loss; for numbers, the root mean squared error relative to the labels'
    standard deviation.
    """

    name: str
    kind: str  # binary, multiclass or regression
    features: np.ndarray  # [n_rows, n_cols] float64; NaN: missing; category codes
    labels: np.ndarray
    categorical: list[int]

    @property
    def n_classes(self) -> int:
        """Return the number of classes of a multiclass task."""
        return int(self.labels.max()) + 1

    def some(self, rows: np.ndarray) -> Task:
        """Return the task with some of its rows."""
        return replace(self, features=self.features[rows], labels=self.labels[rows])

    def loss(self, predictions: np.ndarray) -> float:
        """Return the metric of predictions [n_rows] or [n_rows, n_classes]; less is better."""
        if self.kind == "regression":
            return float(np.sqrt(np.mean((self.labels - predictions) ** 2)))
        chosen = predictions
        if self.kind == "binary":
            chosen = np.where(self.labels == 1, predictions, 1 - predictions)
        else:
            chosen = predictions[np.arange(len(self.labels)), self.labels.astype(int)]
        return float(-np.mean(np.log(np.clip(chosen, 1e-15, 1))))


def _flights_late(task: Task, names: list[str]) -> Task:
    """Return the task to predict whether a flight arrives late, from features known before it departs."""
    keep = [column for column, name in enumerate(names) if name != "dep_delay"]
    return replace(
        task,
        kind="binary",
        features=task.features[:, keep],
        labels=(task.labels > LATE).astype(np.float64),
        categorical=[keep.index(column) for column in task.categorical],
    )


def _flights_routes(task: Task, names: list[str]) -> Task:
    """Return the same task from the date, time, carrier (16), route (about 220, in random order) and distance."""
    at = {name: task.features[:, column] for column, name in enumerate(names)}
    _, routes = np.unique(np.stack([at["origin"], at["dest"]]), axis=1, return_inverse=True)
    shuffled = np.random.default_rng(1).permutation(routes.max() + 1)[routes.ravel()]
    numbers = [at[name] for name in ("month", "day", "dep_time", "distance")]
    return replace(
        task,
        kind="binary",
        features=np.stack([*numbers, at["carrier"], shuffled.astype(np.float64)], axis=1),
        labels=(task.labels > LATE).astype(np.float64),
        categorical=[4, 5],
    )


_MADE_OF_FLIGHTS = {"flights_late": _flights_late, "flights_routes": _flights_routes}


# Categorical columns that serve as labels.
_MADE_OF_COLUMNS = {
    "adult_occupation": ("adult", "occupation"),
    "ames_neighborhood": ("ames", "Neighborhood"),
    "flights_carrier": ("flights", "carrier"),
    "fremtpl2_brand": ("fremtpl2", "VehBrand"),
    "mushroom_habitat": ("mushroom", "habitat"),
}


def _column_as_classes(task: Task, names: list[str], label: str) -> Task:
    """Return the task to predict a column's most common categories from the other columns, without all other rows."""
    at = names.index(label)
    categories, counts = np.unique(task.features[:, at], return_counts=True, equal_nan=True)
    common = np.sort(categories[np.argsort(np.where(np.isnan(categories), 0, -counts), kind="stable")[:MOST_CLASSES]])
    keep = np.isin(task.features[:, at], common)
    others = [column for column in range(task.features.shape[1]) if column != at]
    return replace(
        task,
        kind="multiclass",
        features=task.features[keep][:, others],
        labels=np.searchsorted(common, task.features[keep, at]).astype(np.float64),
        categorical=[others.index(column) for column in task.categorical if column != at],
    )


def _one_label(labels: np.ndarray, extras: dict[str, Any]) -> tuple[str, np.ndarray]:
    """Return the kind of a task and its labels: the first of several, and for censored times whether they ended."""
    kind = {"multilabel": "binary"}.get(extras["task"], extras["task"])
    if "event" in extras:
        kind, labels = "binary", extras["event"]
    labels = np.asarray(labels, dtype=np.float64)
    first = labels if labels.ndim == 1 else labels[:, 0]
    return (kind if kind in ("binary", "multiclass") else "regression"), first


def read_task(name: str, folder: Path | None, n_rows: int) -> Task | None:
    """Read a set, at most `n_rows` rows, always the same ones; returns None if it is missing."""
    source, label = _MADE_OF_COLUMNS.get(name, ("flights" if name in _MADE_OF_FLIGHTS else name, ""))
    raw = raw_set(source, folder)
    if raw is None:
        return None
    features, labels, extras = raw
    kind, labels = _one_label(labels, extras)
    task = Task(
        name,
        kind,
        np.asarray(features.todense() if hasattr(features, "todense") else features, dtype=np.float64),
        labels,
        [int(column) for column in extras.get("categorical") or []],
    )
    if name in _MADE_OF_FLIGHTS:
        task = _MADE_OF_FLIGHTS[name](task, list(extras["feature_names"]))
    if label:
        task = _column_as_classes(task, list(extras["feature_names"]), label)
    if task.kind == "regression":
        task = replace(task, labels=(task.labels - task.labels.mean()) / task.labels.std())
    if len(task.labels) > n_rows:
        task = task.some(np.random.default_rng(0).permutation(len(task.labels))[:n_rows])
    return task


def split(n_rows: int, seed: int, share: float = 0.2) -> tuple[np.ndarray, np.ndarray]:
    """Return the training rows, and the held-out rows."""
    order = np.random.default_rng(seed).permutation(n_rows)
    n_held = int(n_rows * share)
    return order[n_held:], order[:n_held]
