"""Data of the cases: made once and kept as files, so that every process loads the same rows in the same way.

Real sets come from a module load.py in the folder KAURI_DATA (by default ../shared/data beside the project) whose
load(name) returns features, labels and a dict of the rest.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse

ROOT = Path(__file__).resolve().parents[3]
KAURI_DATA = os.environ.get("KAURI_DATA", str(ROOT.parent / "shared" / "data"))
Features = np.ndarray | sparse.csr_matrix


@dataclass
class Part:
    """Training rows or test rows."""

    features: Features
    labels: np.ndarray
    group: np.ndarray | None = None  # rows per query

    def save(self, path: Path) -> None:
        if sparse.issparse(self.features):
            sparse.save_npz(path.with_suffix(".npz"), self.features, compressed=False)
        else:
            np.save(path.with_suffix(".npy"), self.features)
        np.save(path.with_suffix(".labels.npy"), self.labels.astype(np.float32))
        if self.group is not None:
            np.save(path.with_suffix(".group.npy"), self.group)

    @staticmethod
    def load(path: Path) -> Part:
        dense, group = path.with_suffix(".npy"), path.with_suffix(".group.npy")
        features = np.load(dense) if dense.exists() else sparse.load_npz(path.with_suffix(".npz"))
        return Part(features, np.load(path.with_suffix(".labels.npy")), np.load(group) if group.exists() else None)


def dense_rows(n_rows: int, n_cols: int = 28, seed: int = 0) -> Part:
    """Return float features with a non-linear signal and a noisy binary label."""
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((n_rows, n_cols), dtype=np.float32)
    signal = features[:, 0] * features[:, 1] + np.abs(features[:, 2]) + 0.5 * features[:, 3] - 0.8
    labels = signal + rng.standard_normal(n_rows, dtype=np.float32) > 0
    return Part(features, labels)


def one_hot_rows(n_rows: int, seed: int = 0, n_variables: int = 10, n_levels: int = 100) -> Part:
    """Return ten variables of a hundred frequent and rare levels, each level a column; 1 % of the entries exist."""
    rng = np.random.default_rng(seed)
    levels = np.minimum(rng.exponential(n_levels / 4, (n_rows, n_variables)).astype(np.int64), n_levels - 1)
    effects = np.random.default_rng(123).standard_normal((n_variables, n_levels))
    signal = sum(effects[k, levels[:, k]] for k in range(n_variables)) + 2 * effects[0, levels[:, 1]] * (
        levels[:, 2] < 9
    )
    labels = signal + rng.standard_normal(n_rows) * 2 > np.median(signal)
    columns = (levels + np.arange(n_variables) * n_levels).astype(np.int32).ravel()
    row_ptr = np.arange(n_rows + 1, dtype=np.int32) * n_variables
    values = np.ones(len(columns), np.float32)
    return Part(sparse.csr_matrix((values, columns, row_ptr), (n_rows, n_variables * n_levels)), labels)


def query_rows(n_queries: int, seed: int = 0, per_query: int = 100) -> Part:
    """Return queries of 100 rows and 136 columns, with relevance 0 to 4 distributed as in web search."""
    features = dense_rows(n_queries * per_query, 136, seed).features
    noise = np.random.default_rng(seed + 1).standard_normal(len(features), dtype=np.float32)
    signal = features[:, 0] + 0.5 * features[:, 1] * features[:, 2] + noise
    labels = np.digitize(signal, np.quantile(signal, [0.52, 0.84, 0.97, 0.99]))
    return Part(features, labels, np.full(n_queries, per_query))


def many_classes(n_rows: int, seed: int = 0) -> Part:
    """Return data of the shape of connection logs (kddcup99).

    Three of the 23 classes hold 98 % of the rows. Most of the 41 columns are flags, counts and fractions of two
    decimals that are zero in most rows.
    """
    n_classes, rng, shape = 23, np.random.default_rng(seed), np.random.default_rng(123)
    frequency = np.concatenate(([0.57, 0.215, 0.195], 0.02 * (rare := 0.7 ** np.arange(20)) / rare.sum()))
    labels = rng.choice(n_classes, n_rows, p=frequency / frequency.sum())
    columns = []
    for column in range(41):
        levels = (2, 4, 11, 66, 101, 101, 512, 3000)[column % 8]
        centre = shape.integers(0, levels, n_classes)[labels]
        spread = rng.integers(-(levels // 10) - 1, levels // 10 + 2, n_rows)
        zero = rng.random(n_rows) < shape.choice([0.2, 0.8, 0.95, 0.995], n_classes)[labels]
        values = np.where(zero, 0, np.clip(centre + spread, 0, levels - 1))
        columns.append(values / 100 if levels == 101 else values)
    return Part(np.ascontiguousarray(np.stack(columns, axis=1), np.float32), labels)


def few_values(n_rows: int, seed: int = 0) -> Part:
    """Return ten columns of 2 to 60 distinct values, many of them zeros, and a noisy binary label."""
    rng = np.random.default_rng(seed)
    levels = (2, 2, 3, 5, 7, 12, 20, 30, 45, 60)
    features = np.stack([rng.integers(0, n, n_rows) * (rng.random(n_rows) < 0.6) for n in levels], axis=1)
    scaled = features / np.array(levels)
    signal = scaled[:, 9] * scaled[:, 8] + scaled[:, 7] * features[:, 0] - 0.4 * scaled[:, 6] + 0.2 * features[:, 2]
    labels = signal + 0.3 * rng.standard_normal(n_rows) > np.median(signal)
    return Part(features.astype(np.float32), labels)


def _real(name: str) -> tuple[Features, np.ndarray, dict]:
    if KAURI_DATA not in sys.path:
        sys.path.insert(0, KAURI_DATA)
    from load import load

    return load(name)


def covertype() -> tuple[Part, Part]:
    features, labels, _ = _real("covtype")
    order = np.random.default_rng(0).permutation(len(labels))
    test, train = order[:50_000], order[50_000:]
    return (
        Part(features[train], labels[train]),
        Part(features[test], labels[test]),
    )


def real_queries() -> tuple[Part, Part]:
    features, labels, extra = _real("lambdarank")

    def dense(rows: Features) -> np.ndarray:
        return np.ascontiguousarray(rows.toarray() if hasattr(rows, "toarray") else rows, np.float32)

    return (
        Part(dense(features), labels, extra["group"]),
        Part(dense(extra["X_test"]), extra["y_test"], extra["group_test"]),
    )


MAKERS: dict[str, Callable[[], tuple[Part, Part]]] = {
    **{
        f"dense-{name}": lambda n=n: (dense_rows(n), dense_rows(100_000, seed=1))
        for name, n in {
            "1k": 1000,
            "5k": 5000,
            "10k": 10_000,
            "50k": 50_000,
            "200k": 200_000,
            "1m": 1_000_000,
            "2m": 2_000_000,
            "10m": 10_000_000,
        }.items()
    },
    "wide-1211": lambda: (dense_rows(1211, 294), dense_rows(2000, 294, seed=1)),
    "wide-5k": lambda: (dense_rows(5000, 500), dense_rows(2000, 500, seed=1)),
    "onehot-1m": lambda: (one_hot_rows(1_000_000), one_hot_rows(100_000, seed=1)),
    "many-classes": lambda: (many_classes(494_021), many_classes(50_000, seed=1)),
    "few-values": lambda: (few_values(98_000), few_values(50_000, seed=1)),
    "covertype": covertype,
    "queries-100k": lambda: (query_rows(1000), query_rows(1000, seed=7)),
    "queries-real": real_queries,
}


def prepare(name: str, folder: Path) -> None:
    """Write the set's files unless they exist."""
    done = folder / f"{name}.done"
    if done.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    train, test = MAKERS[name]()
    train.save(folder / f"{name}-train.x")
    test.save(folder / f"{name}-test.x")
    done.touch()


def load_parts(name: str, folder: Path) -> tuple[Part, Part]:
    return Part.load(folder / f"{name}-train.x"), Part.load(folder / f"{name}-test.x")
