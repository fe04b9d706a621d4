"""Estimators on a cluster train and predict the same as on rows in memory."""

from __future__ import annotations

import pickle
from typing import Any

import dask.array as da
import dask.dataframe as dd
import kauriboost as kb
import numpy as np
import pandas as pd
import pytest
from kauriboost import dask as kd
from problems import EVEN, RAGGED, features, spread, target
from sklearn.exceptions import NotFittedError

X = features()
Y = target(X)
COMMON = {"n_estimators": 5, "max_depth": 3, "tree_method": "hist"}


def raw(estimator: Any) -> bytes:
    return bytes(estimator.get_booster().save_raw())


def test_regression(client: Any) -> None:
    weight = np.linspace(1, 2, len(X), dtype=np.float32)
    alone = kb.KauriRegressor(**COMMON).fit(X, Y, sample_weight=weight, eval_set=[(X, Y)])
    there = kd.DaskKauriRegressor(**COMMON)
    blocks, labels = spread(X, RAGGED), spread(Y, RAGGED)
    there.fit(blocks, labels, sample_weight=spread(weight, RAGGED), eval_set=[(blocks, labels)])
    assert raw(there) == raw(alone)
    assert there.evals_result() == alone.evals_result()
    lazy = there.predict(blocks)
    assert lazy.chunks[0] == RAGGED
    np.testing.assert_array_equal(lazy.compute(), alone.predict(X))
    np.testing.assert_array_equal(there.apply(blocks).compute(), alone.apply(X))
    np.testing.assert_array_equal(there.predict(X), alone.predict(X))


def test_files_know_what_is_missing(client: Any) -> None:
    table = np.where(X > 1, -999, X)
    alone = kb.KauriRegressor(**COMMON, missing=-999).fit(table, Y)
    there = kd.DaskKauriRegressor(**COMMON, missing=-999).fit(spread(table, EVEN), spread(Y, EVEN))
    assert raw(there) == raw(alone)
    again = kd.DaskKauriRegressor()
    again.load_model(raw(there))
    np.testing.assert_array_equal(again.predict(spread(table, EVEN)).compute(), alone.predict(table))


def test_classes_of_any_kind(client: Any) -> None:
    names = np.array(["low", "middle", "high"])[np.digitize(Y, [-0.5, 0.5])]
    alone = kb.KauriClassifier(**COMMON).fit(X, names)
    there = kd.DaskKauriClassifier(**COMMON).fit(spread(X, EVEN), spread(names, EVEN))
    assert raw(there) == raw(alone)
    assert there.classes_.tolist() == alone.classes_.tolist()
    np.testing.assert_array_equal(there.predict(spread(X, EVEN)).compute(), alone.predict(X))
    np.testing.assert_array_equal(there.predict_proba(spread(X, EVEN)).compute(), alone.predict_proba(X))
    again = pickle.loads(pickle.dumps(there))
    np.testing.assert_array_equal(again.predict(X), alone.predict(X))


def test_frames(client: Any) -> None:
    table = pd.DataFrame(X, columns=list("abcdef"))
    positive = pd.Series((Y > 0).astype(int), name="y")
    alone = kb.KauriClassifier(**COMMON).fit(table, positive)
    rows, labels = dd.from_pandas(table, npartitions=3), dd.from_pandas(positive, npartitions=3)
    there = kd.DaskKauriClassifier(**COMMON).fit(rows, labels)
    assert raw(there) == raw(alone)
    assert there.feature_names_in_.tolist() == list("abcdef")
    predicted = there.predict(rows).compute()
    assert predicted.index.tolist() == table.index.tolist()
    np.testing.assert_array_equal(predicted.to_numpy(), alone.predict(table))
    np.testing.assert_array_equal(there.predict_proba(rows).compute().to_numpy(), alone.predict_proba(table))


def test_ranking(client: Any) -> None:
    queries = np.sort(np.random.default_rng(5).integers(0, 120, len(X)))
    relevance = np.clip(np.round(Y), 0, 3)
    alone = kb.KauriRanker(**COMMON).fit(X, relevance, qid=queries)
    there = kd.DaskKauriRanker(**COMMON)
    there.fit(spread(X, RAGGED), spread(relevance, RAGGED), qid=spread(queries, RAGGED))
    assert raw(there) == raw(alone)
    np.testing.assert_array_equal(there.predict(spread(X, RAGGED)).compute(), alone.predict(X))
    with pytest.raises(ValueError, match="needs the query of each row"):
        there.fit(spread(X, RAGGED), spread(relevance, RAGGED))


def test_forests(client: Any) -> None:
    alone = kb.KauriRFRegressor(**COMMON).fit(X, Y)
    there = kd.DaskKauriRFRegressor(**COMMON).fit(spread(X, EVEN), spread(Y, EVEN))
    assert raw(there) == raw(alone)
    positive = (Y > 0).astype(np.float32)
    alone_too = kb.KauriRFClassifier(**COMMON).fit(X, positive)
    there_too = kd.DaskKauriRFClassifier(**COMMON).fit(spread(X, EVEN), spread(positive, EVEN))
    assert raw(there_too) == raw(alone_too)


def test_names_of_xgboost_and_what_is_not_fitted(client: Any) -> None:
    for name in ("Regressor", "Classifier", "Ranker", "RFRegressor", "RFClassifier"):
        ours = getattr(kd, f"DaskKauri{name}")
        assert getattr(kd, f"DaskXGB{name}") is ours
        assert ours.__module__ == "kauriboost.dask"
    with pytest.raises(AttributeError, match="DaskXGBTransformer"):
        kd.DaskXGBTransformer  # noqa: B018
    with pytest.raises(NotFittedError):
        kd.DaskKauriRegressor().predict(da.zeros((4, 2)))
    estimator = kd.DaskKauriRegressor()
    estimator.client = client
    assert estimator.client is client
    assert "_client" not in pickle.loads(pickle.dumps(estimator)).__dict__


def test_no_preset_on_a_cluster() -> None:
    with pytest.raises(ValueError, match="preset='best' needs the rows in one process"):
        kd.DaskKauriRegressor(preset="best").fit(spread(X, RAGGED), spread(Y, RAGGED))


def test_no_refit_of_collections() -> None:
    estimator = kd.DaskKauriRegressor()
    for rows in ((spread(X, RAGGED), Y), (X, spread(Y, RAGGED))):
        with pytest.raises(ValueError, match="refit needs the rows in one process, got a Dask collection"):
            estimator.refit(*rows)
