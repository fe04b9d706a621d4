"""Callbacks: early stopping, schedules, printed output, checkpoints, and custom ones."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

import numpy as np
import xgboost as xgb
from scenarios.support.data import binary, regression
from scenarios.support.models import SMALL
from scenarios.support.scenario import EQUAL, caught, close, scenario

PARAMS = {**SMALL, "objective": "binary:logistic", "eval_metric": ["error", "logloss"], "eta": 0.8}


def _parts() -> tuple[xgb.DMatrix, xgb.DMatrix]:
    features, labels = binary()
    return xgb.DMatrix(features[:200], labels[:200]), xgb.DMatrix(features[200:], labels[200:])


def _stopped(rounds: int = 60, **options: Any) -> object:
    train, held = _parts()
    booster = xgb.train(PARAMS, train, rounds, evals=[(train, "train"), (held, "held")], verbose_eval=False, **options)
    rounds_and_best = [booster.num_boosted_rounds(), booster.best_iteration, booster.best_score]
    return [*rounds_and_best, sorted(booster.attributes()), booster.predict(held)]


# ---- early stopping --------------------------------------------------------------------------------------------------


@scenario(close())
def stopping_early() -> object:
    return _stopped(early_stopping_rounds=5)


@scenario(close())
def stopping_early_and_keeping_the_best() -> object:
    return _stopped(callbacks=[xgb.callback.EarlyStopping(rounds=5, save_best=True)])


@scenario(close())
def stopping_on_one_metric_of_one_set() -> object:
    stop = xgb.callback.EarlyStopping(rounds=3, metric_name="error", data_name="train")
    return _stopped(callbacks=[stop])


@scenario(close())
def stopping_where_little_is_gained() -> object:
    return _stopped(callbacks=[xgb.callback.EarlyStopping(rounds=2, min_delta=0.02)])


@scenario(close())
def stopping_on_what_grows() -> object:
    train, held = _parts()
    stop = xgb.callback.EarlyStopping(rounds=3, maximize=True, metric_name="auc")
    params = {**PARAMS, "eval_metric": "auc"}
    booster = xgb.train(params, train, 40, evals=[(held, "held")], callbacks=[stop], verbose_eval=False)
    return [booster.best_iteration, booster.best_score]


@scenario(EQUAL)
def stopping_without_data() -> object:
    train, _ = _parts()
    return caught("at least 1 validation dataset", lambda: xgb.train(PARAMS, train, 3, early_stopping_rounds=2))


@scenario(EQUAL)
def stopping_on_an_unknown_metric() -> object:
    train, held = _parts()
    stop = xgb.callback.EarlyStopping(rounds=3, metric_name="nope")
    return caught("", lambda: xgb.train(PARAMS, train, 3, evals=[(held, "held")], callbacks=[stop]))["raised"]


@scenario(close())
def stopping_in_cross_validation() -> object:
    history = xgb.cv(PARAMS, xgb.DMatrix(*binary()), 40, nfold=3, early_stopping_rounds=3, as_pandas=False, seed=1)
    return len(history["test-logloss-mean"]) < 40


# ---- learning rates --------------------------------------------------------------------------------------------------


def _scheduled(rates: Any) -> object:
    features, labels = regression()
    data = xgb.DMatrix(features, labels)
    scheduler = xgb.callback.LearningRateScheduler(rates)
    return xgb.train(SMALL, data, 4, callbacks=[scheduler]).predict(data)


@scenario(close())
def rates_from_a_list() -> object:
    return _scheduled([0.8, 0.4, 0.2, 0.1])


@scenario(close())
def rates_from_a_function() -> object:
    return _scheduled(lambda round_: 0.5 * 0.5**round_)


@scenario(close())
def rates_of_nothing() -> object:
    return _scheduled([0.3, 0.0, 0.0, 0.3])


# ---- printed output --------------------------------------------------------------------------------------------------


def _printed(**options: Any) -> list[str]:
    train, held = _parts()
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        xgb.train({**PARAMS, "eval_metric": "error"}, train, 7, evals=[(train, "train"), (held, "held")], **options)
    return out.getvalue().splitlines()


@scenario(EQUAL)
def printed_each_round() -> object:
    return _printed()


@scenario(EQUAL)
def printed_now_and_then() -> object:
    return _printed(verbose_eval=3)


@scenario(EQUAL)
def printed_never() -> object:
    return _printed(verbose_eval=False)


@scenario(EQUAL)
def printed_by_a_monitor() -> object:
    return _printed(callbacks=[xgb.callback.EvaluationMonitor(period=2)], verbose_eval=False)


# ---- checkpoints -----------------------------------------------------------------------------------------------------


def _checkpoints(**options: Any) -> object:
    Path("kept").mkdir()
    check = xgb.callback.TrainingCheckPoint(directory="kept", name="model", **options)
    train, _ = _parts()
    xgb.train(PARAMS, train, 6, callbacks=[check])
    return sorted(path.name for path in Path("kept").iterdir())


@scenario(EQUAL)
def checkpoints() -> object:
    return _checkpoints(interval=2)


@scenario(EQUAL)
def checkpoints_as_pickles() -> object:
    return _checkpoints(interval=3, as_pickle=True)


@scenario(EQUAL)
def checkpoints_that_can_be_read() -> object:
    _checkpoints(interval=2)
    return [xgb.Booster(model_file=path).num_boosted_rounds() for path in sorted(Path("kept").iterdir())]


# ---- users' own ------------------------------------------------------------------------------------------------------


class Diary(xgb.callback.TrainingCallback):
    """Records its calls, and may stop."""

    def __init__(self, stop_at: int) -> None:
        self.notes: list[object] = []
        self.stop_at = stop_at

    def before_training(self, model: Any) -> Any:
        self.notes.append(("begins", model.num_boosted_rounds()))
        return model

    def before_iteration(self, model: Any, epoch: int, evals_log: dict) -> bool:
        self.notes.append(("before", epoch, sorted(evals_log)))
        return False

    def after_iteration(self, model: Any, epoch: int, evals_log: dict) -> bool:
        self.notes.append(("after", epoch, model.num_boosted_rounds(), {k: sorted(v) for k, v in evals_log.items()}))
        return epoch == self.stop_at

    def after_training(self, model: Any) -> Any:
        self.notes.append(("ends", model.num_boosted_rounds()))
        return model


@scenario(EQUAL)
def order_of_calls() -> object:
    train, held = _parts()
    diary = Diary(stop_at=2)
    xgb.train(PARAMS, train, 6, evals=[(held, "held")], callbacks=[diary], verbose_eval=False)
    return diary.notes


@scenario(close())
def a_callback_that_changes_parameters() -> object:
    class Deeper(xgb.callback.TrainingCallback):
        def before_iteration(self, model: Any, epoch: int, evals_log: dict) -> bool:
            model.set_param({"max_depth": epoch + 1})
            return False

    features, labels = regression()
    booster = xgb.train(SMALL, xgb.DMatrix(features, labels), 4, callbacks=[Deeper()])
    return [booster.predict(xgb.DMatrix(features)), [text.count("leaf") for text in booster.get_dump()]]


@scenario(close())
def callbacks_of_an_estimator() -> object:
    features, labels = binary()
    stop = xgb.callback.EarlyStopping(rounds=3, metric_name="logloss", save_best=True)
    model = xgb.XGBClassifier(n_estimators=50, max_depth=3, eval_metric=["error", "logloss"], callbacks=[stop])
    model.fit(features[:200], labels[:200], eval_set=[(features[200:], labels[200:])], verbose=False)
    return [
        model.best_iteration,
        model.best_score,
        model.get_booster().num_boosted_rounds(),
        np.array(model.predict(features)),
    ]
