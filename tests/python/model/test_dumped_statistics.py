"""JSON dumps are valid JSON for any statistics; linear models have no table of trees."""

from __future__ import annotations

import json

import kauriboost as kb
import numpy as np
import pytest

X = np.random.default_rng(0).normal(size=(40, 2)).astype(np.float32)


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), float("nan")])
def test_statistics_that_are_not_finite_are_null(number: float) -> None:
    model = json.loads(kb.train({"max_depth": 1}, kb.DMatrix(X, X[:, 0]), 1).save_raw("json"))
    tree = model["learner"]["gradient_booster"]["model"]["trees"][0]
    tree["loss_changes"][0] = number
    booster = kb.Booster(model_file=bytearray(json.dumps(model).encode()))

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    dumped = json.loads(booster.get_dump(with_stats=True, dump_format="json")[0], parse_constant=refuse)
    assert dumped["gain"] is None
    assert np.isnan(booster.trees_to_dataframe()["Gain"][0])
    assert np.isfinite(booster.trees_to_dataframe()["Gain"][1:].astype(float)).all()


def test_a_linear_model_has_no_table_of_trees() -> None:
    booster = kb.train({"booster": "gblinear"}, kb.DMatrix(X, X[:, 0]), 2)
    with pytest.raises(ValueError, match="linear model has no trees"):
        booster.trees_to_dataframe()
