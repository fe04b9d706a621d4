"""The facts about a partition that the client knows without fetching it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from kauriboost._cluster.blocks import describe, pack
from scipy import sparse

TABLE = np.random.default_rng(1).normal(size=(60, 5)).astype(np.float32)


def column(table: np.ndarray) -> Any:
    return table[:, 3]


@pytest.mark.parametrize(
    "block",
    [
        np.ascontiguousarray,
        np.asfortranarray,
        lambda table: table[:, 1:4],  # as when a target is cut off a table
        lambda table: table[::2],
        pd.DataFrame,
        lambda table: pd.DataFrame(table).iloc[::2, 1:],
        lambda table: pd.DataFrame({"a": table[:, 0], "b": (9 * table[:, 3]).astype(int)}),
        sparse.csr_matrix,
    ],
)
def test_the_checksum_changes_where_a_number_does(block: Any) -> None:
    def digest(table: np.ndarray) -> int:
        return describe(pack(["data"], block(table))).digest

    other = TABLE.copy()
    other[40, 3] += 1
    assert digest(TABLE) == digest(TABLE.copy())
    assert digest(TABLE) != digest(other)
    labels = pack(["data", "label"], block(TABLE), np.arange(block(TABLE).shape[0]))
    assert describe(labels).digest != digest(TABLE)
