"""Callbacks of any class that has the methods: of XGBoost, of its companions, and of users."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pytest

PARAMS: dict[str, Any] = {"max_depth": 2, "eta": 0.3, "nthread": 1}


def data() -> kb.DMatrix:
    X = np.random.default_rng(0).normal(size=(200, 3)).astype(np.float32)
    return kb.DMatrix(X, label=X[:, 0])


class Recorder:
    """Has all methods of a callback, and no base class."""

    def __init__(self, stop_after: int = 100) -> None:
        self.seen: list[str] = []
        self.stop_after = stop_after

    def before_training(self, model: Any) -> Any:
        self.seen.append("begin")
        return model

    def before_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
        self.seen.append(f"before {epoch}")
        return False

    def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> Any:
        self.seen.append(f"after {epoch}")
        return np.bool_(epoch + 1 >= self.stop_after)

    def after_training(self, model: Any) -> Any:
        self.seen.append("end")
        return model


class Values:
    """Has one method, which returns nothing, and a member that is called as a method of ours."""

    state = "running"

    def __init__(self) -> None:
        self.values: list[Any] = []

    def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> None:
        self.values.append(next(iter(evals_log["train" if "train" in evals_log else "validation_0"].values()))[-1])


class Counter:
    """Keeps a state in checkpoints."""

    def __init__(self) -> None:
        self.count = 0

    def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
        self.count += 1
        return False

    def state(self) -> int:
        return self.count

    def restore(self, state: int) -> None:
        self.count = state


def test_each_method_runs_at_its_time() -> None:
    recorder = Recorder(stop_after=2)
    booster = kb.train(PARAMS, data(), 5, callbacks=[recorder])
    assert recorder.seen == ["begin", "before 0", "after 0", "before 1", "after 1", "end"]
    assert booster.num_boosted_rounds() == 2


def test_one_method_is_enough_at_every_door() -> None:
    matrix = data()
    trained, crossed, estimated = Values(), Values(), Values()
    log: dict[str, Any] = {}
    kb.train(PARAMS, matrix, 4, evals=[(matrix, "train")], evals_result=log, verbose_eval=False, callbacks=[trained])
    assert trained.values == log["train"]["rmse"]
    table = kb.cv(PARAMS, matrix, 4, callbacks=[crossed], as_pandas=False)
    assert [value for value, _deviation in crossed.values] == table["train-rmse-mean"]
    X, y = matrix.get_data().toarray(), matrix.get_label()
    model = kb.KauriRegressor(n_estimators=4, callbacks=[estimated]).fit(X, y, eval_set=[(X, y)])
    assert estimated.values == model.evals_result()["validation_0"]["rmse"]


def test_its_state_is_in_checkpoints(tmp_path: Path) -> None:
    first, second = Counter(), Counter()
    saving = kb.callback.TrainingCheckPoint(tmp_path, interval=1)
    kb.train(PARAMS, data(), 3, callbacks=[first, saving])
    going_on = kb.callback.TrainingCheckPoint(tmp_path, interval=1, resume=True)
    kb.train(PARAMS, data(), 5, callbacks=[second, going_on])
    assert second.count == 5


def test_the_model_that_it_returns_is_taken() -> None:
    class Cut:
        def after_training(self, model: Any) -> Any:
            return model[:2]

    class Forgetful:
        def before_training(self, model: Any) -> None:
            return None

    assert kb.train(PARAMS, data(), 5, callbacks=[Cut()]).num_boosted_rounds() == 2
    with pytest.raises(TypeError, match=r"Forgetful\.before_training must return the booster, not NoneType"):
        kb.train(PARAMS, data(), 5, callbacks=[Forgetful()])


@pytest.mark.parametrize(
    ("callback", "words"),
    [
        (print, r"one of its methods \(before_training, .*\); builtin_function_or_method does not"),
        (Recorder, r"callbacks must be objects, not classes; pass Recorder\(\.\.\.\)"),
        (kb.callback.EarlyStopping, r"pass EarlyStopping\(\.\.\.\)"),
        ("stop", "str does not"),
    ],
)
def test_what_is_no_callback(callback: Any, words: str) -> None:
    for call in (kb.train, kb.cv):
        with pytest.raises(TypeError, match=words):
            call(PARAMS, data(), 2, callbacks=[callback])


# ---- XGBoost's own ----


def test_callbacks_of_xgboost() -> None:
    callbacks = pytest.importorskip("xgboost.callback")
    matrix = data()
    how: dict[str, Any] = {"evals": [(matrix, "train")], "verbose_eval": False}
    lines: list[str] = []
    monitor = callbacks.EvaluationMonitor(logger=lines.append)
    rates = callbacks.LearningRateScheduler(lambda epoch: 0.5 / (epoch + 1))
    booster = kb.train(PARAMS, matrix, 4, callbacks=[monitor, rates], **how)
    # XGBoost's sets the rate after each round, for the next one
    ours = kb.callback.LearningRateScheduler([PARAMS["eta"], 0.5, 0.5 / 2, 0.5 / 3])
    assert booster.save_raw() == kb.train(PARAMS, matrix, 4, callbacks=[ours], **how).save_raw()
    assert len(lines) == 4
    assert "train-rmse" in lines[0]

    noise = kb.DMatrix(matrix.get_data(), label=np.random.default_rng(1).normal(size=200))
    how = {"evals": [(noise, "noise")], "verbose_eval": False}
    theirs = kb.train(PARAMS, matrix, 40, callbacks=[callbacks.EarlyStopping(rounds=3)], **how)
    ours_best = kb.train(PARAMS, matrix, 40, callbacks=[kb.callback.EarlyStopping(rounds=3)], **how)
    assert theirs.num_boosted_rounds() == ours_best.num_boosted_rounds() < 40
    assert theirs.best_iteration == ours_best.best_iteration


def test_a_subclass_of_xgboosts_base() -> None:
    base = pytest.importorskip("xgboost.callback").TrainingCallback

    class Report(base):  # type: ignore[misc, valid-type]
        def __init__(self) -> None:
            super().__init__()
            self.reported: list[float] = []

        def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
            self.reported.append(evals_log["train"]["rmse"][-1])
            return False

    report, matrix = Report(), data()
    kb.train(PARAMS, matrix, 3, evals=[(matrix, "train")], verbose_eval=False, callbacks=[report])
    assert len(report.reported) == 3


# ---- tools that follow a training ----


def test_tracking_tools_read_the_model(tmp_path: Path) -> None:
    """Check what callbacks of wandb and Ray do: log the configuration and evaluations, save the model at the end."""

    class Tracker:
        def __init__(self) -> None:
            self.logged: dict[str, Any] = {}

        def before_training(self, model: Any) -> Any:
            self.logged["config"] = json.loads(model.save_config())["learner"]["objective"]["name"]
            return model

        def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
            for name, metrics in evals_log.items():
                self.logged.update({f"{name}-{metric}": values[-1] for metric, values in metrics.items()})
            model.save_model(str(tmp_path / f"{epoch}.ubj"))
            return False

        def after_training(self, model: Any) -> Any:
            self.logged["importance"] = model.get_score(importance_type="gain")
            self.logged["best"] = (model.attr("best_iteration"), model.best_score)
            return model

    tracker, matrix = Tracker(), data()
    how: dict[str, Any] = {"evals": [(matrix, "train")], "verbose_eval": False, "early_stopping_rounds": 2}
    booster = kb.train(PARAMS, matrix, 3, callbacks=[tracker], **how)
    assert tracker.logged["config"] == "reg:squarederror"
    assert tracker.logged["best"] == ("2", tracker.logged["train-rmse"])
    assert tracker.logged["importance"] == booster.get_score(importance_type="gain")
    assert kb.Booster(model_file=tmp_path / "1.ubj").num_boosted_rounds() == 2


def prune_some_trials(pruning: Any) -> None:
    """Run a study whose trials train with the callback ``pruning(trial)``; check that some end early."""
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    matrix = data()

    def objective(trial: Any) -> float:
        log: dict[str, Any] = {}
        setting = {**PARAMS, "eta": trial.suggest_float("eta", 1e-6, 0.5)}
        how: dict[str, Any] = {"evals": [(matrix, "train")], "evals_result": log, "verbose_eval": False}
        kb.train(setting, matrix, 8, callbacks=[pruning(trial)], **how)
        return float(log["train"]["rmse"][-1])

    pruner = optuna.pruners.MedianPruner(n_startup_trials=2)
    study = optuna.create_study(pruner=pruner, sampler=optuna.samplers.RandomSampler(seed=1))
    study.optimize(objective, n_trials=12)
    states = optuna.trial.TrialState
    assert {trial.state for trial in study.trials} == {states.COMPLETE, states.PRUNED}


def test_a_pruning_callback_of_ones_own_for_optuna() -> None:
    optuna = pytest.importorskip("optuna")

    class Pruning:
        def __init__(self, trial: Any) -> None:
            self.trial = trial

        def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> None:
            self.trial.report(evals_log["train"]["rmse"][-1], epoch)
            if self.trial.should_prune():
                raise optuna.TrialPruned

    prune_some_trials(Pruning)


def test_optunas_pruning_callback() -> None:
    pytest.importorskip("optuna_integration")
    program = """
        import kauriboost as kb
        kb.install_as_xgboost()
        from optuna_integration import XGBoostPruningCallback
        from test_foreign_callbacks import prune_some_trials
        prune_some_trials(lambda trial: XGBoostPruningCallback(trial, "train-rmse"))
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True, cwd=Path(__file__).parent)
