"""Data of scenarios, with few distinct values, so that `hist` has a bin for every value with any method."""

from __future__ import annotations

from pathlib import Path

import numpy as np

DEMO = Path(__file__).resolve().parents[4] / "demo" / "data"


def rows(n: int = 300, columns: int = 5, seed: int = 0) -> np.ndarray:
    """Return floats with one decimal digit, [n, columns]."""
    tenths = np.random.default_rng(seed).normal(size=(n, columns), scale=10).astype(int)
    return (tenths / 10).astype(np.float32)


def rows_with_gaps(n: int = 300, columns: int = 5, seed: int = 0) -> np.ndarray:
    """Return the same with a fifth of the values missing."""
    features = rows(n, columns, seed)
    features[np.random.default_rng(seed + 1).random(features.shape) < 0.2] = np.nan
    return features


def score(features: np.ndarray, seed: int = 0) -> np.ndarray:
    """Return a smooth function of the columns plus noise."""
    full = np.nan_to_num(features)
    noise = np.random.default_rng(seed + 7).normal(scale=0.3, size=len(features))
    return full[:, 0] * 2 + np.sin(full[:, 1] * 2) + full[:, 2] * full[:, 0] + noise


def regression(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Return rows, and labels around zero."""
    features = rows(n)
    return features, score(features).astype(np.float32)


def positive(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Return rows, and labels above zero."""
    features = rows(n)
    return features, np.exp(score(features) / 3).astype(np.float32)


def counts(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Return rows, and non-negative whole numbers."""
    features, labels = positive(n)
    return features, np.floor(labels).astype(np.float32)


def binary(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Return rows, and labels 0 and 1."""
    features = rows(n)
    return features, (score(features) > 0).astype(np.int32)


def classes(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Return rows, and labels 0, 1 and 2."""
    features = rows(n)
    return features, np.digitize(score(features), [-1, 1]).astype(np.int32)


def targets(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Return rows, and three labels each."""
    features, label = regression(n)
    return features, np.stack([label, -label, features[:, 3]], axis=1)


def queries(n: int = 300, size: int = 15) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows, grades from 0 to 3, and the query number of each row, in order."""
    features = rows(n)
    grades = np.digitize(score(features), [-1, 1, 2]).astype(np.int32)
    return features, grades, np.repeat(np.arange(n // size), size)


def times(n: int = 300) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows, and lower and upper bounds of their times; a third is right-censored."""
    features, lower = positive(n)
    upper = np.where(np.arange(n) % 3 == 0, np.inf, lower)
    return features, lower, upper.astype(np.float32)
