"""Trainings on a cluster end with the model of one process, byte for byte."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import pytest
from kauriboost import dask as kd
from problems import EVEN, RAGGED, features, spread, target

PARAMS = {"max_depth": 4, "tree_method": "hist", "subsample": 0.8, "colsample_bytree": 0.7, "seed": 7}


def raw(booster: kb.Booster) -> bytes:
    return bytes(booster.save_raw("ubj"))


def train_alone(params: dict[str, Any], X: Any, y: Any, rounds: int = 8, **how: Any) -> tuple[kb.Booster, Any]:
    data = kb.DMatrix(X, label=y)
    history: Any = {}
    booster = kb.train(params, data, rounds, evals=[(data, "train")], evals_result=history, verbose_eval=False, **how)
    return booster, history


@pytest.mark.parametrize("lengths", [(3000,), EVEN, RAGGED])
@pytest.mark.parametrize("kind", [kd.DaskDMatrix, kd.DaskQuantileDMatrix])
def test_bytes_of_one_process(client: Any, kind: Any, lengths: tuple[int, ...]) -> None:
    X, y = features(), target(features())
    booster, history = train_alone(PARAMS, X, y)
    data = kind(client, spread(X, lengths), spread(y, lengths))
    result = kd.train(client, PARAMS, data, 8, evals=[(data, "train")], verbose_eval=False)
    assert result["history"] == history
    assert raw(result["booster"]) == raw(booster)
