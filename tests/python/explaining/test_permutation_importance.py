"""Permutation importance."""

from __future__ import annotations

import kauriboost as kb
import numpy as np
import pytest
from kauriboost.sklearn import KauriClassifier
from scipy.sparse import csr_matrix
from sklearn.metrics import mean_squared_error, roc_auc_score

QUIET = {"verbose_eval": False}
Problem = tuple[np.ndarray, np.ndarray]


def _booster(X: np.ndarray, y: np.ndarray, **params: object) -> kb.Booster:
    return kb.train({"max_depth": 4, "nthread": 1, **params}, kb.DMatrix(X, y), 20, **QUIET)


def test_by_hand(regression: Problem) -> None:
    X, y = regression
    model = _booster(X, y)
    found = kb.permutation_importance(model, X, y, metric="rmse", n_repeats=2, seed=4)
    seeds = kb.shuffle(2**61, 4, 10).reshape(5, 2)
    before = np.sqrt(mean_squared_error(y, model.predict(kb.DMatrix(X))))
    assert found.metric == "rmse"
    assert found.baseline == pytest.approx(before, rel=1e-5)
    for feature in range(5):
        for repeat in range(2):
            shuffled = X.copy()
            shuffled[:, feature] = X[kb.shuffle(len(X), int(seeds[feature, repeat])), feature]
            after = np.sqrt(mean_squared_error(y, model.predict(kb.DMatrix(shuffled))))
            assert found.repeats[feature, repeat] == pytest.approx(after - before, abs=1e-5)
    assert np.allclose(found.values, found.repeats.mean(axis=1))
    assert np.allclose(found.std, found.repeats.std(axis=1))


def test_finds_what_matters_by_any_metric(binary: Problem) -> None:
    X, y = binary
    model = _booster(X, y, objective="binary:logistic")
    data = kb.DMatrix(X, y, feature_names=list("abcdef"))
    own = kb.permutation_importance(model, X, y)
    assert own.metric == "logloss"
    auc = kb.permutation_importance(model, X, y, metric="auc")
    function = kb.permutation_importance(model, X, y, metric=roc_auc_score)
    assert function.metric == "roc_auc_score"
    for found in (own, auc, function):
        assert set(np.argsort(found.values)[-3:]) == {0, 1, 2}
        assert np.all(found.values[:3] > 0)
    assert np.allclose(auc.repeats, function.repeats, atol=1e-5)
    named = kb.permutation_importance(_booster(X, y), data, features=["c"], metric=mean_squared_error)
    assert named.feature_names == ["c"]
    assert named.values.shape == (1,)


def test_seeds_and_sparse_rows(binary: Problem) -> None:
    X, y = binary
    model = _booster(X, y)
    dense = kb.permutation_importance(model, X, y, seed=1)
    assert np.array_equal(dense.repeats, kb.permutation_importance(model, X, y, seed=1).repeats)
    assert not np.array_equal(dense.repeats, kb.permutation_importance(model, X, y, seed=2).repeats)
    rows, columns = np.nonzero(~np.isnan(X))
    sparse = csr_matrix((X[rows, columns], (rows, columns)), X.shape)
    assert np.array_equal(dense.repeats, kb.permutation_importance(model, sparse, y, seed=1).repeats)


def test_leaves_model_and_data_as_they_were(binary: Problem) -> None:
    X, y = binary
    data = kb.DMatrix(X, y)
    model = _booster(X, y)
    before = model.save_raw("json"), model.save_config(), data.get_label()
    kb.permutation_importance(model, data, 1 - y, metric="mae", n_repeats=1)
    assert (model.save_raw("json"), model.save_config()) == before[:2]
    assert np.array_equal(data.get_label(), before[2])


def test_estimators_rounds_and_queries(binary: Problem) -> None:
    X, y = binary
    words = np.where(y > 0, "yes", "no")
    model = KauriClassifier(n_estimators=12, max_depth=3, n_jobs=1).fit(X, words)
    found = kb.permutation_importance(model, X, words)
    assert found.values[0] > 0
    few = kb.permutation_importance(model, X, words, iteration_range=(0, 1))
    assert few.baseline > found.baseline
    with pytest.raises(ValueError, match="'maybe'"):
        kb.permutation_importance(model, X[:2], ["yes", "maybe"])
    ranked = kb.DMatrix(X, y, group=[30] * 20)
    ranker = kb.train({"objective": "rank:ndcg", "nthread": 1}, ranked, 5, **QUIET)
    assert kb.permutation_importance(ranker, ranked, metric="ndcg@5", n_repeats=1).values.max() > 0


def test_refuses(regression: Problem) -> None:
    X, y = regression
    model = _booster(X, y)
    with pytest.raises(kb.ParameterError, match="n_repeats is 0"):
        kb.permutation_importance(model, X, y, n_repeats=0)
    with pytest.raises(kb.DataError, match="needs rows and labels"):
        kb.permutation_importance(model, X)
    with pytest.raises(kb.ParameterError, match="rmsee"):
        kb.permutation_importance(model, X, y, metric="rmsee")
