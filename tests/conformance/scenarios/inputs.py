"""Every kind of array, in a matrix and in in-place prediction."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import xgboost as xgb
from scenarios.support.data import DEMO, queries, regression, rows, rows_with_gaps, score
from scenarios.support.models import SMALL, learn
from scenarios.support.scenario import EQUAL, caught, close, scenario
from scipy import sparse


def _seen(data: xgb.DMatrix) -> dict[str, Any]:
    """Return the contents of the matrix."""
    held = data.get_data()
    return {
        "shape": (data.num_row(), data.num_col(), data.num_nonmissing()),
        "cells": held.toarray() if held.nnz < 10000 else held.data,
        "stored": held.indptr.tolist()[:20],
    }


# ---- dense -----------------------------------------------------------------------------------------------------------


def _as_type(kind: str) -> Callable[[], object]:
    return lambda: _seen(xgb.DMatrix((rows(40) * 10).astype(kind)))


@scenario(EQUAL)
def floats() -> object:
    return {kind: _as_type(kind)() for kind in ("float16", "float32", "float64")}


@scenario(EQUAL)
def long_doubles() -> object:
    return _as_type("longdouble")()


@scenario(EQUAL)
def integers() -> object:
    return {kind: _as_type(kind)() for kind in ("int8", "int16", "int32", "int64")}


@scenario(EQUAL)
def unsigned_integers() -> object:
    return {
        kind: _seen(xgb.DMatrix(np.abs(rows(40) * 10).astype(kind))) for kind in ("uint8", "uint16", "uint32", "uint64")
    }


@scenario(EQUAL)
def truths() -> object:
    return _seen(xgb.DMatrix(rows(40) > 0))


@scenario(EQUAL)
def columns_first() -> object:
    return _seen(xgb.DMatrix(np.asfortranarray(rows(40))))


@scenario(EQUAL)
def parts_of_arrays() -> object:
    return _seen(xgb.DMatrix(rows(40, 8)[::2, 1::2]))


@scenario(EQUAL)
def reversed_rows() -> object:
    return _seen(xgb.DMatrix(rows(40)[::-1]))


@scenario(EQUAL)
def lists() -> object:
    return _seen(xgb.DMatrix(rows(10).tolist()))


@scenario(EQUAL)
def tuples() -> object:
    return _seen(xgb.DMatrix(tuple(map(tuple, rows(10).tolist()))))


@scenario(EQUAL)
def read_only_arrays() -> object:
    features = rows(10)
    features.flags.writeable = False
    return _seen(xgb.DMatrix(features))


@scenario(EQUAL)
def missing_as_nan() -> object:
    return _seen(xgb.DMatrix(rows_with_gaps(40)))


@scenario(EQUAL)
def missing_as_a_number() -> object:
    return _seen(xgb.DMatrix(np.nan_to_num(rows_with_gaps(40), nan=-999.0), missing=-999.0))


@scenario(EQUAL)
def missing_as_zero() -> object:
    return _seen(xgb.DMatrix(rows(40), missing=0.0))


@scenario(EQUAL)
def none_in_objects() -> object:
    return _seen(xgb.DMatrix(np.array([[1.0, None], [None, 2.0]], dtype=object)))


@scenario(EQUAL)
def one_row_and_one_column() -> object:
    return [_seen(xgb.DMatrix(np.ones((1, 3)))), _seen(xgb.DMatrix(np.ones((3, 1))))]


@scenario(EQUAL)
def a_row_without_columns() -> object:
    data = xgb.DMatrix(np.empty((1, 0)))
    return [data.num_row(), data.num_col()]


@scenario(EQUAL)
def labels_of_a_matrix_without_columns() -> object:
    data = xgb.DMatrix(np.array([[]]), label=np.array([12, 34, 56], np.float32)[::2])
    return [data.num_row(), data.num_col(), data.get_label()]


@scenario(close())
def weights_of_queries_before_the_queries() -> object:
    features, labels, ids = queries()
    weights = np.linspace(1, 2, 20)
    ranked = xgb.QuantileDMatrix(features, labels, qid=ids, weight=weights)
    data = xgb.QuantileDMatrix(features, weight=weights, ref=ranked)
    refused = caught("", lambda: xgb.train({}, data, 1))["raised"]
    data.set_info(label=labels, qid=ids)
    return [refused, data.get_weight(), xgb.train({"objective": "rank:ndcg"}, data, 3).predict(data)]


@scenario(EQUAL)
def flat_arrays() -> object:
    return caught("2-dim|2 dim|shape", lambda: xgb.DMatrix(np.ones(4)))


@scenario(EQUAL)
def complex_numbers() -> object:
    return caught("", lambda: xgb.DMatrix(np.ones((4, 2), complex)))["raised"][-2:]


# ---- sparse ----------------------------------------------------------------------------------------------------------


def _sparse() -> sparse.csr_matrix:
    features = rows(40)
    features[np.random.default_rng(9).random(features.shape) < 0.6] = 0
    return sparse.csr_matrix(features)


@scenario(EQUAL)
def compressed_rows() -> object:
    return _seen(xgb.DMatrix(_sparse()))


@scenario(EQUAL)
def compressed_columns() -> object:
    return _seen(xgb.DMatrix(_sparse().tocsc()))


@scenario(EQUAL)
def coordinates() -> object:
    return _seen(xgb.DMatrix(_sparse().tocoo()))


@scenario(EQUAL)
def sparse_arrays() -> object:
    return [_seen(xgb.DMatrix(make(_sparse()))) for make in (sparse.csr_array, sparse.csc_array, sparse.coo_array)]


@scenario(EQUAL)
def sparse_with_doubles_and_long_indices() -> object:
    table = _sparse().astype(np.float64)
    table.indices, table.indptr = table.indices.astype(np.int64), table.indptr.astype(np.int64)
    return _seen(xgb.DMatrix(table))


@scenario(EQUAL)
def sparse_with_stored_zeros() -> object:
    table = sparse.csr_matrix((np.array([0.0, 1.0, 0.0]), np.array([0, 1, 2]), np.array([0, 2, 3])), shape=(2, 3))
    return _seen(xgb.DMatrix(table))


@scenario(EQUAL)
def sparse_with_rows_twice_a_column() -> object:
    table = sparse.csr_matrix((np.array([1.0, 2.0, 3.0]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
    return xgb.DMatrix(table).num_nonmissing()


@scenario(close())
def models_of_sparse_data() -> object:
    table = _sparse()
    labels = table.toarray()[:, 0]
    return {
        m: learn({"tree_method": m}, table, labels).predict(xgb.DMatrix(table)) for m in ("hist", "exact", "approx")
    }


# ---- files -----------------------------------------------------------------------------------------------------------


@scenario(close(2e-7))  # XGBoost parses the digits of some numbers inexactly
def files_of_index_and_value() -> object:
    data = xgb.DMatrix(f"{DEMO / 'breast_cancer.train.libsvm'}?format=libsvm")
    return {**_seen(data), "labels": data.get_label()}


@scenario(EQUAL)
def files_of_commas() -> object:
    Path("table.csv").write_text("1,0.5,2\n0,1.5,3\n1,-1,4.25\n")
    data = xgb.DMatrix("table.csv?format=csv&label_column=0")
    return {**_seen(data), "labels": data.get_label()}


@scenario(EQUAL)
def files_with_queries() -> object:
    Path("ranked.txt").write_text("1 qid:1 0:1 1:2\n0 qid:1 0:3\n2 qid:4 1:1\n")
    data = xgb.DMatrix("ranked.txt?format=libsvm")
    return {**_seen(data), "groups": data.get_uint_info("group_ptr")}


@scenario(EQUAL)
def files_without_a_format() -> object:
    Path("plain.txt").write_text("1 0:1 1:2\n")
    return caught("format", lambda: xgb.DMatrix("plain.txt"))


@scenario(EQUAL)
def binary_files() -> object:
    features, labels = regression(50)
    xgb.DMatrix(features, labels, weight=np.arange(50), feature_names=list("abcde")).save_binary("data.buffer")
    data = xgb.DMatrix("data.buffer")
    return {**_seen(data), "labels": data.get_label(), "weights": data.get_weight(), "names": data.feature_names}


# ---- predictions in place --------------------------------------------------------------------------------------------


def _in_place(make: Callable[[np.ndarray], Any], **options: Any) -> object:
    features = rows_with_gaps()
    booster = learn({}, features, score(features))
    return booster.inplace_predict(make(features), **options)


@scenario(close())
def in_place_of_arrays() -> object:
    kinds = (np.asarray, np.asfortranarray, lambda x: x.astype("float64"), lambda x: x[::3], lambda x: x[:1])
    return [_in_place(kind) for kind in kinds]


@scenario(close())
def in_place_of_sparse_rows() -> object:
    return _in_place(lambda x: sparse.csr_matrix(np.nan_to_num(x)))


@scenario(close())
def in_place_of_margins() -> object:
    return _in_place(np.asarray, predict_type="margin")


@scenario(close())
def in_place_of_some_rounds() -> object:
    return _in_place(np.asarray, iteration_range=(1, 3))


@scenario(close())
def in_place_with_a_missing_number() -> object:
    return _in_place(lambda x: np.nan_to_num(x, nan=-9.0), missing=-9.0)


@scenario(close())
def in_place_from_margins() -> object:
    return _in_place(np.asarray, base_margin=np.linspace(-1, 1, 300, dtype=np.float32))


@scenario(close())
def in_place_of_strict_shape() -> object:
    return _in_place(np.asarray, strict_shape=True)


@scenario(EQUAL)
def in_place_of_too_few_columns() -> object:
    features, labels = regression()
    booster = learn({}, features, labels)
    return caught("[Ff]eature shape mismatch|mismatch", lambda: booster.inplace_predict(features[:, :3]))


@scenario(close())
def predictions_of_no_rows() -> object:
    booster = xgb.train(SMALL, xgb.DMatrix(*regression()), 3)
    return [booster.predict(xgb.DMatrix(np.empty((0, 5)))), booster.inplace_predict(np.empty((0, 5)))]
