"""Custom metrics, evaluation sets, gradients of several outputs, and log messages."""

from __future__ import annotations

import logging
import threading
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
import xgboost

Table = tuple[np.ndarray, np.ndarray]
QUIET = {"verbose_eval": False}


@pytest.fixture
def data(regression: Table) -> kb.DMatrix:
    return kb.DMatrix(regression[0], label=regression[1])


def test_several_metrics_at_once(data: kb.DMatrix) -> None:
    def metric(predictions: np.ndarray, data: kb.DMatrix) -> list[tuple[str, float]]:
        errors = np.abs(predictions - data.get_label())
        return [("median-error", float(np.median(errors))), ("worst", errors.max())]

    results: dict[str, Any] = {}
    booster = kb.train({}, data, 3, evals=[(data, "train")], custom_metric=metric, evals_result=results, **QUIET)
    assert list(results["train"]) == ["rmse", "median-error", "worst"]
    expected = dict(metric(booster.predict(data), data))
    assert results["train"]["median-error"][-1] == expected["median-error"]
    assert results["train"]["worst"][-1] == expected["worst"]
    line = booster.eval_set([(data, "train")], 2, metric)
    assert line.endswith(f"\ttrain-median-error:{expected['median-error']!r}\ttrain-worst:{float(expected['worst'])!r}")
    folds = kb.cv({}, data, 2, nfold=2, custom_metric=metric, as_pandas=False)
    assert "test-median-error-mean" in folds


def test_values_are_not_printed_on_their_way(data: kb.DMatrix, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kauriboost._model.booster.as_line", lambda _: pytest.fail("a value is printed"))
    results: dict[str, Any] = {}
    own = {"evals": [(data, "a")], "custom_metric": lambda *_: ("own", 3.25), "evals_result": results}
    kb.train({}, data, 1, **own, **QUIET)
    assert results["a"]["own"] == [3.25]


@pytest.mark.parametrize(
    ("returned", "error", "message"),
    [
        (("a\tb", 1.0), ValueError, r"is called 'a\\tb'"),
        (("a\nb", 1.0), ValueError, r"is called 'a\\nb'"),
        (("a:b", 1.0), ValueError, "no colon"),
        (("", 1.0), ValueError, "must not be empty"),
        (("a", "much"), TypeError, "expected a name and a number"),
        ((3, 1.0), TypeError, "returned|called"),
        ([(3, 1.0)], TypeError, "is called 3"),
        (1.0, TypeError, "returned 1.0; expected"),
        ([("a", 1.0, 2.0)], TypeError, "expected a name and a number"),
        (None, TypeError, "returned None"),
    ],
)
def test_what_is_no_metric(data: kb.DMatrix, returned: Any, error: type[Exception], message: str) -> None:
    for evaluate in (
        lambda: kb.train({}, data, 1, evals=[(data, "a")], custom_metric=lambda *_: returned, **QUIET),
        lambda: kb.Booster({}, [data]).eval_set([(data, "a")], feval=lambda *_: returned),
    ):
        with pytest.raises(error, match=message):
            evaluate()


def test_lists_and_repeated_names_of_evaluation_sets(regression: Table) -> None:
    X, y = regression
    results = []
    for library in (kb, xgboost):
        first, second = library.DMatrix(X[:300], label=y[:300]), library.DMatrix(X[300:], label=y[300:])
        history: dict[str, Any] = {}
        evals = [[first, "a"], [second, "a"]]
        library.train({"tree_method": "exact"}, first, 3, evals=evals, evals_result=history, **QUIET)
        results.append(history)
    assert len(results[0]["a"]["rmse"]) == 6
    np.testing.assert_allclose(results[0]["a"]["rmse"], results[1]["a"]["rmse"], rtol=1e-5)
    with pytest.raises(TypeError, match="pairs"):
        kb.train({}, first := kb.DMatrix(X, label=y), 1, evals=[(first, 3)])


def test_flat_gradients_of_several_outputs(multiclass: Table) -> None:
    X, y = multiclass
    data = kb.DMatrix(X, label=y)

    def gradients(margins: np.ndarray, data: kb.DMatrix) -> tuple[np.ndarray, np.ndarray]:
        shares = np.exp(margins) / np.exp(margins).sum(axis=1, keepdims=True)
        return shares - np.eye(3)[data.get_label().astype(int)], 2 * shares * (1 - shares)

    def flat(margins: np.ndarray, data: kb.DMatrix) -> tuple[Any, Any]:
        gradient, hessian = gradients(margins, data)
        return gradient.reshape(-1), hessian.reshape(-1).tolist()

    params = {"objective": "multi:softprob", "num_class": 3, "max_depth": 3}
    models = [kb.train(params, data, 3, obj=obj, **QUIET).save_raw("json") for obj in (gradients, flat)]
    assert models[0] == models[1]
    with pytest.raises(kb.KauriError):
        kb.Booster(params, [data]).boost(data, 0, np.zeros(901), np.zeros(901))


def test_folds_leave_no_threads(data: kb.DMatrix) -> None:
    before = set(threading.enumerate())
    kb.cv({"nthread": 2}, data, 1, nfold=2)
    assert set(threading.enumerate()) == before
    with pytest.raises(ZeroDivisionError):
        kb.cv({"nthread": 2}, data, 1, nfold=2, fpreproc=None, obj=lambda *_: 1 / 0)
    assert set(threading.enumerate()) == before


def test_lines_of_the_log_have_levels(caplog: pytest.LogCaptureFixture, data: kb.DMatrix) -> None:
    booster = kb.train({}, data, 1, **QUIET)
    with caplog.at_level(logging.DEBUG, "kauriboost"):
        booster.get_dump(dump_format='dot:{"colour": {}}')
    assert [(record.name, record.levelno) for record in caplog.records] == [("kauriboost", logging.WARNING)]
    caplog.clear()
    for level, expected in ((1, logging.WARNING), (2, logging.INFO), (3, logging.DEBUG)):
        with caplog.at_level(logging.DEBUG, "kauriboost"):
            kb._binding.library.log_line(level, b"a line")
        assert caplog.records[-1].levelno == expected


def test_the_configuration_comes_back() -> None:
    before = kb.get_config()
    with kb.config_context(verbosity=3, nthread=1):
        assert (kb.get_config()["verbosity"], kb.get_config()["nthread"]) == (3, 1)
    assert kb.get_config() == before
    with pytest.raises(ZeroDivisionError), kb.config_context(verbosity=3):
        _ = 1 / 0
    assert kb.get_config() == before
    with pytest.raises(kb.ParameterError), kb.config_context(verbosty=3):
        pass
