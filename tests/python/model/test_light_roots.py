"""A root without splits and with a hessian below min_child_weight predicts 0, for scalar and vector leaves."""

from __future__ import annotations

import kauriboost as kb
import numpy as np
import pytest

X = np.zeros((2, 1), dtype=np.float32)
Y = np.array([[1.0, 2.0], [0.0, 1.0]], dtype=np.float32)


@pytest.mark.parametrize("strategy", ["one_output_per_tree", "multi_output_tree"])
@pytest.mark.parametrize(("least", "second"), [(1, 7 / 6), (2, 7 / 6), (3, 0.5), (10, 0.5)])
def test_trees_of_numbers_and_of_vectors_agree(strategy: str, least: float, second: float) -> None:
    params = {"multi_strategy": strategy, "tree_method": "hist", "base_score": 0.5, "eta": 1, "min_child_weight": least}
    booster = kb.train(params, kb.DMatrix(X, label=Y), 1, verbose_eval=False)
    np.testing.assert_allclose(booster.predict(kb.DMatrix(X)), [[0.5, second]] * 2, rtol=1e-6)
