"""Schedules, time budgets, resuming from checkpoints, the direction of metrics."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import kauriboost as kb
import numpy as np
import pytest
import xgboost
from kauriboost.callback import (
    EarlyStopping,
    LearningRateScheduler,
    MaxTime,
    TrainingCallback,
    TrainingCheckPoint,
)

Table = tuple[np.ndarray, np.ndarray]
QUIET = {"verbose_eval": False}
PARAMS = {"objective": "binary:logistic", "max_depth": 3, "eta": 0.5, "subsample": 0.7}


def matrices(table: Table) -> tuple[kb.DMatrix, list]:
    X, y = table
    train, test = kb.DMatrix(X[:300], label=y[:300]), kb.DMatrix(X[300:], label=y[300:])
    return train, [(train, "train"), (test, "test")]


# ---- schedules and time ----


@pytest.mark.parametrize("method", ["exact", "hist"])
def test_schedule_equals_setting_eta_by_hand(binary: Table, method: str) -> None:
    rates = [0.5, 0.1, 1 / 3, 0.7, 0.05]
    params = {**PARAMS, "tree_method": method}
    train, evals = matrices(binary)
    by_hand = kb.Booster({**params}, [train])
    for i, rate in enumerate(rates):
        by_hand.set_param("eta", rate)
        by_hand.update(train, i)
    chained = None
    for rate in rates:
        chained = kb.train({**params, "eta": rate}, train, 1, xgb_model=chained, **QUIET)
    for schedule in (rates, tuple(rates), lambda epoch: rates[epoch]):
        how = {"evals": evals, "callbacks": [LearningRateScheduler(schedule)]}
        model = kb.train(params, train, 5, **how, **QUIET)
        assert model.save_raw() == by_hand.save_raw() == chained.save_raw()


def test_bad_schedules(binary: Table) -> None:
    train, _ = matrices(binary)
    with pytest.raises(TypeError, match="float"):
        LearningRateScheduler(0.1)
    with pytest.raises(ValueError, match="2 learning rates, none for round 2"):
        kb.train(PARAMS, train, 3, callbacks=[LearningRateScheduler([0.1, 0.2])], **QUIET)
    with pytest.raises(kb.ParameterError, match="learning_rate"):
        kb.train(PARAMS, train, 1, callbacks=[LearningRateScheduler([-1])], **QUIET)


class Slow(TrainingCallback):
    def before_iteration(self, model: kb.Booster, epoch: int, evals_log: dict) -> bool:
        time.sleep(0.02)
        return False


def test_time_budget(binary: Table, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    train, _ = matrices(binary)
    limit = MaxTime(0.1)
    saver = TrainingCheckPoint(tmp_path, interval=10**6, resume=True)
    model = kb.train(PARAMS, train, 10**6, callbacks=[Slow(), limit, saver], **QUIET)
    n = model.num_boosted_rounds()
    assert 1 <= n == limit.stopped_after <= 6
    assert f"stopped after {n} rounds: 0.1 seconds" in caplog.text
    assert model.save_raw() == kb.train(PARAMS, train, n, **QUIET).save_raw()
    more = kb.train(PARAMS, train, n + 2, callbacks=[MaxTime(100), saver], **QUIET)
    assert more.save_raw() == kb.train(PARAMS, train, n + 2, **QUIET).save_raw()
    for bad in (0, -1, float("nan"), float("inf"), "1"):
        with pytest.raises(ValueError, match="above 0"):
            MaxTime(bad)


# ---- checkpoints ----

CONFIGURATIONS = {
    "exact": {"tree_method": "exact", "max_depth": 4, "colsample_bylevel": 0.5},
    "hist": {"tree_method": "hist", "grow_policy": "lossguide", "max_leaves": 9},
    "dart": {"booster": "dart", "rate_drop": 0.4, "skip_drop": 0.2, "sample_type": "weighted"},
    "gblinear": {"booster": "gblinear", "updater": "shotgun", "objective": "reg:squarederror"},
}


@pytest.mark.parametrize("name", CONFIGURATIONS)
@pytest.mark.parametrize("as_pickle", [False, True])
def test_resumed_equals_uninterrupted(binary: Table, tmp_path: Path, name: str, as_pickle: bool) -> None:
    params = {**PARAMS, **CONFIGURATIONS[name], "eval_metric": ["logloss", "auc"]}
    train, evals = matrices(binary)
    rates = [0.9 * 0.8**i for i in range(10)]

    def run(n_rounds: int, saver: TrainingCheckPoint) -> tuple[bytearray, dict]:
        log: dict = {}
        how = {"evals": evals, "evals_result": log, "early_stopping_rounds": 4}
        model = kb.train(params, train, n_rounds, callbacks=[saver, LearningRateScheduler(rates)], **how, **QUIET)
        return model.save_raw(), log

    whole = run(10, TrainingCheckPoint(tmp_path, "whole", as_pickle))
    saver = TrainingCheckPoint(tmp_path, as_pickle=as_pickle, interval=2, keep=2, resume=True)
    for n_rounds in (1, 2, 5, 7, 10):  # killed in one of these rounds
        last = run(n_rounds, saver)
    assert last == whole
    assert run(10, saver) == whole


def test_early_stopping_goes_on_counting(binary: Table, tmp_path: Path) -> None:
    train, evals = matrices(binary)
    params = {**PARAMS, "eta": 1, "eval_metric": "error"}
    whole = kb.train(params, train, 60, evals=evals, early_stopping_rounds=5, **QUIET)
    n = whole.num_boosted_rounds()
    assert n < 60
    for stop in range(1, n + 1):
        folder = tmp_path / str(stop)
        folder.mkdir()
        saver = TrainingCheckPoint(folder, interval=1, resume=True)
        for rounds in (stop, 60):
            how = {"evals": evals, "early_stopping_rounds": 5, "callbacks": [saver]}
            model = kb.train(params, train, rounds, **how, **QUIET)
        assert model.save_raw() == whole.save_raw()


def test_resumed_from_a_continued_model(binary: Table, tmp_path: Path) -> None:
    train, _ = matrices(binary)
    base = kb.train(PARAMS, train, 3, **QUIET)
    saver = TrainingCheckPoint(tmp_path, interval=2, resume=True)
    for n_rounds in (5, 8):
        model = kb.train(PARAMS, train, n_rounds, xgb_model=base, callbacks=[saver], **QUIET)
    assert model.save_raw() == kb.train(PARAMS, train, 11, **QUIET).save_raw()
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"model_{n}.ubj" for n in (11, 5, 7, 9)]


def test_files_of_checkpoints(binary: Table, tmp_path: Path) -> None:
    train, _ = matrices(binary)
    (tmp_path / "model_1.json").write_text("not ours")
    (tmp_path / "model_01.ubj").write_text("not ours")
    kb.train(PARAMS, train, 9, callbacks=[TrainingCheckPoint(tmp_path, interval=2, keep=2)], **QUIET)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "model_01.ubj",
        "model_1.json",
        "model_6.ubj",
        "model_8.ubj",
    ]
    assert xgboost.Booster(model_file=str(tmp_path / "model_8.ubj")).num_boosted_rounds() == 8
    for bad in ({"interval": 0}, {"keep": 0}):
        with pytest.raises(ValueError, match="at least 1"):
            TrainingCheckPoint(tmp_path, **bad)
    with pytest.raises(FileNotFoundError, match="does not exist"):
        kb.train(PARAMS, train, 1, callbacks=[TrainingCheckPoint(tmp_path / "none")], **QUIET)


def test_checkpoints_that_do_not_fit(binary: Table, tmp_path: Path) -> None:
    train, _ = matrices(binary)
    saver = TrainingCheckPoint(tmp_path, interval=2, resume=True)
    kb.train(PARAMS, train, 4, callbacks=[saver], **QUIET)
    with pytest.raises(kb.ParameterError, match=r"model_4\.ubj' was made with max_depth=3, not 5"):
        kb.train({**PARAMS, "max_depth": 5}, train, 6, callbacks=[saver], **QUIET)
    kb.train({**PARAMS, "nthread": 1}, train, 6, callbacks=[saver], **QUIET)
    newest = tmp_path / "model_6.ubj"
    content = newest.read_bytes()
    newest.write_bytes(content[:-40])
    with pytest.raises(kb.ModelError, match="model_6"):
        kb.train(PARAMS, train, 8, callbacks=[saver], **QUIET)
    newest.write_bytes(content.replace(b'{"epoch"', b'{"ep0ch"'))
    with pytest.raises(kb.ModelError, match="is damaged"):
        kb.train(PARAMS, train, 8, callbacks=[saver], **QUIET)


def test_what_a_kill_left_half_written_goes(binary: Table, tmp_path: Path) -> None:
    train, _ = matrices(binary)
    for name in ("model_2.ubj.new-7-0", "model_x.ubj.new-7-0", "model_2.pkl.new-7"):
        (tmp_path / name).write_text("half")
    kb.train(PARAMS, train, 2, callbacks=[TrainingCheckPoint(tmp_path, resume=True)], **QUIET)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model_2.pkl.new-7", "model_x.ubj.new-7-0"]


SCRIPT = """
import sys, kauriboost as kb, numpy as np
from kauriboost.callback import TrainingCheckPoint
rng = np.random.default_rng(3)
X = rng.normal(size=(400, 4))
y = np.digitize(X[:, 0] * X[:, 1], [-0.3, 0.3])
data = kb.DMatrix(X, label=y, group=[20] * 20)
params = {"objective": "rank:ndcg", "lambdarank_unbiased": True, "subsample": 0.8, "booster": "dart", "rate_drop": 0.2}
saver = TrainingCheckPoint(sys.argv[1], interval=1, keep=2, resume=True)
model = kb.train(params, data, 60, evals=[(data, "train")], callbacks=[saver], early_stopping_rounds=60)
model.save_model(sys.argv[1] + "/final.json")
"""


def test_killed_at_any_moment(tmp_path: Path) -> None:
    def start(folder: Path) -> subprocess.Popen:
        folder.mkdir(exist_ok=True)
        paths = [str(Path(kb.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONUNBUFFERED": "1"}
        command = [sys.executable, "-c", SCRIPT, str(folder)]
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)

    with start(tmp_path / "whole") as process:
        lines = process.stdout.readlines()
    killed = []
    for n_lines in (4, 13):
        with start(tmp_path / "killed") as process:
            for _ in range(n_lines):
                process.stdout.readline()
            process.send_signal(signal.SIGKILL)
        killed.append(process.returncode)
    assert killed == [-signal.SIGKILL] * 2
    with start(tmp_path / "killed") as process:
        assert 0 < len(process.stdout.readlines()) <= len(lines) - 3 - 12  # a line is printed before its checkpoint
    assert (tmp_path / "killed" / "final.json").read_bytes() == (tmp_path / "whole" / "final.json").read_bytes()


# ---- direction of metrics ----


def test_every_metric_knows_its_direction() -> None:
    booster = kb.Booster({"eval_metric": ["ndcg@3-", "error@0.7"]})
    up = ["auc", "aucpr", "pre", "pre@5", "map", "map@3", "ndcg", "ndcg@3-", "interval-regression-accuracy"]
    down = [
        "rmse",
        "mape",
        "error@0.7",
        "logloss",
        "mphe",
        "tweedie-nloglik@1.5",
        "aft-nloglik",
        "quantile",
        "mine",
        "",
    ]
    own = ["prediction_error", "premium_mae", "mapping_error", "auc_gap", "ndcg_loss", "maple", "ndcg_of_mine"]
    assert all(booster.higher_is_better(name) for name in up)
    assert not any(booster.higher_is_better(name) for name in [*down, *own, "mape_of_mine", "na"])


def test_interval_accuracy_is_maximised() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    time_of = np.exp(X[:, 0] + rng.normal(scale=0.3, size=200))
    data = kb.DMatrix(X, label_lower_bound=time_of * 0.8, label_upper_bound=time_of * 1.2)
    params = {"objective": "survival:aft", "eval_metric": "interval-regression-accuracy", "eta": 0.3}
    log: dict = {}
    how = {"evals": [(data, "train")], "evals_result": log, "early_stopping_rounds": 5}
    model = kb.train(params, data, 20, **how, **QUIET)
    values = log["train"]["interval-regression-accuracy"]
    assert model.best_score == max(values) > values[0]
    assert len(values) > 6


def test_early_stopping_state_is_plain(binary: Table) -> None:
    stopping = EarlyStopping(rounds=3)
    train, evals = matrices(binary)
    kb.train(PARAMS, train, 4, evals=evals, callbacks=[stopping], **QUIET)
    other = EarlyStopping(rounds=3)
    other.restore(stopping.state())
    assert other.state() == stopping.state()
    assert set(stopping.state()) == {"best", "waited", "best_line", "best_model"}


@pytest.mark.parametrize("name", ["dart", "gblinear"])
def test_the_best_model_where_later_rounds_change_it(binary: Table, tmp_path: Path, name: str) -> None:
    train, evals = matrices(binary)
    params = {**PARAMS, **CONFIGURATIONS[name], "eta": 1, "eval_metric": "mae", "feature_selector": "shuffle"}
    how = {"evals": evals, **QUIET}
    best = kb.train(params, train, 60, callbacks=[EarlyStopping(rounds=3, save_best=True)], **how)
    n = best.best_iteration + 1
    assert best.num_boosted_rounds() == n < 57
    whole = kb.train(params, train, n, **QUIET)
    whole.set_attr(best_iteration=n - 1, best_score=best.attr("best_score"))
    assert best.save_raw() == whole.save_raw()
    for rounds in (n + 1, n + 2, 60):  # interrupted after the best round
        actions = [
            EarlyStopping(rounds=3, save_best=True),
            TrainingCheckPoint(tmp_path, interval=1, resume=True),
        ]
        resumed = kb.train(params, train, rounds, callbacks=actions, **how)
    assert resumed.save_raw() == best.save_raw()


def test_updates_are_not_resumed(binary: Table, tmp_path: Path) -> None:
    train, _ = matrices(binary)
    saver = TrainingCheckPoint(tmp_path, resume=True)
    params = {**PARAMS, "process_type": "update", "updater": "refresh"}
    with pytest.raises(kb.ParameterError, match="process_type"):
        kb.train(params, train, 2, xgb_model=kb.train(PARAMS, train, 2, **QUIET), callbacks=[saver], **QUIET)
