"""Messages name columns if the data or the model have names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import kauriboost as kb
import numpy as np
import pytest

pd = pytest.importorskip("pandas")

INFINITE = pd.DataFrame({"age": [1.0, 2.0], "income": [3.0, np.inf]})
GOOD = pd.DataFrame({"age": [1.0, 2.0] * 20, "town": pd.Categorical(["A", "B", "B", "A"] * 10)})
LABELS = [0, 1, 1, 0] * 10


@pytest.mark.parametrize("kind", [kb.DMatrix, kb.QuantileDMatrix])
def test_infinite_values(kind: Any) -> None:
    with pytest.raises(kb.DataError, match=r"row 1, column 1 \('income'\) is inf as float32"):
        kind(INFINITE)
    with pytest.raises(kb.DataError, match=r"row 1, column 1 \('b'\) is inf"):
        kind(INFINITE.to_numpy(), feature_names=["a", "b"])
    with pytest.raises(kb.DataError, match="row 1, column 1 is inf"):
        kind(INFINITE.to_numpy())


def test_batches() -> None:
    class Batches(kb.DataIter):
        given = False

        def next(self, input_data: Callable[..., None]) -> bool:
            if not self.given:
                input_data(data=INFINITE)
            self.given, more = True, not self.given
            return more

        def reset(self) -> None:
            self.given = False

    with pytest.raises(kb.DataError, match=r"column 1 \('income'\) is inf"):
        kb.QuantileDMatrix(Batches())


def test_a_model_names_its_columns() -> None:
    model = kb.train({"unseen_category": "error"}, kb.DMatrix(GOOD, LABELS), 1)
    numbers = GOOD.assign(town=pd.Categorical([1, 2] * 20))
    for predict in (model.inplace_predict, lambda rows: model.predict(kb.DMatrix(rows))):
        with pytest.raises(kb.DataError, match=r"categories of column 1 \('town'\) are integers"):
            predict(numbers)
        with pytest.raises(kb.DataError, match=r"row 0 of column 1 \('town'\) has the category 'C'"):
            predict(GOOD.assign(town=pd.Categorical(["C", "A"] * 20)))
    with pytest.raises(kb.ParameterError, match=r"monotone_constraints has 1 for feature 1 \('town'\)"):
        kb.train({"monotone_constraints": "(1,1)"}, kb.DMatrix(GOOD, LABELS), 1)


def test_names_are_added_once_and_to_what_is_there() -> None:
    model = kb.train({}, kb.DMatrix(GOOD, LABELS), 1)
    with pytest.raises(kb.DataError, match=r"column 1 \('town'\) holds categories in the model, but numbers"):
        model.inplace_predict(GOOD.assign(town=[1, 2] * 20))
