"""Typical mistakes give the same errors on a cluster as in one process; see ``tests/python/test_messages.py``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from kauriboost import dask as kd
from problems import EVEN, features, spread, target

X = features()
Y = target(X)
CLASSES = (Y > 0).astype(np.float64)


def matrix(client: Any) -> kd.DaskDMatrix:
    return kd.DaskDMatrix(client, spread(X, EVEN), spread(Y, EVEN))


def train(client: Any, params: dict[str, Any] | None = None, rounds: Any = 1, **more: Any) -> Any:
    return kd.train(client, params or {}, matrix(client), rounds, verbose_eval=False, **more)


def fit_with_nan(_: Any) -> None:
    labels = CLASSES.copy()
    labels[7] = np.nan
    kd.DaskKauriClassifier(n_estimators=1).fit(spread(X, EVEN), spread(labels, EVEN))


def fit_zeros(client: Any) -> None:
    zeros = kd.DaskDMatrix(client, spread(X, EVEN), spread(0 * Y, EVEN))
    kd.train(client, {"objective": "reg:tweedie"}, zeros, 1)


CASES: dict[str, tuple[Callable[[Any], Any], type[Exception], str]] = {
    "evals": (lambda client: train(client, evals=matrix(client)), TypeError, r"evals must be \(DaskDMatrix, name\)"),
    "rounds": (lambda client: train(client, rounds="many"), kb.ParameterError, "num_boost_round is 'many'"),
    "rounds of an estimator": (
        lambda client: kd.DaskKauriRegressor(n_estimators="many").fit(spread(X, EVEN), spread(Y, EVEN)),
        kb.ParameterError,
        "n_estimators is 'many'",
    ),
    "two names of a parameter": (
        lambda client: train(client, {"eta": 0.1, "learning_rate": 0.2}),
        kb.ParameterError,
        "eta=0.1 and learning_rate=0.2",
    ),
    "no parameter": (lambda client: train(client, {"max_dept": 3}), kb.ParameterError, "did you mean 'max_depth'"),
    "no queries": (lambda client: train(client, {"objective": "rank:ndcg"}), kb.DataError, "no query groups"),
    "objective": (lambda client: train(client, {"objective": "binary"}), kb.ParameterError, "use binary:logistic"),
    "NaN among classes": (fit_with_nan, ValueError, "NaN: the label of row 7 is nan"),
    "zeros of Tweedie": (fit_zeros, kb.DataError, "every label is 0"),
}


@pytest.mark.parametrize("case", CASES)
def test_mistakes(client: Any, case: str) -> None:
    call, kind, message = CASES[case]
    with pytest.raises(kind, match=message):
        call(client)


def test_a_single_class_is_told(client: Any) -> None:
    with pytest.warns(UserWarning, match="the class 1.0 alone"):
        kd.DaskKauriClassifier(n_estimators=1).fit(spread(X, EVEN), spread(np.ones(len(X)), EVEN))


def test_an_array_names_several_metrics(client: Any) -> None:
    data = matrix(client)
    params = {"eval_metric": np.array(["rmse", "mae"])}
    history = kd.train(client, params, data, 1, evals=[(data, "t")], verbose_eval=False)["history"]
    assert list(history["t"]) == ["rmse", "mae"]
