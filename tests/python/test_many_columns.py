"""Messages about tables of many columns name at most ten of them, and the number of the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest

N_ROWS = 60
AMOUNTS = np.random.default_rng(5).normal(size=N_ROWS)
WIDE = pd.DataFrame(np.ones((N_ROWS, 400), dtype=np.float32), columns=[f"number_{i}" for i in range(400)])
LONGEST = 700  # characters


def wide_booster() -> kb.Booster:
    return kb.train({}, kb.DMatrix(WIDE, label=AMOUNTS), 1)


MANY_COLUMNS: dict[str, tuple[Callable[[], Any], list[str]]] = {
    "monotone constraint": (
        lambda: kb.train({"monotone_constraints": {"foo": 1}}, kb.DMatrix(WIDE, label=AMOUNTS), 1),
        ["'foo'", "'number_9' and 390 more"],
    ),
    "interaction constraint": (
        lambda: kb.train({"interaction_constraints": [["foo"]]}, kb.DMatrix(WIDE, label=AMOUNTS), 1),
        ["'foo'", "and 390 more"],
    ),
    "objects": (lambda: kb.DMatrix(WIDE.astype(object)), ["number_9 (object) and 390 more"]),
    "explained feature": (lambda: kb.explain(wide_booster(), WIDE, features=["foo"]), ["'foo'", "and 390 more"]),
    "drawn feature": (
        lambda: kb.plot_dependence(kb.explain(wide_booster(), WIDE), "foo"),
        ["'foo'", "and 390 more"],
    ),
    "other names": (
        lambda: wide_booster().predict(kb.DMatrix(WIDE.add_prefix("x"))),
        ["Lacking: 'number_0'", "unknown: 'xnumber_0'", "and 390 more"],
    ),
    "no names": (lambda: wide_booster().predict(kb.DMatrix(WIDE.to_numpy())), ["no feature names", "and 390 more"]),
}


@pytest.mark.parametrize("case", MANY_COLUMNS)
def test_at_most_ten_columns_are_named(case: str) -> None:
    call, parts = MANY_COLUMNS[case]
    with pytest.raises(ValueError, match="number_0") as refused:
        call()
    message = str(refused.value)
    assert all(part in message for part in parts), message
    assert len(message) < LONGEST
