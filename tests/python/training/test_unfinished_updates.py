"""process_type=update: copies made during the update, and models that have not updated all of their rounds."""

from __future__ import annotations

import copy
import logging
import pickle

import kauriboost as kb
import numpy as np
import pytest

RNG = np.random.default_rng(3)
X = RNG.normal(size=(200, 3)).astype(np.float32)
DATA = kb.DMatrix(X, label=X[:, 0] + X[:, 1] ** 2)
OTHER = kb.DMatrix(X[:50], label=X[:50, 0])
REFRESH = {"process_type": "update", "updater": "refresh", "refresh_leaf": 1}


@pytest.fixture(scope="module")
def model() -> kb.Booster:
    return kb.train({"max_depth": 3}, DATA, 6, verbose_eval=False)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda booster: pickle.loads(pickle.dumps(booster))])
@pytest.mark.parametrize("done", [1, 4, 6])
def test_copies_go_on_in_the_middle(copied: object, done: int, model: kb.Booster) -> None:
    booster = kb.Booster(REFRESH, model_file=model)
    for i in range(done):
        booster.update(OTHER, i)
    twin = copied(booster)  # type: ignore[operator]
    assert bytes(twin.save_raw()) == bytes(booster.save_raw())
    for i in range(done, 6):
        for each in (booster, twin):
            each.update(OTHER, i)
    assert twin.num_boosted_rounds() == 6
    assert bytes(twin.save_raw()) == bytes(booster.save_raw())
    for each in (booster, twin):
        with pytest.raises(kb.ParameterError, match="has changed all 6 rounds"):
            each.update(OTHER, 6)


def test_snapshots_are_small_again_after_an_update(model: kb.Booster) -> None:
    refitted = kb.refit(model, OTHER)
    assert len(pickle.dumps(refitted)) < 1.3 * len(pickle.dumps(model))


def test_a_snapshot_cut_short_is_refused(model: kb.Booster) -> None:
    booster = kb.Booster(REFRESH, model_file=model)
    booster.update(OTHER, 0)
    snapshot = bytes(booster._serialize())
    for length in range(0, len(snapshot), 97):
        with pytest.raises(kb.KauriError):
            kb.Booster()._unserialize(snapshot[:length])


def test_lost_rounds_are_said(model: kb.Booster, caplog: pytest.LogCaptureFixture) -> None:
    words = "process_type=update has changed 2 of the model's 6 rounds"
    with caplog.at_level(logging.WARNING, "kauriboost"):
        assert kb.train(REFRESH, OTHER, 2, xgb_model=model, verbose_eval=False).num_boosted_rounds() == 2
    assert caplog.text.count(words) == 1
    caplog.clear()
    booster = kb.Booster(REFRESH, model_file=model)
    for i in range(2):
        booster.update(OTHER, i)
    booster.set_param({"process_type": "default", "updater": ""})
    booster.update(OTHER, 2)
    assert caplog.text.count(words) == 1
    caplog.clear()
    kb.train(REFRESH, OTHER, 6, xgb_model=model, verbose_eval=False)
    kb.train(REFRESH, OTHER, 2, xgb_model=model[:2], verbose_eval=False)
    assert "process_type=update" not in caplog.text


def test_lost_rounds_are_said_of_files(model: kb.Booster, tmp_path: object, caplog: pytest.LogCaptureFixture) -> None:
    booster = kb.Booster(REFRESH, model_file=model)
    booster.update(OTHER, 0)
    booster.save_model(f"{tmp_path}/model.ubj")
    assert "has changed 1 of the model's 6 rounds" in caplog.text
