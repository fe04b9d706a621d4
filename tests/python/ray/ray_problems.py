"""Small datasets for Ray, and the same rows in pandas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

N_ROWS = 1300
NUMBERS = [f"x{i}" for i in range(4)]
FEATURES = [*NUMBERS, "tree", "size"]


def rows(n_rows: int = N_ROWS, seed: int = 3) -> pd.DataFrame:
    """Return numbers, texts with missing values, categories, labels, weights and queries."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 4)).astype(np.float32)
    X[rng.random(X.shape) < 0.05] = np.nan
    frame = pd.DataFrame(dict(zip(NUMBERS, X.T)))
    words = np.array(["ash", "birch", "cedar", "zelkova", "élan"], dtype=object)
    frame["tree"] = words[rng.integers(0, 5, n_rows)]
    frame.loc[rng.random(n_rows) < 0.1, "tree"] = None
    sizes = rng.integers(0, 3, n_rows)
    frame["size"] = pd.Categorical.from_codes(sizes, ["small", "large", "huge"])
    Z = np.nan_to_num(X)
    frame["score"] = Z[:, 0] + Z[:, 1] * Z[:, 2] + (frame["tree"] == "cedar") + sizes + rng.normal(size=n_rows)
    frame["label"] = (frame["score"] > 1).astype(float)
    frame["other"] = -frame["label"] + Z[:, 3]
    frame["weight"] = rng.random(n_rows).astype(np.float32)
    frame["query"] = np.sort(rng.integers(0, 90, n_rows))
    return frame


def table_of(frame: pd.DataFrame) -> pa.Table:
    return pa.Table.from_pandas(frame, preserve_index=False)


def in_blocks(frame: pd.DataFrame, lengths: list[int]) -> Any:
    """Return a dataset of Ray with blocks of these lengths."""
    import ray

    ends = np.cumsum(lengths)
    assert ends[-1] == len(frame)
    table = table_of(frame)
    return ray.data.from_arrow([table.slice(end - length, length) for end, length in zip(ends, lengths)])


def in_order(dataset: Any) -> pd.DataFrame:
    """Return the rows of a dataset in its order. Otherwise Ray returns blocks as they are ready."""
    dataset.context.execution_options.preserve_order = True
    frame: pd.DataFrame = dataset.to_pandas()
    return frame
