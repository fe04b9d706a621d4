"""Rankers, and the queries of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import xgboost as xgb
from scenarios.support.data import queries
from scenarios.support.models import SMALL
from scenarios.support.scenario import EQUAL, caught, close, scenario

RANKER: dict[str, Any] = {"n_estimators": 5, "max_depth": 3, "lambdarank_pair_method": "topk"}


@scenario(close())
def a_ranker_by_numbers_of_queries() -> object:
    features, grades, query = queries()
    model = xgb.XGBRanker(**RANKER, objective="rank:ndcg").fit(features, grades, qid=query)
    return [model.predict(features), model.objective]


@scenario(close())
def a_ranker_by_sizes_of_queries() -> object:
    features, grades, _ = queries()
    return xgb.XGBRanker(**RANKER).fit(features, grades, group=[15] * 20).predict(features)


@scenario(close())
def a_ranker_of_a_frame_with_queries() -> object:
    features, grades, query = queries()
    frame = pd.DataFrame(features, columns=list("vwxyz")).assign(qid=query)
    model = xgb.XGBRanker(**RANKER).fit(frame, grades)
    return [model.predict(frame), float(model.score(frame, grades))]


@scenario(close())
def a_ranker_that_is_evaluated() -> object:
    features, grades, query = queries()
    model = xgb.XGBRanker(**RANKER, eval_metric=["ndcg@4", "pre@2"], early_stopping_rounds=3)
    grades = np.minimum(grades, 1)
    model.fit(features, grades, qid=query, eval_set=[(features, grades)], eval_qid=[query], verbose=False)
    return [model.evals_result(), model.best_iteration]


@scenario(close())
def weights_of_queries() -> object:
    features, grades, query = queries()
    data = xgb.DMatrix(features, grades, qid=query, weight=np.linspace(0.1, 2, 20))
    booster = xgb.train({**SMALL, "objective": "rank:ndcg"}, data, 5)
    return [data.get_weight(), booster.predict(data)]


@scenario(EQUAL)
def weights_of_rows_where_queries_are() -> object:
    features, grades, query = queries()
    data = xgb.DMatrix(features, grades, qid=query, weight=np.ones(300))
    return caught("equal to the number of query groups", lambda: xgb.train({"objective": "rank:ndcg"}, data, 1))


@scenario(EQUAL)
def groups_read_back() -> object:
    features, grades, query = queries()
    by_number = xgb.DMatrix(features, grades, qid=query)
    by_size = xgb.DMatrix(features, grades, group=[100, 200])
    later = xgb.DMatrix(features, grades)
    later.set_group([30, 270])
    matrices = (by_number, by_size, later)
    return [[np.asarray(m.get_group()), m.get_uint_info("group_ptr")] for m in matrices]


@scenario(EQUAL)
def groups_of_other_sizes_than_the_data() -> object:
    features, grades, _ = queries()
    data = xgb.DMatrix(features, grades)

    def train() -> None:
        data.set_group([10, 10])
        xgb.train({"objective": "rank:ndcg"}, data, 1)

    return caught("", train)["raised"]


@scenario(EQUAL)
def queries_out_of_order() -> object:
    features, grades, query = queries()
    return caught(
        "sorted in non-decreasing order|non-decreasing", lambda: xgb.DMatrix(features, grades, qid=query[::-1])
    )


@scenario(EQUAL)
def grades_too_large() -> object:
    features, grades, query = queries()
    data = xgb.DMatrix(features, grades * 20, qid=query)
    return caught("Set `ndcg_exp_gain`", lambda: xgb.train({"objective": "rank:ndcg"}, data, 1))


@scenario(EQUAL)
def grades_that_are_no_truths() -> object:
    features, grades, query = queries()
    data = xgb.DMatrix(features, grades, qid=query)
    return caught("binary", lambda: xgb.train({"objective": "rank:map"}, data, 1))


@scenario(EQUAL)
def a_ranker_without_queries() -> object:
    features, grades, _ = queries()
    return caught("group|qid", lambda: xgb.XGBRanker().fit(features, grades))


@scenario(EQUAL)
def queries_given_twice() -> object:
    features, grades, query = queries()
    return caught("Either one of `group`|qid", lambda: xgb.DMatrix(features, grades, qid=query, group=[15] * 20))
