"""One-line representations of objects, and their sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from kauriboost.callback import EarlyStopping, EvaluationMonitor, LearningRateScheduler, TrainingCallback
from kauriboost.cv import CvBooster

X = np.arange(40, dtype=np.float32).reshape(10, 4)
Y = X[:, 0] % 3


@pytest.mark.parametrize("kind", [kb.DMatrix, kb.QuantileDMatrix])
def test_matrices(kind: Any) -> None:
    matrix = kind(X, Y)
    assert matrix.shape == (10, 4)
    assert len(matrix) == 10
    assert repr(matrix) == f"{kind.__name__}(shape=(10, 4), fields=['label'])"


def test_a_matrix_names_its_columns_and_fields() -> None:
    types = ["q", "c", "float", "c"]
    matrix = kb.DMatrix(X, weight=np.ones(2), group=[4, 6], feature_names=list("abcd"), feature_types=types)
    features = "features=['a', 'b', 'c', 'd'], categorical=2"
    assert repr(matrix) == f"DMatrix(shape=(10, 4), {features}, fields=['weight', 'group'])"
    wide = kb.DMatrix(np.ones((1, 500)), feature_names=[f"feature {i} of a long list of many" for i in range(500)])
    assert len(repr(wide)) < 250
    assert "..." in repr(wide)


def test_a_matrix_without_rows_is_one() -> None:
    matrix = kb.DMatrix(np.empty((0, 3)))
    assert matrix
    assert len(matrix) == 0
    assert repr(matrix) == "DMatrix(shape=(0, 3))"


def test_iterators() -> None:
    class Files(kb.DataIter):
        def __init__(self, paths: list[str], chunk: int = 5) -> None:
            super().__init__()
            self.paths, self.chunk = paths, chunk

        def next(self, input_data: Callable[..., None]) -> bool:
            return False

        def reset(self) -> None:
            pass

    assert repr(Files(["a", "b"])) == "Files(paths=['a', 'b'])"
    assert repr(Files([], 7)) == "Files(chunk=7)"


def test_boosters() -> None:
    data = kb.DMatrix(X, Y, feature_names=list("abcd"))
    watched = {"evals": [(data, "train")], "early_stopping_rounds": 3, "verbose_eval": False}
    booster = kb.train({"objective": "count:poisson"}, data, 4, **watched)
    shown = "booster='gbtree', objective='count:poisson', rounds=4, features=['a', 'b', 'c', 'd'], best_iteration=3"
    assert repr(booster) == f"Booster({shown})"
    assert repr(kb.Booster({"booster": "gblinear"})).startswith("Booster(booster='gblinear'")


def test_what_a_booster_cannot_say_is_no_error() -> None:
    assert 'error="parameter eta=' in repr(kb.Booster({"eta": -1}))
    booster = kb.train({}, kb.DMatrix(X, Y), 1)
    booster.set_attr(best_iteration="soon")
    assert "rounds=1, features=4, best_iteration='soon'" in repr(booster)


def test_folds() -> None:
    data = kb.DMatrix(X, Y)
    with CvBooster([({}, data, data)] * 3) as folds:
        assert repr(folds) == "CvBooster(folds=3, rounds=0)"


def test_explanations() -> None:
    booster = kb.train({"max_depth": 2}, kb.DMatrix(X, Y), 2)
    features = "features=['f0', 'f1', 'f2', 'f3']"
    assert repr(kb.explain(booster, X)) == f"Explanation(shape=(10, 4), kind='shapley', {features})"
    means = kb.global_importance(booster, X, interactions=True)
    assert repr(means) == f"GlobalImportance(shape=(4, 4), kind='shapley', {features})"
    pairs = kb.sparse_interactions(booster, X)
    assert repr(pairs) == f"SparseInteractions(rows=10, entries={len(pairs.values)}, {features})"
    lost = kb.permutation_importance(booster, kb.DMatrix(X, Y))
    assert repr(lost).startswith("PermutationImportance(metric='rmse', baseline=")
    assert "strongest=[('f0', " in repr(lost)


def test_outputs_of_an_explanation() -> None:
    booster = kb.train({"objective": "multi:softprob", "num_class": 3}, kb.DMatrix(X, Y), 2)
    assert "outputs=[0, 1, 2]" in repr(kb.explain(booster, X))


def test_callbacks_show_their_arguments() -> None:
    assert repr(EarlyStopping(rounds=3, save_best=True)) == "EarlyStopping(rounds=3, save_best=True)"
    assert repr(EvaluationMonitor()) == "EvaluationMonitor()"
    assert repr(LearningRateScheduler([0.1, 0.2])) == "LearningRateScheduler(learning_rates=[0.1, 0.2])"

    class Own(TrainingCallback):
        def __init__(self, path: str) -> None:
            self.file = path

    assert repr(Own("x")) == "Own()"


def test_estimators_show_parameters_that_are_no_default() -> None:
    pytest.importorskip("sklearn")
    assert repr(kb.KauriRegressor(max_depth=3, lambdarank_unbiased=True)) == (
        "KauriRegressor(lambdarank_unbiased=True, max_depth=3)"
    )
