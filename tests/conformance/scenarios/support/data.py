"""Data of scenarios. Few distinct values, so that the cuts of `hist` are every value, however they are looked for."""

from __future__ import annotations

from pathlib import Path

import numpy as np

DEMO = Path(__file__).resolve().parents[4] / "demo" / "data"


def rows(n: int = 300, columns: int = 5, seed: int = 0) -> np.ndarray:
    """Floats with one digit behind the point, [n, columns]."""
    tenths = np.random.default_rng(seed).normal(size=(n, columns), scale=10).astype(int)
    return (tenths / 10).astype(np.float32)


def rows_with_gaps(n: int = 300, columns: int = 5, seed: int = 0) -> np.ndarray:
    """The same with a fifth of the values missing."""
    features = rows(n, columns, seed)
    features[np.random.default_rng(seed + 1).random(features.shape) < 0.2] = np.nan
    return features


def score(features: np.ndarray, seed: int = 0) -> np.ndarray:
    """A smooth function of the columns, and noise."""
    full = np.nan_to_num(features)
    noise = np.random.default_rng(seed + 7).normal(scale=0.3, size=len(features))
    return full[:, 0] * 2 + np.sin(full[:, 1] * 2) + full[:, 2] * full[:, 0] + noise


def regression(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Rows, and labels around zero."""
    features = rows(n)
    return features, score(features).astype(np.float32)


def positive(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Rows, and labels above zero."""
    features = rows(n)
    return features, np.exp(score(features) / 3).astype(np.float32)


def counts(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Rows, and whole numbers from zero on."""
    features, labels = positive(n)
    return features, np.floor(labels).astype(np.float32)


def binary(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Rows, and labels 0 and 1."""
    features = rows(n)
    return features, (score(features) > 0).astype(np.int32)


def classes(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Rows, and labels 0, 1 and 2."""
    features = rows(n)
    return features, np.digitize(score(features), [-1, 1]).astype(np.int32)


def targets(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Rows, and three labels each."""
    features, label = regression(n)
    return features, np.stack([label, -label, features[:, 3]], axis=1)


def queries(n: int = 300, size: int = 15) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, grades from 0 to 3, and the number of the query of each row, in order."""
    features = rows(n)
    grades = np.digitize(score(features), [-1, 1, 2]).astype(np.int32)
    return features, grades, np.repeat(np.arange(n // size), size)


def times(n: int = 300) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, and lower and upper bounds of their times; a third is censored to the right."""
    features, lower = positive(n)
    upper = np.where(np.arange(n) % 3 == 0, np.inf, lower)
    return features, lower, upper.astype(np.float32)
