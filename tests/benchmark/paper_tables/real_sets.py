"""Real data sets as problems with a test part and a metric. Their loader is not part of the project.

The loader is a module load.py: ``load(name)`` returns features (array or CSR, NaN or absent = missing), labels and
extras: ``task``; ``X_test`` and ``y_test`` if the set has a test part; ``group`` and ``group_test`` for ranking;
``categorical``, the categorical columns, if any.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from . import metrics
from .report import say
from .shapes import Problem

Metric = Callable[[np.ndarray, np.ndarray, "np.ndarray | None"], float]

# Objective, name of the metric, and metric of each task.
TASKS: dict[str, tuple[str, str, Metric]] = {
    "binary": ("binary:logistic", "auc", metrics.auc),
    "multiclass": ("multi:softprob", "mlogloss", metrics.mlogloss),
    "regression": ("reg:squarederror", "rmse", metrics.rmse),
    "count": ("count:poisson", "rmse", metrics.rmse),
    "ranking": ("rank:ndcg", "ndcg@10", metrics.ndcg_at_10),
}


@dataclass
class RealSet:
    """A data set with a training part and a test part."""

    train: Problem
    test: Problem
    metric_name: str
    metric: Metric
    categorical: list[int] = field(default_factory=list)
    types: list[str] | None = None  # types of the features; None: all are numerical

    def with_categories(self) -> RealSet:
        """Return the same set with its categorical columns declared."""
        columns = range(self.train.features.shape[1])
        return replace(self, types=["c" if column in self.categorical else "q" for column in columns])

    def score(self, booster: Any, library: Any, threads: int) -> float:
        """Return the metric on the test part."""
        types = {} if self.types is None else {"feature_types": self.types}
        data = library.DMatrix(self.test.features, nthread=threads, **types)
        return self.metric(self.test.labels, booster.predict(data), self.test.group)


@cache
def _loader(folder: Path) -> ModuleType:
    path = folder / "load.py"
    spec = importlib.util.spec_from_file_location("real_data_loader", path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise SystemExit(f"there is no loader at {path}; pass its folder as --data or KAURI_DATA.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _as_float32(features: Any) -> Any:
    return features.tocsr().astype(np.float32) if hasattr(features, "tocsr") else np.asarray(features, dtype=np.float32)


def raw_set(name: str, folder: Path | None) -> tuple[Any, np.ndarray, dict[str, Any]] | None:
    """Return features, labels and extras. Prints a line and returns None if the set is missing."""
    if folder is None:
        raise SystemExit("this table reads real data: pass the folder of the loader as --data or KAURI_DATA.")
    try:
        return _loader(folder).load(name)
    except (FileNotFoundError, KeyError) as error:
        say(f"({name}: skipped, {type(error).__name__}: {error})")
        return None


def real_set(name: str, folder: Path | None, params: dict[str, Any] | None = None) -> RealSet | None:
    """Return a data set, or print a line and return None if it is missing.

    A random tenth of the rows is the test part if the set has none of its own.
    """
    found = raw_set(name, folder)
    if found is None:
        return None
    features, labels, extras = _as_float32(found[0]), np.asarray(found[1], dtype=np.float32), found[2]
    objective, metric_name, metric = TASKS[extras["task"]]
    settings: dict[str, Any] = {"objective": objective, **(params or {})}
    if extras["task"] == "multiclass":
        settings["num_class"] = int(labels.max()) + 1
    if "X_test" in extras:
        test = Problem(name, _as_float32(extras["X_test"]), np.asarray(extras["y_test"], dtype=np.float32), settings)
        train = Problem(name, features, labels, settings, extras.get("group"))
        test.group = extras.get("group_test")
    else:
        held_out = np.random.default_rng(0).permutation(len(labels)) % 10 == 0
        train = Problem(name, features[~held_out], labels[~held_out], settings)
        test = Problem(name, features[held_out], labels[held_out], settings)
    return RealSet(train, test, metric_name, metric, list(extras.get("categorical", [])))
