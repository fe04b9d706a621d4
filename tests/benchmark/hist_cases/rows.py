"""Rows for the works, made within seconds: by PyTorch on the device if it is installed, else by NumPy on all threads.

Every library's process makes the same rows, provided that both have PyTorch and a device, or neither has.
"""

from __future__ import annotations

import importlib
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

BLOCK_ROWS = 500_000
N_CLASSES = 7


def torch_on_device(device: str) -> Any:
    """Return PyTorch if `device` is a CUDA device and PyTorch sees one, else None."""
    if not device.startswith("cuda"):
        return None
    try:
        torch = importlib.import_module("torch")
    except ImportError:
        return None
    return torch if torch.cuda.is_available() else None


def _normal_by_torch(torch: Any, out: np.ndarray, seed: int) -> None:
    generator = torch.Generator(device="cuda").manual_seed(seed)
    for first in range(0, len(out), BLOCK_ROWS):
        block = torch.from_numpy(out[first : first + BLOCK_ROWS])
        block.copy_(torch.randn(block.shape, generator=generator, device="cuda"))
    torch.cuda.empty_cache()


def _normal_by_numpy(out: np.ndarray, seed: int) -> None:
    def fill(first: int) -> None:
        np.random.default_rng([seed, first]).standard_normal(
            dtype=np.float32, out=out[first : first + BLOCK_ROWS], size=None
        )

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        list(pool.map(fill, range(0, len(out), BLOCK_ROWS)))


def normal(n_rows: int, n_cols: int, device: str, seed: int = 0) -> np.ndarray:
    """Return normal deviates, [n_rows, n_cols] of float32 in host memory."""
    out = np.empty((n_rows, n_cols), np.float32)
    torch = torch_on_device(device)
    if torch is None:
        _normal_by_numpy(out, seed)
    else:
        _normal_by_torch(torch, out, seed)
    return out


def dense(n_rows: int, n_cols: int, device: str) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and a noisy binary label, with a non-linear signal in four columns."""
    rows = normal(n_rows, n_cols, device)
    signal = rows[:, 0] * rows[:, 1] + np.abs(rows[:, 2]) + 0.5 * rows[:, 3] - 0.8
    noise = normal(n_rows, 1, device, seed=1)[:, 0]
    return rows, (signal + noise > 0).astype(np.float32)


def _real_covertype() -> tuple[np.ndarray, np.ndarray] | None:
    folder = os.environ.get("KAURI_DATA", str(Path(__file__).resolve().parents[4] / "shared" / "data"))
    if not (Path(folder) / "load.py").is_file():
        return None
    sys.path.insert(0, folder)
    features, labels, _ = importlib.import_module("load").load("covtype")
    return np.ascontiguousarray(features, np.float32), labels.astype(np.float32)


def _like_covertype(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return ten integer columns of 67 to 7,000 values, two one-hot variables of 4 and 40 levels, and labels."""
    rng = np.random.default_rng(0)
    levels = (2000, 360, 67, 550, 700, 5800, 207, 185, 255, 7000)
    rows = np.zeros((n_rows, 54), np.float32)
    for column, count in enumerate(levels):
        rows[:, column] = np.floor(count * rng.beta(2, 3, n_rows))
    first, second = rng.integers(0, 4, n_rows), (40 * rng.random(n_rows) ** 2).astype(np.int64)
    rows[np.arange(n_rows), 10 + first] = 1
    rows[np.arange(n_rows), 14 + second] = 1
    signal = rows[:, 0] / 400 + rows[:, 5] / 3000 * (first > 1) + np.sin(second) + rng.standard_normal(n_rows)
    edges = np.quantile(signal, [0.36, 0.85, 0.91, 0.92, 0.935, 0.965])
    return rows, np.digitize(signal, edges).astype(np.float32)


def classes(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return Covertype if the real sets are available, else similar data; seven classes."""
    rows, labels = _real_covertype() or _like_covertype(n_rows)
    return rows[:n_rows], labels[:n_rows]


def one_hot(n_rows: int, n_cols: int) -> tuple[Any, np.ndarray]:
    """Return variables of 100 frequent and rare levels, each level a column of a sparse matrix, and labels."""
    sparse = importlib.import_module("scipy.sparse")
    rng = np.random.default_rng(0)
    n_variables = max(1, n_cols // 100)
    levels = np.minimum(rng.exponential(25, (n_rows, n_variables)).astype(np.int64), 99)
    effects = rng.standard_normal((n_variables, 100))
    signal = sum(effects[k, levels[:, k]] for k in range(n_variables))
    labels = signal + 2 * rng.standard_normal(n_rows) > np.median(signal)
    columns = (levels + 100 * np.arange(n_variables)).astype(np.int32).ravel()
    row_ptr = np.arange(n_rows + 1, dtype=np.int32) * n_variables
    shape = (n_rows, 100 * n_variables)
    return sparse.csr_matrix((np.ones(len(columns), np.float32), columns, row_ptr), shape), labels.astype(np.float32)


def make(data: str, n_rows: int, n_cols: int, device: str) -> tuple[Any, np.ndarray]:
    """Return features and labels in host memory."""
    if data == "classes":
        return classes(n_rows)
    if data == "onehot":
        return one_hot(n_rows, n_cols)
    return dense(n_rows, n_cols, device)
