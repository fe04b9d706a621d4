"""Small frames for Spark, and the same rows in pandas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

N_ROWS = 2600  # rows are dealt to workers in blocks of 1024
NUMBERS = [f"x{i}" for i in range(4)]


def spark_home(folder: Path) -> str:
    """Return a folder with links to the parts of Spark, in which the cluster leaves the files of its workers."""
    import pyspark

    for part in Path(pyspark.__file__).parent.iterdir():
        if part.name != "work":
            (folder / part.name).symlink_to(part)
    return str(folder)


def rows(n_rows: int = N_ROWS, seed: int = 3) -> pd.DataFrame:
    """Return numbers, texts with missing values, a label, weights, queries and a mark of held-out rows."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 4)).astype(np.float32)
    frame = pd.DataFrame(dict(zip(NUMBERS, X.T)))
    words = np.array(["ash", "birch", "cedar", "zelkova", "élan"], dtype=object)
    frame["tree"] = words[rng.integers(0, 5, n_rows)]
    frame.loc[rng.random(n_rows) < 0.1, "tree"] = None
    frame["score"] = (X[:, 0] + X[:, 1] * X[:, 2] + (frame["tree"] == "cedar") + rng.normal(size=n_rows)).astype(float)
    frame["label"] = (frame["score"] > 0).astype(float)
    frame["weight"] = rng.random(n_rows).astype(np.float32)
    frame["query"] = rng.integers(0, 200, n_rows)
    frame["held"] = rng.random(n_rows) < 0.25
    return frame


def in_pieces(session: Any, frame: pd.DataFrame, lengths: list[int]) -> Any:
    """Return a frame of Spark with these partitions."""
    ends = np.cumsum(lengths)
    assert ends[-1] == len(frame)
    parts = [frame.iloc[end - length : end] for end, length in zip(ends, lengths)]
    schema = session.createDataFrame(frame.head(1)).schema
    slices = session.sparkContext.parallelize(
        [part.astype(object).where(part.notna(), None) for part in parts], len(parts)
    )
    return session.createDataFrame(slices.flatMap(lambda part: part.itertuples(index=False, name=None)), schema)
