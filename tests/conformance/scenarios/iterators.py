"""Data in batches: quantile matrices, external memory, and the data passed by iterators."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xgboost as xgb
from scenarios.support.data import binary, queries, regression, rows_with_gaps, score
from scenarios.support.models import SMALL, learn, trees
from scenarios.support.scenario import EQUAL, caught, close, losses, scenario
from scipy import sparse

NAMES = list("abcde")


class Batches(xgb.DataIter):
    """Passes dictionaries of arguments, one per batch."""

    def __init__(self, batches: list[dict[str, Any]], cache: str | None = None, **options: Any) -> None:
        self.batches, self.at = batches, 0
        super().__init__(cache_prefix=cache, **options)

    def next(self, input_data: Callable[..., None]) -> bool:
        if self.at == len(self.batches):
            return False
        input_data(**self.batches[self.at])
        self.at += 1
        return True

    def reset(self) -> None:
        self.at = 0


def _batches(make: Callable[[np.ndarray], Any] = np.asarray, parts: int = 3) -> list[dict[str, Any]]:
    features, labels = regression()
    pieces = np.array_split(np.arange(300), parts)
    return [{"data": make(features[piece]), "label": labels[piece]} for piece in pieces]


def _frame(features: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(features, columns=NAMES)


def _trained(data: xgb.DMatrix, params: dict[str, Any] | None = None) -> object:
    booster = xgb.train({**SMALL, **(params or {})}, data, 5)
    return {"trees": trees(booster), "names": booster.feature_names, "predictions": booster.predict(data)}


# ---- quantile matrices -----------------------------------------------------------------------------------------------


@scenario(close())
def quantiles_of_an_array() -> object:
    return _trained(xgb.QuantileDMatrix(*regression()))


@scenario(close())
def quantiles_of_a_frame() -> object:
    features, labels = regression()
    return _trained(xgb.QuantileDMatrix(_frame(features), labels))


@scenario(close())
def quantiles_of_named_columns() -> object:
    features, labels = regression()
    return _trained(xgb.QuantileDMatrix(features, labels, feature_names=NAMES, feature_types=["float"] * 5))


@scenario(close())
def quantiles_of_sparse_rows() -> object:
    features, labels = regression()
    return _trained(xgb.QuantileDMatrix(sparse.csr_matrix(features), labels))


@scenario(close())
def quantiles_of_gaps() -> object:
    features = rows_with_gaps()
    return _trained(xgb.QuantileDMatrix(features, score(features)))


@scenario(close())
def quantiles_of_batches() -> object:
    return _trained(xgb.QuantileDMatrix(Batches(_batches())))


@scenario(close())
def quantiles_of_batches_of_frames() -> object:
    return _trained(xgb.QuantileDMatrix(Batches(_batches(_frame))))


@scenario(close())
def quantiles_of_batches_of_sparse_rows() -> object:
    return _trained(xgb.QuantileDMatrix(Batches(_batches(sparse.csr_matrix))))


@scenario(losses(0.1))
def quantiles_of_many_values() -> object:
    features = np.random.default_rng(5).normal(size=(3000, 5))
    labels = score(features)
    data = xgb.QuantileDMatrix(features, labels, max_bin=64)
    history: dict[str, Any] = {}
    xgb.train({**SMALL, "max_bin": 64}, data, 10, evals=[(data, "train")], evals_result=history, verbose_eval=False)
    return history["train"]["rmse"]


@scenario(EQUAL)
def batches_are_one_array() -> object:
    features, labels = np.random.default_rng(5).normal(size=(2000, 4)), np.arange(2000) % 7
    pieces = [{"data": features[i : i + 300], "label": labels[i : i + 300]} for i in range(0, 2000, 300)]
    whole, parts = xgb.QuantileDMatrix(features, labels, max_bin=32), xgb.QuantileDMatrix(Batches(pieces), max_bin=32)
    dumps = [xgb.train({**SMALL, "max_bin": 32}, data, 4).get_dump() for data in (whole, parts)]
    return dumps[0] == dumps[1]


@scenario(close())
def quantiles_with_a_reference() -> object:
    features, labels = regression()
    train = xgb.QuantileDMatrix(features[:200], labels[:200])
    held = xgb.QuantileDMatrix(features[200:], labels[200:], ref=train)
    history: dict[str, Any] = {}
    xgb.train(SMALL, train, 5, evals=[(train, "train"), (held, "held")], evals_result=history, verbose_eval=False)
    return history


@scenario(EQUAL)
def a_reference_of_other_columns() -> object:
    features, labels = regression()
    train = xgb.QuantileDMatrix(features, labels)
    return caught("", lambda: xgb.QuantileDMatrix(features[:, :3], labels, ref=train))["raised"]


@scenario(EQUAL)
def other_bins_than_in_training() -> object:
    data = xgb.QuantileDMatrix(*regression(), max_bin=16)
    return caught("consistent", lambda: xgb.train({"max_bin": 32}, data, 1))


@scenario(EQUAL)
def exact_with_quantiles() -> object:
    data = xgb.QuantileDMatrix(*regression())
    return caught("Only.*hist|[Oo]nly the `hist`", lambda: xgb.train({"tree_method": "exact"}, data, 1))


@scenario(EQUAL)
def a_label_again_where_an_iterator_has_one() -> object:
    return caught("iterator", lambda: xgb.QuantileDMatrix(Batches(_batches()), label=np.ones(300)))


@scenario(close())
def cuts_of_a_quantile_matrix() -> object:
    starts, values = xgb.QuantileDMatrix(*regression(), max_bin=16).get_quantile_cut()
    return [np.asarray(starts), np.asarray(values)]


@scenario(close())
def cuts_of_a_trained_matrix() -> object:
    data = xgb.DMatrix(*regression())
    xgb.train({**SMALL, "max_bin": 512}, data, 1)
    starts, values = data.get_quantile_cut()
    return [np.asarray(starts), np.asarray(values)]


@scenario(close())
def values_of_a_quantile_matrix() -> object:
    held = xgb.QuantileDMatrix(*regression(60)).get_data()
    return [held.indptr, held.indices, held.data]


@scenario(close())
def predictions_on_a_quantile_matrix() -> object:
    features, labels = regression()
    return learn({}, features, labels).predict(xgb.QuantileDMatrix(features, labels))


# ---- fields of batches -----------------------------------------------------------------------------------------------


@scenario(EQUAL)
def weights_margins_and_bounds_in_batches() -> object:
    bounds = {"label_lower_bound": np.ones(100), "label_upper_bound": np.full(100, np.inf)}
    batches = [
        {**batch, **bounds, "weight": np.arange(100) + 1.0, "base_margin": np.ones(100) * i}
        for i, batch in enumerate(_batches())
    ]
    data = xgb.QuantileDMatrix(Batches(batches))
    return [data.get_label(), data.get_weight(), data.get_base_margin(), data.get_float_info("label_lower_bound")]


@scenario(close())
def queries_in_batches() -> object:
    features, grades, query = queries()
    pieces = np.array_split(np.arange(300), 4)
    data = xgb.QuantileDMatrix(Batches([{"data": features[p], "label": grades[p], "qid": query[p]} for p in pieces]))
    booster = xgb.train({**SMALL, "objective": "rank:ndcg"}, data, 4)
    return [data.get_uint_info("group_ptr"), booster.predict(xgb.DMatrix(features))]


@scenario(EQUAL)
def names_and_types_from_batches() -> object:
    batches = [{**batch, "feature_names": NAMES, "feature_types": ["q"] * 5} for batch in _batches()]
    data = xgb.QuantileDMatrix(Batches(batches))
    return [data.feature_names, data.feature_types, data.num_row(), data.num_col(), data.num_nonmissing()]


@scenario(EQUAL)
def an_iterator_without_a_batch() -> object:
    return [
        caught("at least 1 batch", lambda kind=kind: kind(Batches([]))) for kind in (xgb.DMatrix, xgb.QuantileDMatrix)
    ]


@scenario(EQUAL)
def exceptions_in_an_iterator() -> object:
    class Broken(Batches):
        def next(self, input_data: Callable[..., None]) -> bool:
            raise LookupError("no such batch")

    return caught("no such batch", lambda: xgb.QuantileDMatrix(Broken([])))


@scenario(EQUAL)
def batches_of_different_widths() -> object:
    batches = _batches()
    batches[1]["data"] = batches[1]["data"][:, :3]
    return caught("", lambda: xgb.QuantileDMatrix(Batches(batches)))["raised"]


# ---- external memory -------------------------------------------------------------------------------------------------


def _on_disk(params: dict[str, Any]) -> object:
    return _trained(xgb.DMatrix(Batches(_batches(), cache="cache")), params)


@scenario(close())
def on_disk_by_hist() -> object:
    return _on_disk({"tree_method": "hist"})


@scenario(close())
def on_disk_by_approx() -> object:
    return _on_disk({"tree_method": "approx"})


@scenario(EQUAL)
def on_disk_exactly() -> object:
    return caught("", lambda: _on_disk({"tree_method": "exact"}))["raised"]


@scenario(close())
def on_disk_in_quantiles() -> object:
    return _trained(xgb.ExtMemQuantileDMatrix(Batches(_batches(), cache="cache")))


@scenario(close())
def on_disk_with_a_reference() -> object:
    train = xgb.ExtMemQuantileDMatrix(Batches(_batches(), cache="one"))
    held = xgb.ExtMemQuantileDMatrix(Batches(_batches(parts=2), cache="two"), ref=train)
    history: dict[str, Any] = {}
    xgb.train(SMALL, train, 4, evals=[(held, "held")], evals_result=history, verbose_eval=False)
    return history


@scenario(close())
def on_disk_of_frames() -> object:
    return _trained(xgb.DMatrix(Batches(_batches(_frame), cache="cache")))


@scenario(close())
def on_disk_with_vector_leaves() -> object:
    features, labels = regression()
    both = np.stack([labels, -labels], axis=1)
    batches = [{"data": features[p], "label": both[p]} for p in np.array_split(np.arange(300), 3)]
    data = xgb.ExtMemQuantileDMatrix(Batches(batches, cache="cache"))
    return xgb.train({**SMALL, "multi_strategy": "multi_output_tree"}, data, 4).predict(xgb.DMatrix(features))


@scenario(EQUAL)
def caches_go_with_their_matrix() -> object:
    data = xgb.DMatrix(Batches(_batches(), cache="cache"))
    xgb.train(SMALL, data, 1)
    del data
    return sorted(path.name for path in Path().glob("cache*"))


@scenario(close())
def explaining_from_disk() -> object:
    features, labels = binary()
    booster = learn({"objective": "binary:logistic"}, features, labels)
    data = xgb.DMatrix(Batches([{"data": features[:100]}, {"data": features[100:]}], cache="cache"))
    return booster.predict(data, pred_contribs=True)
