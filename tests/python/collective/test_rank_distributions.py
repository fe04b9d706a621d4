"""Objectives of whole distributions on several ranks: the bytes and the digits of one process."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from kauriboost.collective import Collective, rows_in_order_of_ranks
from test_thread_ranks import run_ranks

N_ROWS = 9000  # more than two blocks of sums, so that ranks cut blocks


def rows() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return features, whole labels above 0, which every family has, and weights."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(N_ROWS, 3)).astype(np.float32)
    y = (1 + rng.poisson(np.exp(0.5 * X[:, 0]))).astype(np.float32)
    return X, y, rng.random(N_ROWS).astype(np.float32)


def trained(name: str, collective: Collective | None, n_ranks: int) -> tuple[bytes, Any]:
    """Train on the rows of this rank; of three ranks, the last has none."""
    X, y, weights = rows()
    bounds = np.linspace(0, N_ROWS, max(n_ranks - 1, 1) + 1).astype(int).tolist() if n_ranks > 2 else [0, 3100, N_ROWS]
    bounds = [0, N_ROWS] if n_ranks == 1 else [*bounds, N_ROWS] if n_ranks > 2 else bounds
    rank = 0 if collective is None else collective.rank
    part = slice(bounds[rank], bounds[rank + 1])
    data = kb.DMatrix(X[part], label=y[part], weight=weights[part])
    if collective is not None:
        data.set_info(global_rows=rows_in_order_of_ranks(collective, part.stop - part.start))
    history: Any = {}
    params = {"objective": f"dist:{name}", "max_depth": 3, "nthread": 1, "eval_metric": ["nll", "crps"]}
    how = {"evals": [(data, "rows")], "evals_result": history, "verbose_eval": False, "collective": collective}
    booster = kb.train(params, data, 3, **how)
    return bytes(booster.save_raw()), history


@pytest.mark.parametrize("name", kb.Distribution.names())
def test_ranks_learn_the_model_of_one_process(name: str) -> None:
    alone = trained(name, None, 1)
    for n_ranks in (1, 2, 3):
        assert run_ranks(n_ranks, lambda one, n=n_ranks: trained(name, one, n)) == [alone] * n_ranks
