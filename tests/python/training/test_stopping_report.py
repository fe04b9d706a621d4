"""The message of early stopping: below the evaluations if these are shown, else in the log."""

from __future__ import annotations

import io
import logging

import kauriboost as kb
import numpy as np
import pytest
from kauriboost.callback import EarlyStopping, ProgressBar

X = np.random.default_rng(0).normal(size=(200, 3))
DATA = kb.DMatrix(X, X[:, 0])
NOISE = kb.DMatrix(X, np.random.default_rng(1).normal(size=200))
HOW = {"evals": [(DATA, "train"), (NOISE, "test")], "early_stopping_rounds": 3}
PARAMS = {"max_depth": 2, "eval_metric": ["mae", "rmse"]}


def expected(booster: kb.Booster) -> str:
    rounds = booster.best_iteration + 4
    best = f"[{booster.best_iteration}]\ttest-rmse:{booster.best_score:.6g}"
    rest = f"pass iteration_range=(0, {booster.best_iteration + 1}) for the best, as estimators do by themselves."
    return f"early stopping after {rounds} rounds; the best is {best}. Booster.predict uses all {rounds} rounds; {rest}"


@pytest.mark.parametrize("period", [1, 5])
def test_below_the_evaluations(capsys: pytest.CaptureFixture[str], period: int) -> None:
    booster = kb.train(PARAMS, DATA, 50, **HOW, verbose_eval=period, progress_bar=False)
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == expected(booster)
    assert lines[-2].startswith(f"[{booster.best_iteration + 3}]\t")


def test_below_a_progress_bar() -> None:
    stream = io.StringIO()
    stopping = EarlyStopping(rounds=3)
    actions = [stopping, ProgressBar(50, stream)]
    booster = kb.train(PARAMS, DATA, 50, evals=HOW["evals"], verbose_eval=False, callbacks=actions)
    assert stream.getvalue().splitlines()[-1] == expected(booster)
    assert stopping.stopped_after == booster.best_iteration + 4


def test_to_the_logger(caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]) -> None:
    with caplog.at_level(logging.INFO, logger="kauriboost"):
        booster = kb.train(PARAMS, DATA, 50, **HOW, verbose_eval=False)
    assert caplog.messages == [expected(booster)]
    assert capsys.readouterr().out == ""


def test_cross_validation_and_estimators(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="kauriboost"):
        found = kb.cv(PARAMS, NOISE, 50, early_stopping_rounds=2, as_pandas=False)
        kb.KauriRegressor(n_estimators=50, early_stopping_rounds=2).fit(X, X[:, 0], eval_set=[(X, -X[:, 0])])
    rounds = len(found["test-rmse-mean"])
    best = f"[{rounds - 1}]\ttest-rmse:{found['test-rmse-mean'][-1]:.6g}"
    assert caplog.messages[0] == f"early stopping after {rounds + 2} rounds; the best is {best}"
    assert caplog.messages[1].startswith("early stopping after 3 rounds; the best is [0]\tvalidation_0-rmse:")


def test_nothing_where_it_did_not_stop(caplog: pytest.LogCaptureFixture) -> None:
    stopping = EarlyStopping(rounds=30)
    with caplog.at_level(logging.INFO, logger="kauriboost"):
        kb.train(PARAMS, DATA, 4, evals=HOW["evals"], verbose_eval=False, callbacks=[stopping])
    assert caplog.messages == []
    assert (stopping.stopped_after, stopping.report()) == (None, None)
