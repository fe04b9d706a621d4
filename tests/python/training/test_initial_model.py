"""Training continues from Boosters, model files and their bytes, and refuses anything else in words."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import numpy as np
import pytest

X = np.arange(20, dtype=np.float32).reshape(10, 2)


class OtherBooster:
    """A model of a library that is not ours."""


@pytest.mark.parametrize("model", [OtherBooster(), 3, {"a": 1}], ids=lambda model: type(model).__name__)
def test_training_goes_on_from_models_alone(model: Any) -> None:
    name = f"{type(model).__module__.split('.')[0]}.{type(model).__name__}"
    with pytest.raises(TypeError, match=f"xgb_model is of type {name}; expected a Booster"):
        kb.train({}, kb.DMatrix(X, label=X[:, 0]), 1, xgb_model=model)
