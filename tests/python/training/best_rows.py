"""Training rows for tests of `fit_best`: a product of two columns with noise, a tenth of the values missing."""

from __future__ import annotations

from typing import Any

import numpy as np

RNG = np.random.default_rng(5)
X = RNG.normal(size=(600, 5)).astype(np.float32)
X[RNG.random(X.shape) < 0.1] = np.nan
Y = (np.nan_to_num(X[:, 0] * X[:, 1]) + RNG.normal(scale=0.5, size=600)).astype(np.float32)
CLASSES = np.digitize(Y, [-0.7, 0.7])
FEW: dict[str, Any] = {"rounds_budget": 60, "nfold": 3}
