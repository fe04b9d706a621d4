"""Writing a file for a version of XGBoost is refused if that version would predict differently."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pytest

GENERATOR = np.random.default_rng(0)
ROWS = GENERATOR.normal(size=(200, 3)).astype(np.float32)
ROWS[:, 0] = GENERATOR.integers(0, 9, 200)
CASES = {
    "linear leaves": ({"linear_tree": 1}, None),
    "categorical_encoding=ordered": ({"categorical_encoding": "ordered"}, ["c", "q", "q"]),
    "unseen_category=missing": ({"unseen_category": "missing"}, ["c", "q", "q"]),
}


def learnt(params: dict[str, Any], types: list[str] | None) -> kb.Booster:
    data = kb.DMatrix(ROWS, label=ROWS[:, 0] % 3 + ROWS[:, 1], feature_types=types)
    return kb.train({"max_depth": 3, **params}, data, 4, verbose_eval=False)


@pytest.mark.parametrize("what", CASES)
@pytest.mark.parametrize("dialect", ["1.7", "2.1", "3.0", "3.2", "3.4"])
def test_dialects(what: str, dialect: str, tmp_path: Path) -> None:
    booster = learnt(*CASES[what])
    with pytest.raises(kb.ParameterError, match=what):
        booster.save_raw("json", dialect=dialect)
    with pytest.raises(kb.ParameterError, match=what):
        booster.save_model(tmp_path / "model.json", dialect=dialect)
    assert not list(tmp_path.iterdir())
    again = kb.Booster(model_file=booster.save_raw("json"))  # Kauri's own format represents everything
    data = kb.DMatrix(ROWS, feature_types=CASES[what][1])
    np.testing.assert_array_equal(again.predict(data), booster.predict(data))


@pytest.mark.parametrize("what", CASES)
def test_dictionaries_of_shap(what: str) -> None:
    with pytest.raises(kb.ModelError, match="SHAP's dictionaries"):
        learnt(*CASES[what]).to_shap_model()


def test_what_is_still_written_predicts_the_same() -> None:
    xgboost = pytest.importorskip("xgboost")
    for types in (None, ["c", "q", "q"]):
        booster = learnt({}, types)
        expected = booster.predict(kb.DMatrix(ROWS, feature_types=types))
        theirs = xgboost.DMatrix(ROWS, feature_types=types, enable_categorical=True)
        for dialect in ("1.7", "3.0", "3.2"):
            read = xgboost.Booster(model_file=bytearray(booster.save_raw("json", dialect=dialect)))
            np.testing.assert_allclose(read.predict(theirs), expected, rtol=1e-6, atol=1e-6)
