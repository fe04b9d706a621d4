"""Known functions as teachers of `distill`, and rows for them."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd

RNG = np.random.default_rng(3)
X = RNG.normal(size=(500, 4))
NEW = RNG.normal(size=(400, 4))
FEW: dict[str, Any] = {"n_synthetic": 2000, "rounds": 60}
NAMES = np.array(["ape", "bee", "cat"])


def numbers(rows: Any) -> np.ndarray:
    """Return a known function of rows."""
    values = np.asarray(rows, dtype=float)
    return 3 * np.sin(2 * values[:, 0]) + values[:, 1] * values[:, 2] + 5


def chances(rows: Any) -> np.ndarray:
    """Return known probabilities of three classes."""
    values = np.asarray(rows, dtype=float)
    powers = np.exp(np.column_stack([values[:, 0], values[:, 1], values[:, 2] * values[:, 3]]))
    return powers / powers.sum(axis=1, keepdims=True)


def second(rows: Any) -> np.ndarray:
    """Return known probabilities of the second of two classes."""
    values = np.asarray(rows, dtype=float)
    return 1 / (1 + np.exp(-2 * values[:, 0] * values[:, 1]))


class Named:
    """A teacher in the manner of scikit-learn; counts its calls and rows."""

    classes_ = NAMES

    def __init__(self) -> None:
        self.calls: list[int] = []

    def predict_proba(self, rows: Any) -> np.ndarray:
        self.calls.append(len(rows))
        return chances(rows)

    def predict(self, rows: Any) -> np.ndarray:
        return NAMES[chances(rows).argmax(axis=1)]


def r2(predicted: np.ndarray, truth: np.ndarray) -> float:
    return float(1 - np.mean((predicted - truth) ** 2) / np.var(truth))


def divergence(predicted: np.ndarray, truth: np.ndarray) -> float:
    return float(np.mean((truth * np.log(truth / predicted)).sum(axis=1)))


def raw(found: kb.Distilled) -> bytes:
    return bytes(found.booster.save_raw())


def frame(n_rows: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "a": rng.normal(size=n_rows),
            "n": pd.Series(rng.integers(0, 9, n_rows), dtype="Int32").mask(rng.random(n_rows) < 0.2),
            "c": pd.Categorical(rng.choice(["x", "y", "z"], n_rows), categories=["z", "y", "x", "never"]),
            "t": rng.choice(["low", "high"], n_rows),
        }
    )


def of_frame(rows: pd.DataFrame) -> np.ndarray:
    effect = rows["c"].astype(str).map({"x": 0.0, "y": 2.0, "z": -2.0}).to_numpy(dtype=float)
    number = rows["n"].astype(float).fillna(20.0).to_numpy()
    return effect * (rows["t"] == "low").to_numpy() + rows["a"].to_numpy() + number / 10


def broken(values: Any) -> Any:
    """Return a teacher whose results depend on the number of rows alone."""
    return lambda rows: values(len(rows))
