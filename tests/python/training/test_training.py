"""train(): evaluation, early stopping, custom objectives and metrics, continuation, callbacks, as in XGBoost."""

from __future__ import annotations

import io
import re
import sys

import kauriboost as kb
import numpy as np
import pytest
import xgboost
from kauriboost.callback import EarlyStopping, EvaluationMonitor, ProgressBar, TrainingCallback

Table = tuple[np.ndarray, np.ndarray]
QUIET = {"verbose_eval": False}
PARAMS = {"objective": "binary:logistic", "max_depth": 3, "eta": 0.5, "tree_method": "exact"}


def both(table: Table) -> tuple[list[kb.DMatrix], list[xgboost.DMatrix]]:
    """Return the first 300 rows and the rest, for Kauri and for XGBoost."""
    X, y = table
    parts = (slice(0, 300), slice(300, None))
    return [kb.DMatrix(X[p], label=y[p]) for p in parts], [xgboost.DMatrix(X[p], label=y[p]) for p in parts]


def named(parts: list) -> list:
    return [(parts[0], "train"), (parts[1], "test")]


def test_evaluations_equal_xgboost(binary: Table) -> None:
    ours, theirs = both(binary)
    params = {**PARAMS, "eval_metric": ["auc", "logloss", "error@0.4"]}
    results: list[dict] = [{}, {}]
    kb.train(params, ours[0], 8, evals=named(ours), evals_result=results[0], **QUIET)
    xgboost.train(params, theirs[0], 8, evals=named(theirs), evals_result=results[1], **QUIET)
    assert results[0].keys() == results[1].keys()
    for data in results[0]:
        assert list(results[0][data]) == list(results[1][data])
        for metric in results[0][data]:
            np.testing.assert_allclose(results[0][data][metric], results[1][data][metric], rtol=1e-4)


@pytest.mark.parametrize("metric", ["logloss", "auc", "error"])
@pytest.mark.parametrize("save_best", [False, True])
def test_early_stopping_equals_xgboost(binary: Table, metric: str, save_best: bool) -> None:
    ours, theirs = both(binary)
    params = {**PARAMS, "eval_metric": metric}
    a = kb.train(
        params, ours[0], 60, evals=named(ours), callbacks=[EarlyStopping(rounds=4, save_best=save_best)], **QUIET
    )
    stop = xgboost.callback.EarlyStopping(rounds=4, save_best=save_best)
    b = xgboost.train(params, theirs[0], 60, evals=named(theirs), callbacks=[stop], **QUIET)
    assert a.best_iteration == b.best_iteration
    assert a.best_score == pytest.approx(b.best_score, rel=1e-5)
    assert a.num_boosted_rounds() == b.num_boosted_rounds()
    assert a.attributes().keys() == b.attributes().keys()


def scripted(values: list[float], name: str = "mine") -> object:
    """Return a metric with these values, one per round."""
    remaining = iter(values)
    return lambda _predictions, _data: (name, next(remaining))


@pytest.mark.parametrize(
    ("values", "how", "best", "rounds"),
    [
        ([5, 4, 3, 3, 3, 3], {"rounds": 2}, 2, 5),
        ([5, 4, 4.5, 3, 3.5, 3.5, 3.5], {"rounds": 3}, 3, 7),
        ([1, 2, 3, 2, 2, 9], {"rounds": 2, "maximize": True}, 2, 5),
        ([5, 4.95, 4.9, 4.85, 1], {"rounds": 2, "min_delta": 0.2}, 0, 3),
        ([float("nan"), 1, 0.5, 0.2], {"rounds": 2}, 0, 3),
    ],
)
def test_early_stopping_on_scripted_values(
    regression: Table, values: list[float], how: dict, best: int, rounds: int
) -> None:
    ours, theirs = both(regression)
    params = {"disable_default_eval_metric": 1, "max_depth": 1}
    a = kb.train(
        params,
        ours[0],
        len(values),
        evals=[(ours[1], "test")],
        custom_metric=scripted(values),
        callbacks=[EarlyStopping(**how)],
        **QUIET,
    )
    b = xgboost.train(
        params,
        theirs[0],
        len(values),
        evals=[(theirs[1], "test")],
        custom_metric=scripted(values),
        callbacks=[xgboost.callback.EarlyStopping(**how)],
        **QUIET,
    )
    assert (a.best_iteration, a.num_boosted_rounds()) == (best, rounds)
    assert (b.best_iteration, b.num_boosted_rounds()) == (best, rounds)


def test_metric_names_decide_the_direction(regression: Table) -> None:
    ours, _ = both(regression)
    for name, best in (("auc", 3), ("map", 3), ("ndcg@3", 3), ("mape", 0), ("rmse", 0)):
        booster = kb.train(
            {"disable_default_eval_metric": 1},
            ours[0],
            4,
            evals=[(ours[1], "test")],
            custom_metric=scripted([1, 2, 3, 4], name),
            early_stopping_rounds=9,
            **QUIET,
        )
        assert booster.best_iteration == best, name


def test_early_stopping_needs_data(regression: Table) -> None:
    ours, _ = both(regression)
    with pytest.raises(ValueError, match="evals"):
        kb.train({}, ours[0], 3, early_stopping_rounds=2)
    with pytest.raises(ValueError, match="'other'"):
        kb.train({}, ours[0], 3, evals=named(ours), callbacks=[EarlyStopping(rounds=1, data_name="other")], **QUIET)


def squared_error(margins: np.ndarray, data: kb.DMatrix) -> tuple[np.ndarray, np.ndarray]:
    return margins - data.get_label().reshape(margins.shape), np.ones_like(margins)


def logistic(margins: np.ndarray, data: kb.DMatrix) -> tuple[np.ndarray, np.ndarray]:
    p = 1 / (1 + np.exp(-margins))
    return p - data.get_label(), p * (1 - p)


def test_own_objective_equals_the_built_in(regression: Table, binary: Table) -> None:
    data = both(regression)[0][0]
    built_in = kb.train({"base_score": 0.5}, data, 6, **QUIET)
    own = kb.train({"base_score": 0.5}, data, 6, obj=squared_error, **QUIET)
    np.testing.assert_array_equal(own.predict(data), built_in.predict(data))
    data = both(binary)[0][0]
    params = {"objective": "binary:logistic", "base_score": 0.5}
    built_in = kb.train(params, data, 6, **QUIET)
    own = kb.train(params, data, 6, obj=logistic, **QUIET)
    np.testing.assert_allclose(own.predict(data), built_in.predict(data), atol=1e-5)


def test_own_objective_of_several_outputs(multiclass: Table) -> None:
    X, y = multiclass
    data = kb.DMatrix(X, label=y)

    def softmax(margins: np.ndarray, matrix: kb.DMatrix) -> tuple[np.ndarray, np.ndarray]:
        p = np.exp(margins - margins.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        return p - np.eye(3)[matrix.get_label().astype(int)], np.maximum(2 * p * (1 - p), 1e-16)

    params = {"objective": "multi:softprob", "num_class": 3, "base_score": 0.5}
    own = kb.train(params, data, 4, obj=softmax, **QUIET)
    built_in = kb.train(params, data, 4, **QUIET)
    np.testing.assert_allclose(own.predict(data), built_in.predict(data), atol=1e-4)


def test_own_metric(binary: Table) -> None:
    ours, _ = both(binary)

    def accuracy(predictions: np.ndarray, data: kb.DMatrix) -> tuple[str, float]:
        return "accuracy", float(np.mean((predictions > 0.5) == data.get_label()))

    log: dict = {}
    params = {**PARAMS, "eval_metric": "error"}
    kb.train(params, ours[0], 4, evals=named(ours), custom_metric=accuracy, evals_result=log, **QUIET)
    for data in log.values():
        np.testing.assert_allclose(np.array(data["accuracy"]) + np.array(data["error"]), 1, atol=1e-6)


def test_continuation_equals_one_training(binary: Table) -> None:
    data = both(binary)[0][0]
    params = {**PARAMS, "subsample": 0.7, "colsample_bynode": 0.5}
    whole = kb.train(params, data, 8, **QUIET)
    first = kb.train(params, data, 5, **QUIET)
    for start in (first, first.save_raw()):
        rest = kb.train(params, data, 3, xgb_model=start, **QUIET)
        np.testing.assert_array_equal(rest.predict(data), whole.predict(data))
    assert first.num_boosted_rounds() == 5


def test_lines_equal_xgboost(binary: Table, capsys: pytest.CaptureFixture[str]) -> None:
    ours, theirs = both(binary)
    for period in (True, 3):
        kb.train(PARAMS, ours[0], 8, evals=named(ours), verbose_eval=period)
        printed = capsys.readouterr().out
        xgboost.train(PARAMS, theirs[0], 8, evals=named(theirs), verbose_eval=period)
        expected = capsys.readouterr().out
        assert [line.split(":")[0] for line in printed.splitlines()] == [
            line.split(":")[0] for line in expected.splitlines()
        ]
    kb.train(PARAMS, ours[0], 8, evals=named(ours), verbose_eval=False)
    assert capsys.readouterr().out == ""


def test_progress_bar(binary: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    ours, _ = both(binary)
    monkeypatch.setenv("COLUMNS", "120")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    kb.train(PARAMS, ours[0], 5, evals=named(ours))
    final = terminal.getvalue().split("\r")[-1]
    assert re.match(r"5/5 \[#{24}\] in 0\.\d s  train-logloss:", final)
    assert final.endswith("\n")
    terminal.truncate(0)
    kb.train(PARAMS, ours[0], 5, evals=named(ours), verbose_eval=False)
    assert terminal.getvalue().strip("\0") == ""
    stream = io.StringIO()
    kb.train(PARAMS, ours[0], 5, callbacks=[ProgressBar(5, stream)], **QUIET)
    assert "5/5" in stream.getvalue()


def test_callbacks_run_and_may_stop(regression: Table) -> None:
    calls: list[str] = []

    class Spy(TrainingCallback):
        def before_training(self, model: kb.Booster) -> kb.Booster:
            calls.append("start")
            return model

        def before_iteration(self, model: kb.Booster, epoch: int, evals_log: dict) -> bool:
            calls.append(f"before {epoch}")
            return epoch == 2

        def after_iteration(self, model: kb.Booster, epoch: int, evals_log: dict) -> bool:
            calls.append(f"after {epoch} {len(evals_log['train']['rmse'])}")
            return False

        def after_training(self, model: kb.Booster) -> kb.Booster:
            calls.append("end")
            return model

    data = both(regression)[0][0]
    booster = kb.train({}, data, 9, evals=[(data, "train")], callbacks=[Spy()], **QUIET)
    assert booster.num_boosted_rounds() == 2
    assert calls == ["start", "before 0", "after 0 1", "before 1", "after 1 2", "before 2", "end"]
    with pytest.raises(TypeError, match="TrainingCallback"):
        kb.train({}, data, 1, callbacks=[print])
    with pytest.raises(ValueError, match="period"):
        EvaluationMonitor(0)


@pytest.mark.parametrize("name", ["a-b", "a:b", "a\tb", "a\nb"])
def test_names_of_sets(regression: Table, name: str) -> None:
    data = both(regression)[0][0]
    with pytest.raises(ValueError, match="rename"):
        kb.train({}, data, 1, evals=[(data, name)])


def test_same_bits_for_any_number_of_threads(binary: Table) -> None:
    data = both(binary)[0][0]
    models = [
        kb.train({**PARAMS, "subsample": 0.6, "nthread": n}, data, 6, **QUIET).save_raw("json") for n in (1, 2, 5)
    ]
    assert models[0] == models[1] == models[2]
